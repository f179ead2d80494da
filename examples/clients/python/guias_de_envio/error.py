from __future__ import annotations

from typing import Any

import httpx

from .modelos import Problema


class ErrorDeGuias(Exception):
    """Lo que el servicio respondió en lugar de lo que se pidió, o que no respondió."""

    status: int
    """El de HTTP; 0 si no hubo respuesta."""
    codigo: str | None
    """Qué pasó, para programas: `/api/docs/errores` dice qué hacer. None si no respondió el servicio mismo."""
    details: list[Problema]
    """Todo lo que está mal en la solicitud."""
    request_id: str
    """Con él encuentra su transportista lo que pasó, también sin respuesta."""
    retry_after: float | None
    """Los segundos tras los que se puede repetir, si el servicio los dijo."""
    idempotency_key: str | None
    """Con ella se repite la creación sin crear nada dos veces."""

    def __init__(self, solicitud: httpx.Request, respuesta: httpx.Response | None = None) -> None:
        cuerpo = _leer(respuesta)
        self.status = respuesta.status_code if respuesta is not None else 0
        self.codigo = cuerpo.get("codigo")
        self.details = cuerpo.get("details", [])
        self.request_id = solicitud.headers["X-Request-Id"]
        self.retry_after = _segundos(respuesta)
        self.idempotency_key = solicitud.headers.get("Idempotency-Key")
        sin_mensaje = f"Respuesta {self.status}" if self.status else f"Sin respuesta de {solicitud.url.host}"
        super().__init__(cuerpo.get("message", sin_mensaje))


def _leer(respuesta: httpx.Response | None) -> dict[str, Any]:
    """Un proxy en medio responde lo que quiere."""
    try:
        cuerpo = {} if respuesta is None else respuesta.json()
    except ValueError:
        return {}
    return cuerpo if isinstance(cuerpo, dict) else {}


def _segundos(respuesta: httpx.Response | None) -> float | None:
    """Un proxy puede poner una fecha, o un número que no lo es."""
    texto = "" if respuesta is None else respuesta.headers.get("Retry-After", "")
    return float(texto) if texto.isascii() and texto.isdigit() else None
