from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar
from urllib.parse import quote

Respuesta = TypeVar("Respuesta")


@dataclass(frozen=True)
class Peticion(Generic[Respuesta]):
    """Lo que un método pide. Su respuesta es del tipo `Respuesta`."""

    metodo: str
    ruta: str
    query: Mapping[str, str | int | None] | None = None
    solicitud: object = None
    archivo: bytes | None = None
    tipo: str | None = None
    crea: bool = False
    """Lleva una `Idempotency-Key`, con la que repetirla no crea nada dos veces."""
    idempotency_key: str | None = None
    repetible: bool = True
    """Repetida, no hace lo suyo otra vez."""
    en_bytes: bool = False


def parte(nombre: str) -> str:
    """Como parte de una ruta. Una vacía pediría otra cosa, como la lista de todas las guías."""
    if nombre in ("", ".", ".."):
        raise ValueError(f"No es el nombre de nada: {nombre!r}")
    return quote(nombre, safe="")
