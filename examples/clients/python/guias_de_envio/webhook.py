from collections.abc import Mapping
from typing import Any

from standardwebhooks import Webhook

from .modelos import EventoDeCuenta


def eventos_del_mensaje(secreto: str, headers: Mapping[str, str], cuerpo: bytes | str) -> list[EventoDeCuenta]:
    """
    Comprueba la firma de un mensaje de webhook, y da sus eventos: ninguno si es de prueba, o de un tipo que vino después.

    `secreto` es el que dio `POST /api/webhooks`; `cuerpo`, tal como llegó. Lanza WebhookVerificationError si el servicio no
    lo mandó, o hace más de cinco minutos.
    """
    mensaje: Any = Webhook(secreto).verify(cuerpo, dict(headers))
    eventos: list[EventoDeCuenta] = mensaje["data"]["Eventos"] if mensaje["type"] == "guias.eventos" else []
    return eventos
