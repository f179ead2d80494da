from collections.abc import Mapping

from standardwebhooks import Webhook

from .generado.models import EventoDeCuenta


def eventos_del_mensaje(secreto: str, headers: Mapping[str, str], cuerpo: bytes | str) -> list[EventoDeCuenta]:
    """
    Comprueba la firma de un mensaje de webhook, y da sus eventos: ninguno si es de prueba, o de un tipo que vino después.

    `secreto` es el que dio `POST /api/webhooks`; `cuerpo`, tal como llegó. Lanza WebhookVerificationError si el servicio no
    lo mandó, o hace más de cinco minutos.
    """
    mensaje = Webhook(secreto).verify(cuerpo, dict(headers))
    eventos = mensaje["data"]["Eventos"] if mensaje["type"] == "guias.eventos" else []
    return [EventoDeCuenta.from_dict(evento) for evento in eventos]
