from __future__ import annotations

import asyncio
import time
from typing import Any, TypeVar

import httpx

from .llamadas import Envio, Hecho, Llamadas, entera, leer
from .operaciones import Operaciones, OperacionesAsync
from .peticion import Peticion

Respuesta = TypeVar("Respuesta")


class ClienteDeGuias(Operaciones):
    """
    El servicio de guías, como lo ve quien tiene una llave, o un usuario y su contraseña. Cada método se llama como su operación
    en `/api/docs/operaciones`, toma sus campos en un dict y da la respuesta como otro. Todos repiten lo que falla de paso, y
    lanzan `ErrorDeGuias`.
    """

    def __init__(
        self,
        url: str,
        llave: str | None = None,
        *,
        usuario: str | None = None,
        contrasena: str | None = None,
        plazo: float = 120,
    ) -> None:
        """`plazo` son los segundos que tarda lo más una llamada, con sus repeticiones."""
        self._llamadas = Llamadas(url, llave, usuario, contrasena, plazo)
        self._http = httpx.Client()

    def __enter__(self) -> ClienteDeGuias:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def _pedir(self, peticion: Peticion[Respuesta]) -> Respuesta:
        pasos = self._llamadas.pasos(peticion)
        hecho: Hecho = None
        while True:
            try:
                paso = pasos.send(hecho)
            except StopIteration as fin:
                respuesta: Respuesta = leer(peticion, fin.value)
                return respuesta
            if isinstance(paso, Envio):
                hecho = self._enviar(paso)
            else:
                time.sleep(paso)
                hecho = None

    def _enviar(self, envio: Envio) -> Hecho:
        fin = time.monotonic() + envio.limite
        try:
            respuesta = self._http.send(envio.solicitud, stream=True)
            try:
                trozos = []
                for trozo in respuesta.iter_raw():
                    trozos.append(trozo)
                    if time.monotonic() > fin:
                        raise httpx.ReadTimeout("La respuesta no terminó de llegar")
            finally:
                respuesta.close()
            return entera(respuesta, trozos)
        except httpx.RequestError as causa:
            return causa


class ClienteDeGuiasAsync(OperacionesAsync):
    """`ClienteDeGuias` para asyncio: los mismos métodos, con `await`, y `async for` para los que recorren."""

    def __init__(
        self,
        url: str,
        llave: str | None = None,
        *,
        usuario: str | None = None,
        contrasena: str | None = None,
        plazo: float = 120,
    ) -> None:
        """`plazo` son los segundos que tarda lo más una llamada, con sus repeticiones."""
        self._llamadas = Llamadas(url, llave, usuario, contrasena, plazo)
        self._http = httpx.AsyncClient()

    async def __aenter__(self) -> ClienteDeGuiasAsync:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._http.aclose()

    async def _pedir(self, peticion: Peticion[Respuesta]) -> Respuesta:
        pasos = self._llamadas.pasos(peticion)
        hecho: Hecho = None
        while True:
            try:
                paso = pasos.send(hecho)
            except StopIteration as fin:
                respuesta: Respuesta = leer(peticion, fin.value)
                return respuesta
            if isinstance(paso, Envio):
                hecho = await self._enviar(paso)
            else:
                await asyncio.sleep(paso)
                hecho = None

    async def _enviar(self, envio: Envio) -> Hecho:
        try:
            async with asyncio.timeout(envio.limite):
                respuesta = await self._http.send(envio.solicitud, stream=True)
                try:
                    trozos = [trozo async for trozo in respuesta.aiter_raw()]
                finally:
                    await respuesta.aclose()
            return entera(respuesta, trozos)
        except httpx.RequestError as causa:
            return causa
        except TimeoutError:
            return httpx.ReadTimeout("La respuesta no terminó de llegar")
