"""El servicio de guías, como lo ve quien tiene una llave."""

from standardwebhooks import WebhookVerificationError

from . import modelos
from .cliente import ClienteDeGuias, ClienteDeGuiasAsync
from .error import ErrorDeGuias
from .modelos import *
from .webhook import eventos_del_mensaje

__all__ = [
    "ClienteDeGuias",
    "ClienteDeGuiasAsync",
    "ErrorDeGuias",
    "WebhookVerificationError",
    "eventos_del_mensaje",
]
__all__ += modelos.__all__
