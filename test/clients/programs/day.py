"""A day of a customer with the installed client: client-day.ts says what must hold at the end. Prints it as JSON."""

import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from guias_de_envio import ClienteDeGuias, ErrorDeGuias, eventos_del_mensaje
from guias_de_envio.generado.api.webhooks import crear_webhook
from guias_de_envio.generado.models import SolicitudDeWebhook

URL, KEY, DAY, GUIDES = (os.environ[name] for name in ("API_URL", "LLAVE", "DAY", "GUIDES"))
client = ClienteDeGuias(URL, KEY)
enough = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), enough.set()), daemon=True).start()

PARCEL = {"Contenido": "Libros", "Peso": 2.5, "Largo": 30, "Alto": 20, "Ancho": 15}
LUIS = {
    "Nombre": "Luis Pérez",
    "Calle": "Av. Juárez",
    "Numero_exterior": "800",
    "Colonia": "Centro",
    "Municipio": "Monterrey",
    "Estado": "Nuevo León",
    "CodigoPostal": "64000",
}


def guide(reference):
    return {
        "Referencia": reference,
        "Cotizacion": quote,
        "Remitente": {"Nombre": "Ana López"},
        "Destinatario": LUIS,
        "Producto": PARCEL,
        "Creado_por": {},
    }


def refusal(method, *arguments):
    try:
        method(*arguments)
    except ErrorDeGuias as error:
        fields = [problem.campo for problem in error.details]
        named = {"status": error.status, "codigo": error.codigo, "fields": fields}
        return {**named, "hasRequestId": error.request_id != ""}
    raise AssertionError("not refused")


heard, heard_one = [], threading.Event()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        heard.extend(event.send_guia for event in eventos_del_mensaje(secret, self.headers, body))
        self.send_response(204)
        self.end_headers()
        if heard:
            heard_one.set()


receiver = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=receiver.serve_forever, daemon=True).start()
wanted = SolicitudDeWebhook(url=f"http://127.0.0.1:{receiver.server_port}/")
secret = crear_webhook.sync(client=client.api, body=wanted).data.secreto

quoted = client.cotizar_guias(
    {"TipoServicio": "Domicilio", "Guia": [{"Destinatario": {"CodigoPostal": "64000"}, "Producto": PARCEL}]}
)
quote = quoted.data[0].opciones[0].cotizacion

created = {}
while not enough.is_set() or len(created) < int(GUIDES):
    references = [f"{DAY}-{len(created) + i}" for i in range(2)]
    request = {"TipoServicio": "Domicilio", "Guia": [guide(reference) for reference in references]}
    client.validar_guias(request)
    numbers = [one.send_guia for one in client.crear_guias(request).data]
    created.update(zip(references, numbers))
    single = client.obtener_etiqueta(numbers[0], "pequena")
    print("created two", flush=True)

numbers = list(created.values())
cancelled, *kept = numbers
many = client.imprimir_etiquetas({"Guias": kept[:10], "Tipo": "pequena"})
zpl = client.obtener_etiqueta(kept[0], "10x15", formato="zpl")
client.cancelar_guia(cancelled)
manifest = client.crear_manifiesto({"Guias": kept[:99]}).data
offered = client.consultar_recolecciones("06600").data.ventanas[0]
asked = client.pedir_recoleccion(
    {
        "Ventana": {"Fecha": offered.fecha, "Desde": offered.desde, "Hasta": offered.hasta},
        "Direccion": {"Nombre": "Ana", "Celular": "5512345678", "CodigoPostal": "06600", "Calle": f"Calle {DAY}"},
        "Paquetes": 1,
    }
).data
pickups = [one.recoleccion for one in client.recorrer_recolecciones(limite=3)]
read = client.obtener_recoleccion(asked.recoleccion).data
called_off = client.cancelar_recoleccion(asked.recoleccion).data
found = client.recorrer_guias(limite=3)
listed = [one.send_guia for one in found if str(one.referencia).startswith(f"{DAY}-")]
heard_one.wait()
fed = [event.send_guia for page in client.recorrer_eventos() for event in page.data if event.send_guia in numbers]

wrong = {**guide("wrong"), "Remitente": {}, "Destinatario": {"CodigoPostal": "64000"}}
stranger = ClienteDeGuias(URL, KEY[:-1] + ("1" if KEY.endswith("0") else "0"))
report = {
    **{"created": created, "listed": listed, "cancelled": cancelled, "heard": heard, "fed": fed},
    "manifest": [one.send_guia for one in manifest.detalle],
    "pickup": [asked.recoleccion in pickups, str(read.estado), str(called_off.estado)],
    "files": {
        "single": single[:5].decode(),
        "many": many[:5].decode(),
        "manifest": client.imprimir_manifiesto(manifest.manifiesto)[:5].decode(),
        "zpl": zpl[:3].decode(),
    },
    "refusals": {
        "unknown": refusal(client.obtener_guia, "000000000000"),
        "wrong": refusal(client.validar_guias, {"TipoServicio": "Domicilio", "Guia": [wrong]}),
        "stranger": refusal(stranger.obtener_guia, cancelled),
    },
}
print(json.dumps(report))
