# Entra, crea una guía e imprime su etiqueta, con lo menos que hace falta. Python 3.8 o posterior, sin paquetes.
#   python3 examples/primera.py
#region entrar
import json
from pathlib import Path
from urllib.request import Request, urlopen

API = "http://127.0.0.1:3000"
quien = {"X-Username": "prueba", "X-Password": "demo1234"}
entrada = urlopen(Request(f"{API}/api/auth/login", headers=quien, method="POST"))
TOKEN = json.load(entrada)["data"]["access_token"]
#endregion

#region primeraGuia
solicitud = {
    "TipoServicio": "Domicilio",
    "Guia": [
        {
            "Remitente": {"Nombre": "Ana López"},
            "Destinatario": {
                "Nombre": "Luis Pérez",
                "Calle": "Av. Juárez",
                "Numero_exterior": "800",
                "Colonia": "Centro",
                "Municipio": "Monterrey",
                "Estado": "Nuevo León",
                "CodigoPostal": "64000",
            },
            "Producto": {"Contenido": "Libros"},
            "Creado_por": {},
        }
    ],
}
headers = {
    "Authorization": f"Bearer {TOKEN}",
    "Content-Type": "application/json",
    "Idempotency-Key": "pedido-1042",
}
respuesta = urlopen(Request(f"{API}/api/guias/crear", json.dumps(solicitud).encode(), headers)).read()
print(respuesta.decode())
GUIA = json.loads(respuesta)["data"][0]["SEND_GUIA"]
#endregion

#region primeraEtiqueta
etiqueta = urlopen(Request(f"{API}/api/guias/etiqueta/{GUIA}", headers={"Authorization": f"Bearer {TOKEN}"}))
Path("guia.pdf").write_bytes(etiqueta.read())
#endregion
