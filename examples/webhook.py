# Recibe los mensajes de un webhook y guarda sus eventos. Python 3.8 o posterior, sin paquetes.
#   SECRETO=whsec_… PUERTO=8080 CARPETA=eventos python3 examples/webhook.py
import base64
import hashlib
import hmac
import json
import os
import threading
import time
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRETO = os.environ.get("SECRETO", "")
PUERTO = int(os.environ.get("PUERTO", "8080"))
CARPETA = os.environ.get("CARPETA", "eventos")


#region firma
def es_autentico(headers, cuerpo, secreto):
    hora = headers.get("webhook-timestamp", "")
    if not hora.isdigit() or abs(time.time() - int(hora)) > 300:
        return False
    clave = base64.b64decode(secreto.replace("whsec_", ""))
    firmado = f"{headers.get('webhook-id')}.{hora}.".encode() + cuerpo
    suma = base64.b64encode(hmac.new(clave, firmado, hashlib.sha256).digest())
    firmas = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(firma, b"v1," + suma) for firma in firmas)
#endregion


# Cada evento es un archivo. Usted tendrá una tabla, con SEND_GUIA e Id como clave: Id se repite entre guías.
def guardar(evento):
    clave = f"{evento['SEND_GUIA']} {evento['Id']}"
    archivo = os.path.join(CARPETA, hashlib.sha256(clave.encode()).hexdigest() + ".json")
    if os.path.exists(archivo):
        return  # el mensaje se repitió
    os.makedirs(CARPETA, exist_ok=True)
    with open(archivo + ".nuevo", "w") as nuevo:
        json.dump(evento, nuevo)
    os.replace(archivo + ".nuevo", archivo)  # está completo, o no está
    print(evento["Id"], evento["SEND_GUIA"], evento["SEND_ESTATUS"], flush=True)


UNO_A_LA_VEZ = threading.Lock()


# Da el estatus de la respuesta. Solo guarda: lo que tarda, hágalo después.
def recibir(headers, cuerpo):
    if not es_autentico(headers, cuerpo, SECRETO):
        return 401
    mensaje = json.loads(cuerpo)
    # De los tipos que no conoce no haga nada: habrá otros.
    if mensaje["type"] == "guias.eventos":
        with UNO_A_LA_VEZ:
            for evento in mensaje["data"]["Eventos"]:
                guardar(evento)
    return 204


class Receptor(BaseHTTPRequestHandler):
    timeout = 15  # una conexión que calla se corta

    def do_POST(self):
        cuerpo = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            estatus = recibir(self.headers, cuerpo)
        except Exception:
            # Un error no acaba con el programa: con 500, el mensaje llega otra vez.
            traceback.print_exc()
            estatus = 500
        self.send_response(estatus)
        self.end_headers()


ThreadingHTTPServer(("127.0.0.1", PUERTO), Receptor).serve_forever()
