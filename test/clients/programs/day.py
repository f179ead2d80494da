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

NAMES = ("API_URL", "LLAVE", "DAY", "GUIDES", "SCANNER", "PICTURE")
URL, KEY, DAY, GUIDES, SCANNER, PICTURE = (os.environ[name] for name in NAMES)
client = ClienteDeGuias(URL, KEY)
scanner = ClienteDeGuias(URL, SCANNER)  # the carrier's
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
        fields = [problem["campo"] for problem in error.details if "campo" in problem]
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
    results = scanner.registrar_eventos(body)["data"]
    refused.extend(one for one in results if one["resultado"] == "rechazado")


def centavos(pesos):
    return round(100 * pesos)


heard, refused = [], []


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        heard.extend(event["SEND_GUIA"] for event in eventos_del_mensaje(secret, self.headers, body))
        self.send_response(204)
        self.end_headers()


receiver = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=receiver.serve_forever, daemon=True).start()
secret = client.crear_webhook({"Url": f"http://127.0.0.1:{receiver.server_port}/"})["data"]["Secreto"]

wanted = {"Destinatario": {"CodigoPostal": "64000"}, "Producto": PARCEL, "Cobro": {"Monto": 2_000}}
quoted = client.cotizar_guias({"TipoServicio": "Domicilio", "Guia": [wanted]})
quote = quoted["data"][0]["Opciones"][0]["Cotizacion"]

created, prices = {}, []
while not enough.is_set() or len(prices) < int(GUIDES):
    request = {"TipoServicio": "Domicilio", "Guia": [guide(len(prices)), guide(len(prices) + 1)]}
    client.validar_guias(request)
    two = client.crear_guias(request)["data"]
    for one in two:
        created[f"{DAY}-{len(prices)}"] = one["SEND_GUIA"]
        prices.append(centavos(one["SEND_TOTAL"]))
    single = client.obtener_etiqueta_pequena(two[0]["SEND_GUIA"])
    print("created two", flush=True)

numbers = list(created.values())
cancelled, *kept = numbers
many = client.imprimir_etiquetas({"Guias": kept[:10], "Tipo": "pequena"})
zpl = client.obtener_etiqueta_10x15(kept[0], formato="zpl")
client.cancelar_guia(cancelled)
manifest = client.crear_manifiesto({"Guias": kept[:99]})["data"]
offered = client.consultar_recolecciones("06600")["data"]["Ventanas"][0]
pickup = {
    "Ventana": {name: offered[name] for name in ("Fecha", "Desde", "Hasta")},
    "Direccion": {"Nombre": "Ana", "Celular": "5512345678", "CodigoPostal": "06600", "Calle": f"Calle {DAY}"},
    "Paquetes": 1,
}
asked = client.pedir_recoleccion(pickup)["data"]
pickups = [one["Recoleccion"] for one in client.recorrer_recolecciones(limite=3)]
read = client.obtener_recoleccion(asked["Recoleccion"])["data"]
called_off = client.cancelar_recoleccion(asked["Recoleccion"])["data"]
again = client.pedir_recoleccion({**pickup, "Manifiesto": manifest["Manifiesto"]})["data"]
found = client.recorrer_guias(limite=3)
listed = [one["SEND_GUIA"] for one in found if one.get("Referencia", "").startswith(f"{DAY}-")]

handed = {"Manifiesto": manifest["Manifiesto"], "Recoleccion": again["Recoleccion"]}
scan({**handed, "Tipo": "Recolectado", "Ocurrido": now()})
picked_up = client.obtener_recoleccion(again["Recoleccion"])["data"]
delivered = [one["SEND_GUIA"] for one in manifest["Detalle"]]
amounts = {one["SEND_GUIA"]: one["Cobro"] for one in manifest["Detalle"] if "Cobro" in one}
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
picture = Path(PICTURE).read_bytes()
for name in ("firma", "foto1", "foto2"):
    scanner.guardar_evidencia(proven, "delivery", name, picture)
pictures = client.listar_evidencia(proven)["data"]

returns, return_prices, printed = {}, [], []
for original in (proven, other):
    back = client.crear_devolucion(original)["data"]
    returns[back["Referencia"]] = back["SEND_GUIA"]
    return_prices.append(centavos(back["SEND_TOTAL"]))
    link = client.crear_enlace_de_devolucion(original)["data"]["Enlace"]
    printed += [visit(link, "GET"), visit(link, "POST")]
# A return costs once it is scanned.
scanned = next(iter(returns.values()))
scan({"Eventos": [{"Guia": scanned, "Tipo": "Recolectado", "Ocurrido": now(), "Id": "last"}]})

# The guides of the events, by their types, once the feed shows the last one.
fed = {}
while scanned not in fed.get("Recolectado", []):
    fed = {}
    for page in client.recorrer_eventos():
        for event in page["data"]:
            fed.setdefault(event["Tipo"], []).append(event["SEND_GUIA"])
while scanned not in heard:
    time.sleep(0.02)

print("delivered", flush=True)
paid.wait()
collections = list(client.recorrer_cobros(limite=3))
remittances = list(client.recorrer_liquidaciones())
movements = list(client.recorrer_liquidacion(remittances[0]["Liquidacion"]))

wrong = {**guide(0), "Remitente": {}, "Destinatario": {"CodigoPostal": "64000"}}
stranger = ClienteDeGuias(URL, KEY[:-1] + ("1" if KEY.endswith("0") else "0"))
report = {
    **{"created": created, "returns": returns, "listed": listed, "cancelled": cancelled},
    **{"heard": heard, "fed": fed, "refused": refused, "manifest": delivered, "printed": printed},
    "pickups": [
        *[asked["Recoleccion"] in pickups, read["Estado"]],
        *[called_off["Estado"], picked_up["Estado"]],
    ],
    "pictures": [one["Imagen"] for one in pictures],
    "money": {
        "due": sum(centavos(one["Cobro"]) for one in collections),
        "collected": sum(centavos(one["Cobrado"]) for one in collections),
        "differing": sum(1 for one in collections if "Diferencia" in one),
        "movements": [len(movements), sum(centavos(one["Importe"]) for one in movements)],
        "remittances": [centavos(one["Importe"]) for one in remittances],
    },
    "prices": {"guides": prices, "returns": return_prices},
    "files": {
        "picture": client.obtener_evidencia(proven, pictures[0]["Evento"], pictures[0]["Imagen"])[:3].hex(),
        "proof": client.imprimir_comprobante(proven)[:5].decode(),
        "single": single[:5].decode(),
        "many": many[:5].decode(),
        "manifest": client.imprimir_manifiesto(manifest["Manifiesto"])[:5].decode(),
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
