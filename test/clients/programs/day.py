"""A day of a customer with the installed client: client-day.ts says what must hold at the end. Prints it as JSON."""

import json
import os
import sys
import threading
import time
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from guias_de_envio import ClienteDeGuias, ErrorDeGuias, eventos_del_mensaje
from guias_de_envio.generado.api.webhooks import crear_webhook
from guias_de_envio.generado.models import SolicitudDeWebhook

NAMES = ("API_URL", "LLAVE", "DAY", "GUIDES", "SCANNER", "PICTURE")
URL, KEY, DAY, GUIDES, SCANNER, PICTURE = (os.environ[name] for name in NAMES)
client = ClienteDeGuias(URL, KEY)
scanner = ClienteDeGuias(URL, SCANNER).api.get_httpx_client()  # the carrier's
enough, paid = threading.Event(), threading.Event()


def listen():
    sys.stdin.readline()
    enough.set()
    sys.stdin.read()
    paid.set()


threading.Thread(target=listen, daemon=True).start()

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


def guide(place):
    return {
        "Referencia": f"{DAY}-{place}",
        "Cotizacion": quote,
        # Of every fifth guide money is collected, to the centavo.
        **({"Cobro": {"Monto": (10_001 + 107 * place) / 100}} if place % 5 == 1 else {}),
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


def visit(link, method):
    """Opens the link of a return as a person does, who loads a page again that does not come. Returns how it begins."""
    for pause in range(1, 6):
        try:
            answer = httpx.request(method, URL + urlsplit(link).path, timeout=30)
            if answer.status_code == 200:
                return answer.content[:5].decode()
        except httpx.TransportError:
            pass
        time.sleep(pause)
    raise AssertionError(f"{method} of the link of a return")


def now():
    return datetime.now(timezone.utc).isoformat()


def scan(body):
    results = scanner.post("/api/eventos", json=body).json()["data"]
    refused.extend(one for one in results if one["resultado"] == "rechazado")


def centavos(pesos):
    return round(100 * pesos)


heard, refused = [], []


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        heard.extend(event.send_guia for event in eventos_del_mensaje(secret, self.headers, body))
        self.send_response(204)
        self.end_headers()


receiver = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=receiver.serve_forever, daemon=True).start()
wanted = SolicitudDeWebhook(url=f"http://127.0.0.1:{receiver.server_port}/")
secret = crear_webhook.sync(client=client.api, body=wanted).data.secreto

wanted = {"Destinatario": {"CodigoPostal": "64000"}, "Producto": PARCEL, "Cobro": {"Monto": 2_000}}
quoted = client.cotizar_guias({"TipoServicio": "Domicilio", "Guia": [wanted]})
quote = quoted.data[0].opciones[0].cotizacion

created, prices = {}, []
while not enough.is_set() or len(prices) < int(GUIDES):
    request = {"TipoServicio": "Domicilio", "Guia": [guide(len(prices)), guide(len(prices) + 1)]}
    client.validar_guias(request)
    two = client.crear_guias(request).data
    for one in two:
        created[f"{DAY}-{len(prices)}"] = one.send_guia
        prices.append(centavos(one.send_total))
    single = client.obtener_etiqueta(two[0].send_guia, "pequena")
    print("created two", flush=True)

numbers = list(created.values())
cancelled, *kept = numbers
many = client.imprimir_etiquetas({"Guias": kept[:10], "Tipo": "pequena"})
zpl = client.obtener_etiqueta(kept[0], "10x15", formato="zpl")
client.cancelar_guia(cancelled)
manifest = client.crear_manifiesto({"Guias": kept[:99]}).data
offered = client.consultar_recolecciones("06600").data.ventanas[0]
pickup = {
    "Ventana": {"Fecha": offered.fecha, "Desde": offered.desde, "Hasta": offered.hasta},
    "Direccion": {"Nombre": "Ana", "Celular": "5512345678", "CodigoPostal": "06600", "Calle": f"Calle {DAY}"},
    "Paquetes": 1,
}
asked = client.pedir_recoleccion(pickup).data
pickups = [one.recoleccion for one in client.recorrer_recolecciones(limite=3)]
read = client.obtener_recoleccion(asked.recoleccion).data
called_off = client.cancelar_recoleccion(asked.recoleccion).data
again = client.pedir_recoleccion({**pickup, "Manifiesto": manifest.manifiesto}).data
found = client.recorrer_guias(limite=3)
listed = [one.send_guia for one in found if str(one.referencia).startswith(f"{DAY}-")]

