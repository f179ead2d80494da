"""Lo que dice /api/docs/reintentos."""

import random
import re
import time
from itertools import count
from uuid import uuid4

import httpx

from .error import ErrorDeGuias

INTENTOS = 5
INTENTO_S = 30

CREAN = re.compile(r"/api/(?:guias/crear|guias/[^/]+/devolucion|manifiestos|recolecciones)$")
NO_SE_REPITEN = re.compile(r"/api/(?:webhooks|webhooks/[^/]+/activar|guias/[^/]+/simular)$")
"""Hacen otra vez lo suyo cuando se repiten."""


class ConReintentos(httpx.BaseTransport):
    """Manda cada solicitud hasta que hay una respuesta que repetir no cambia. Lanza ErrorDeGuias si no es buena, o no hay."""

    def __init__(self, plazo: float) -> None:
        """`plazo` son los segundos que tarda lo más, con todos los intentos y las pausas."""
        self._plazo = plazo
        self._transporte = httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        fin = time.monotonic() + self._plazo
        _nombrar(request)
        for intento in count(1):
            try:
                return self._intentar(request, min(INTENTO_S, fin - time.monotonic()))
            except ErrorDeGuias as error:
                pausa = _segundos_tras(intento) if error.retry_after is None else error.retry_after
                hay_tiempo = time.monotonic() + pausa < fin
                if intento == INTENTOS or not hay_tiempo or not _conviene(request, error):
                    raise
            time.sleep(pausa)

    def _intentar(self, request: httpx.Request, limite: float) -> httpx.Response:
        request.extensions = {**request.extensions, "timeout": httpx.Timeout(max(limite, 0.001)).as_dict()}
        try:
            respuesta = self._transporte.handle_request(request)
            try:
                respuesta.read()  # lo que se corta a la mitad, falla aquí
            finally:
                respuesta.close()
        except httpx.TransportError as causa:
            raise ErrorDeGuias(request) from causa
        if respuesta.is_success or respuesta.status_code == httpx.codes.NOT_MODIFIED:
            return respuesta
        raise ErrorDeGuias(request, respuesta)

    def close(self) -> None:
        self._transporte.close()


def _nombrar(request: httpx.Request) -> None:
    """Todos los intentos llevan los mismos nombres."""
    request.headers.setdefault("X-Request-Id", str(uuid4()))
    if request.method == "POST" and CREAN.search(request.url.path):
        request.headers.setdefault("Idempotency-Key", str(uuid4()))


def _conviene(request: httpx.Request, error: ErrorDeGuias) -> bool:
    """Tras un error que pasa, y si la solicitud repetida no hace lo suyo dos veces."""
    status, codigo = error.status, error.codigo
    if request.method == "POST" and NO_SE_REPITEN.search(request.url.path):
        return status == 429 or (status == 503 and codigo not in (None, "resultado_desconocido"))
    return status in (0, 408, 429) or status >= 500


def _segundos_tras(intento: int) -> float:
    """Un segundo la primera vez y el doble cada vez, con algo de azar."""
    return 2 ** (intento - 1) * random.uniform(0.75, 1.25)
