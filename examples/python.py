# Cotiza dos envíos, los crea con su precio, los imprime en un solo PDF y lista los que esperan. Python 3.8 o posterior, sin paquetes.
#   API=https://guias.example LLAVE=gk_live_… PEDIDO=1042 python3 examples/python.py
import json
import os
import time
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

API = os.environ.get("API", "http://127.0.0.1:3000")
LLAVE = os.environ.get("LLAVE")
PEDIDO = os.environ.get("PEDIDO", str(time.time_ns()))
if not LLAVE:
    raise SystemExit(f"Falta LLAVE: {API}/api/docs/llaves dice cómo crear una")


#region repetir
def pedir(ruta, headers, cuerpo=None):
    """Repite tras 408, 429, 5xx y conexiones sin respuesta; lo demás no cambia por repetir."""
    datos = cuerpo and json.dumps(cuerpo).encode()
    for intento in range(1, 6):
        espera = intento
        try:
            with urlopen(Request(API + ruta, datos, headers), timeout=30) as respuesta:
                return respuesta.read()
        except HTTPError as error:
            fallo = f"Respuesta {error.code}: {error.read().decode()}"
            if error.code not in (408, 429) and error.code < 500:
                break
            espera = int(error.headers.get("Retry-After", intento))
        except (OSError, HTTPException) as error:
            fallo = f"Sin respuesta: {error}"
        if intento < 5:
            time.sleep(espera)
    raise SystemExit(fallo)
#endregion


def guia(numero, destinatario, producto):
    return {
        "Referencia": f"{PEDIDO}-{numero}",
        "Remitente": {"Nombre": "Ana López"},
        "Destinatario": destinatario,
        "Producto": producto,
        "Creado_por": {},
    }


headers = {"Authorization": f"Bearer {LLAVE}", "Content-Type": "application/json"}

solicitud = {
    "TipoServicio": "Domicilio",
    "Guia": [
        guia(
            1,
            {
                "Nombre": "Luis Pérez",
                "Calle": "Av. Juárez",
                "Numero_exterior": "800",
                "Colonia": "Centro",
                "Municipio": "Monterrey",
                "Estado": "Nuevo León",
                "CodigoPostal": "64000",
            },
            {"Contenido": "Libros", "Peso": 2.5, "Largo": 30, "Alto": 20, "Ancho": 15},
        ),
        guia(
            2,
            {
                "Nombre": "Rosa Díaz",
                "Calle": "Av. Hidalgo",
                "Numero_exterior": "400",
                "Colonia": "Guadalajara Centro",
                "Municipio": "Guadalajara",
                "Estado": "Jalisco",
                "CodigoPostal": "44100",
            },
            {"Contenido": "Cuadernos", "Peso": 1, "Largo": 30, "Alto": 21, "Ancho": 5, "Paquetes": 2},
        ),
    ],
}

#region cotizar
# Para cotizar basta la misma solicitud. Cada guía recibe su precio; de un solo TipoServicio hay una opción.
cotizadas = pedir("/api/guias/cotizar", headers, solicitud)
opciones = [cotizada["Opciones"][0] for cotizada in json.loads(cotizadas)["data"]]
#endregion

#region crear
for nueva, opcion in zip(solicitud["Guia"], opciones):
    nueva["Cotizacion"] = opcion["Cotizacion"]

# La clave nombra la solicitud: repetida con ella, no crea otras guías.
creadas = pedir("/api/guias/crear", {**headers, "Idempotency-Key": f"pedido-{PEDIDO}"}, solicitud)
numeros = [creada["SEND_GUIA"] for creada in json.loads(creadas)["data"]]
#endregion

#region imprimir
pdf = pedir("/api/guias/etiquetas", headers, {"Guias": numeros, "Tipo": "pequena"})
Path("etiquetas.pdf").write_bytes(pdf)
#endregion
totales = " y ".join(str(opcion["SEND_TOTAL"]) for opcion in opciones)
print(f"Guías {', '.join(numeros)}, por {totales} pesos: etiquetas.pdf")

#region listar
documentadas, cursor = [], ""
while cursor is not None:
    pagina = json.loads(pedir(f"/api/guias?estatus=Documentado&limite=500{cursor}", headers))
    documentadas += [guardada["SEND_GUIA"] for guardada in pagina["data"]]
    cursor = pagina["siguiente"] and f"&cursor={pagina['siguiente']}"
#endregion
print("Esperan:", *documentadas)