handed = {"Manifiesto": manifest.manifiesto, "Recoleccion": again.recoleccion}
scan({**handed, "Tipo": "Recolectado", "Ocurrido": now()})
picked_up = client.obtener_recoleccion(again.recoleccion).data
delivered = [one.send_guia for one in manifest.detalle]
amounts = {one.send_guia: one.cobro for one in manifest.detalle if one.cobro}
# The first amount is a mistake, which is annulled.
mistaken, amount = next(iter(amounts.items()))
delivery = {"Tipo": "Entregado", "Ocurrido": now()}
mistake = {"Monto": centavos(amount + 0.01) / 100, "Medio": "efectivo"}
scan({"Eventos": [{**delivery, "Guia": mistaken, "Id": "mistake", "Cobrado": mistake}]})
undone = {"Tipo": "Anulacion", "Ocurrido": now(), "Id": "undone", "Anula": "mistake"}
scan({"Eventos": [{**undone, "Guia": mistaken}]})
collected = {number: {"Cobrado": {"Monto": monto, "Medio": "efectivo"}} for number, monto in amounts.items()}
scan({"Eventos": [{**delivery, "Guia": one, "Id": "delivery", **collected.get(one, {})} for one in delivered]})

proven, other = delivered[:2]
picture, jpeg = Path(PICTURE).read_bytes(), {"Content-Type": "image/jpeg"}
for name in ("firma", "foto1", "foto2"):
    scanner.put(f"/api/eventos/{proven}/delivery/evidencia/{name}", content=picture, headers=jpeg)
pictures = client.listar_evidencia(proven).data

returns, return_prices, printed = {}, [], []
for original in (proven, other):
    back = client.crear_devolucion(original).data
    returns[str(back.referencia)] = back.send_guia
    return_prices.append(centavos(back.send_total))
    link = client.crear_enlace_de_devolucion(original).data.enlace
    printed += [visit(link, "GET"), visit(link, "POST")]
# A return costs once it is scanned.
scanned = next(iter(returns.values()))
scan({"Eventos": [{"Guia": scanned, "Tipo": "Recolectado", "Ocurrido": now(), "Id": "last"}]})

# The guides of the events, by their types, once the feed shows the last one.
fed = {}
while scanned not in fed.get("Recolectado", []):
    fed = {}
    for page in client.recorrer_eventos():
        for event in page.data:
            fed.setdefault(str(event.tipo), []).append(event.send_guia)
while scanned not in heard:
    time.sleep(0.02)

print("delivered", flush=True)
paid.wait()
collections = list(client.recorrer_cobros(limite=3))
remittances = list(client.recorrer_liquidaciones())
movements = list(client.recorrer_liquidacion(remittances[0].liquidacion))

wrong = {**guide(0), "Remitente": {}, "Destinatario": {"CodigoPostal": "64000"}}
stranger = ClienteDeGuias(URL, KEY[:-1] + ("1" if KEY.endswith("0") else "0"))
report = {
    **{"created": created, "returns": returns, "listed": listed, "cancelled": cancelled},
    **{"heard": heard, "fed": fed, "refused": refused, "manifest": delivered, "printed": printed},
    "pickups": [
        *[asked.recoleccion in pickups, str(read.estado)],
        *[str(called_off.estado), str(picked_up.estado)],
    ],
    "pictures": [str(one.imagen) for one in pictures],
    "money": {
        "due": sum(centavos(one.cobro) for one in collections),
        "collected": sum(centavos(one.cobrado) for one in collections),
        "differing": sum(1 for one in collections if one.diferencia),
        "movements": [len(movements), sum(centavos(one.importe) for one in movements)],
        "remittances": [centavos(one.importe) for one in remittances],
    },
    "prices": {"guides": prices, "returns": return_prices},
    "files": {
        "picture": client.obtener_evidencia(proven, pictures[0].evento, str(pictures[0].imagen))[:3].hex(),
        "proof": client.imprimir_comprobante(proven)[:5].decode(),
        "single": single[:5].decode(),
        "many": many[:5].decode(),
        "manifest": client.imprimir_manifiesto(manifest.manifiesto)[:5].decode(),
        "zpl": zpl[:3].decode(),
    },
    "refusals": {
        "unknown": refusal(client.obtener_guia, "000000000000"),
        "wrong": refusal(client.validar_guias, {"TipoServicio": "Domicilio", "Guia": [wrong]}),
        "stranger": refusal(stranger.obtener_guia, cancelled),
        "unpaid": refusal(lambda: list(client.recorrer_liquidacion("L48291365074"))),
    },
}
print(json.dumps(report))
