"""Lo que dice /api/docs/reintentos, para los dos clientes: qué se manda, cuánto se espera, y con qué se termina."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Generator
from dataclasses import dataclass
from itertools import count
from typing import Any
from uuid import uuid4

import httpx

from .error import ErrorDeGuias
from .peticion import Peticion

INTENTO_S = 30
ULTIMO_S = 5
"""Lo que queda para un último intento, si el servicio pide esperar más de lo que queda."""


@dataclass
class Envio:
    """Un intento, que se da por perdido tras estos segundos."""

    solicitud: httpx.Request
    limite: float


Hecho = httpx.Response | httpx.RequestError | None
"""La respuesta a un envío, con todo su cuerpo; la causa de que no hubo; o nada, tras una pausa."""
Pasos = Generator[Envio | float, Hecho, httpx.Response]
"""Envíos, y pausas en segundos. Lanza ErrorDeGuias si no hay una respuesta buena."""


class Llamadas:
    def __init__(
        self, url: str, llave: str | None, usuario: str | None, contrasena: str | None, plazo: float
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"La dirección del servicio empieza con https:// o http://, y esta no: {url!r}")
        if not llave and not (usuario and contrasena):
            raise ValueError("Falta la llave, o en su lugar usuario y contrasena")
        self._url = url.rstrip("/")
        self._entrada = None if llave else (usuario or "", contrasena or "")
        self._token = llave
        self._plazo = plazo

    def pasos(self, peticion: Peticion[Any]) -> Pasos:
        """Los de una petición. Si el token caducó en medio, entra otra vez y sigue con los mismos nombres."""
        fin = time.monotonic() + self._plazo
        solicitud = self._solicitud(peticion)
        try:
            return (yield from self._con_token(solicitud, fin, peticion.repetible))
        except ErrorDeGuias as error:
            if error.codigo != "token_expirado" or self._entrada is None:
                raise
        if solicitud.headers["Authorization"] == f"Bearer {self._token}":  # si no, ya entró otro hilo
            self._token = None
        return (yield from self._con_token(solicitud, fin, peticion.repetible))

    def _con_token(self, solicitud: httpx.Request, fin: float, repetible: bool) -> Pasos:
        if self._token is None and self._entrada is not None:
            usuario, contrasena = self._entrada
            entrar = self._solicitud(Peticion[Any]("POST", "/api/auth/login"))
            entrar.headers["X-Username"] = usuario
            entrar.headers["X-Password"] = contrasena
            sesion = yield from _repetir(entrar, fin, True)
            self._token = sesion.json()["data"]["access_token"]
        solicitud.headers["Authorization"] = f"Bearer {self._token}"
        return (yield from _repetir(solicitud, fin, repetible))

    def _solicitud(self, peticion: Peticion[Any]) -> httpx.Request:
        """Todos los intentos llevan los mismos nombres."""
        headers = {"X-Request-Id": str(uuid4())}
        if peticion.crea:
            headers["Idempotency-Key"] = peticion.idempotency_key or str(uuid4())
        contenido = peticion.archivo
        if peticion.tipo is not None:
            headers["Content-Type"] = peticion.tipo
        elif peticion.solicitud is not None:
            headers["Content-Type"] = "application/json"
            contenido = json.dumps(peticion.solicitud).encode()
        query = {nombre: valor for nombre, valor in (peticion.query or {}).items() if valor is not None}
        return httpx.Request(
            peticion.metodo, self._url + peticion.ruta, params=query or None, headers=headers, content=contenido
        )


def entera(respuesta: httpx.Response, trozos: list[bytes]) -> httpx.Response:
    """Una respuesta con su cuerpo, como llegó por la red."""
    return httpx.Response(respuesta.status_code, headers=respuesta.headers, content=b"".join(trozos))


def leer(peticion: Peticion[Any], respuesta: httpx.Response) -> Any:
    return respuesta.content if peticion.en_bytes else respuesta.json()


def _repetir(solicitud: httpx.Request, fin: float, repetible: bool) -> Pasos:
    """Hasta que hay una respuesta que repetir no cambia, o se acaba el plazo."""
    for intento in count():
        queda = fin - time.monotonic()
        limite = max(min(INTENTO_S, queda), 0.001)
        solicitud.extensions = {"timeout": httpx.Timeout(limite).as_dict()}
        hecho = yield Envio(solicitud, limite)
        if isinstance(hecho, httpx.Response) and hecho.is_success:
            return hecho
        causa = hecho if isinstance(hecho, httpx.RequestError) else None
        error = ErrorDeGuias(solicitud, hecho if isinstance(hecho, httpx.Response) else None)
        pausa = _pausa(error, intento, fin - time.monotonic()) if _conviene(error, repetible) else None
        if pausa is None:
            raise error from causa
        yield pausa
    raise AssertionError


def _conviene(error: ErrorDeGuias, repetible: bool) -> bool:
    """Tras un error que pasa, y si la solicitud repetida no hace lo suyo dos veces."""
    status, codigo = error.status, error.codigo
    if not repetible:
        return status == 429 or (status == 503 and codigo not in (None, "resultado_desconocido"))
    return status in (0, 408, 429) or status >= 500


def _pausa(error: ErrorDeGuias, intento: int, queda: float) -> float | None:
    """
    Lo que pide el servicio. Si no lo dice, un segundo y luego el doble cada vez, hasta 32, con algo de azar. Lo que no cabe en el
    plazo se acorta para un último intento, pero no tras un 429, que dice desde cuándo hay lugar.
    """
    creciente = (1 << min(intento, 5)) * random.uniform(0.75, 1.25)
    pausa = creciente if error.retry_after is None else max(error.retry_after, creciente / 4)
    if pausa < queda:
        return pausa
    return None if error.status == 429 or queda <= ULTIMO_S else queda - ULTIMO_S
