# Recibe los mensajes de un webhook y escribe sus eventos. Python 3.8 o posterior, sin paquetes.
#   SECRETO=whsec_… PUERTO=8080 python3 examples/webhook.py
import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRETO = os.environ.get("SECRETO", "")
PUERTO = int(os.environ.get("PUERTO", "8080"))


def es_autentico(headers, cuerpo, secreto):
    hora = headers.get("webhook-timestamp", "")
    if not hora.isdigit() or abs(time.time() - int(hora)) > 300:
        return False
    clave = base64.b64decode(secreto.replace("whsec_", ""))
    firmado = f"{headers.get('webhook-id')}.{hora}.".encode() + cuerpo
    suma = base64.b64encode(hmac.new(clave, firmado, hashlib.sha256).digest())
    firmas = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(firma, b"v1," + suma) for firma in firmas)


# Los que ya llegaron. Usted tendrá una tabla, con SEND_GUIA e Id como clave: Id se repite entre guías.
conocidos = set()


def guardar(evento):
    clave = (evento["SEND_GUIA"], evento["Id"])
    if clave in conocidos:
        return  # el mensaje se repitió
    conocidos.add(clave)
    print(evento["Id"], evento["SEND_GUIA"], evento["SEND_ESTATUS"], flush=True)


class Receptor(BaseHTTPRequestHandler):
    timeout = 15  # una conexión que calla no detiene a las demás

    def do_POST(self):
        cuerpo = self.rfile.read(int(self.headers.get("content-length", 0)))
        autentico = es_autentico(self.headers, cuerpo, SECRETO)
        if autentico:
            # Guarde los eventos y responda; lo que tarda, hágalo después. De otro tipo de mensaje no haga nada.
            mensaje = json.loads(cuerpo)
            if mensaje["type"] == "guias.eventos":
                for evento in mensaje["data"]["Eventos"]:
                    guardar(evento)
        self.send_response(204 if autentico else 401)
        self.end_headers()


HTTPServer(("127.0.0.1", PUERTO), Receptor).serve_forever()
