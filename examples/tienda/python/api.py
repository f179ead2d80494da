"""La API con el cliente que openapi-python-client genera de /api/openapi.json, y con reintentos."""

import os
import time

import httpx
from guias_api import AuthenticatedClient
from guias_api.models import RespuestaError

API = os.environ.get("API", "http://127.0.0.1:3000")
LLAVE = os.environ.get("LLAVE")
INTENTOS = 5
if not LLAVE:
    raise SystemExit(f"Falta LLAVE: {API}/api/docs/llaves dice cómo crear una")


class ConReintentos(httpx.HTTPTransport):
    """Repite tras 408, 429, 5xx y conexiones sin respuesta; lo demás no cambia por repetir."""

    def handle_request(self, request):
        for intento in range(1, INTENTOS + 1):
            espera = intento
            try:
                respuesta = super().handle_request(request)
                respuesta.read()  # lo que se corta a la mitad, falla aquí
                pasajero = respuesta.status_code in (408, 429) or respuesta.status_code >= 500
                if not pasajero or intento == INTENTOS:
                    return respuesta
                espera = int(respuesta.headers.get("Retry-After", intento))
            except httpx.TransportError:
                if intento == INTENTOS:
                    raise
            time.sleep(espera)


api = AuthenticatedClient(API, token=LLAVE, timeout=httpx.Timeout(30), httpx_args={"transport": ConReintentos()})


def exito(respuesta):
    """Da la respuesta buena. Lanza el mensaje del error, con lo que hay que citar al pedir ayuda."""
    if isinstance(respuesta, RespuestaError):
        raise RuntimeError(f"{respuesta.message} ({respuesta.codigo}, requestId {respuesta.request_id})")
    return respuesta
