"""Las páginas de las listas, una tras otra."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, TypeVar

from .peticion import Peticion

Respuesta = TypeVar("Respuesta")


class Recorridos:
    def _pedir(self, peticion: Peticion[Respuesta]) -> Respuesta:
        raise NotImplementedError

    def _recorrer(self, pedir: Callable[[str | None], Any], *campos: str) -> Iterator[Any]:
        cursor = None
        while True:
            pagina = pedir(cursor)
            yield from _elementos(pagina, campos)
            cursor = pagina.get("siguiente")
            if not cursor:
                return

    def _seguir(self, pedir: Callable[[str | None], Any], cursor: str | None) -> Iterator[Any]:
        while True:
            pagina = pedir(cursor)
            if not pagina["data"]:
                return
            yield pagina
            cursor = pagina["siguiente"]


class RecorridosAsync:
    async def _pedir(self, peticion: Peticion[Respuesta]) -> Respuesta:
        raise NotImplementedError

    async def _recorrer(self, pedir: Callable[[str | None], Awaitable[Any]], *campos: str) -> AsyncIterator[Any]:
        cursor = None
        while True:
            pagina = await pedir(cursor)
            for elemento in _elementos(pagina, campos):
                yield elemento
            cursor = pagina.get("siguiente")
            if not cursor:
                return

    async def _seguir(
        self, pedir: Callable[[str | None], Awaitable[Any]], cursor: str | None
    ) -> AsyncIterator[Any]:
        while True:
            pagina = await pedir(cursor)
            if not pagina["data"]:
                return
            yield pagina
            cursor = pagina["siguiente"]


def _elementos(pagina: Any, campos: tuple[str, ...]) -> Any:
    for campo in campos:
        pagina = pagina[campo]
    return pagina
