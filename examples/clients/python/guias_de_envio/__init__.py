"""El servicio de guías, como lo ve quien tiene una llave."""

from standardwebhooks import WebhookVerificationError

from .cliente import ClienteDeGuias, Pagina
from .error import ErrorDeGuias
from .webhook import eventos_del_mensaje

__all__ = ["ClienteDeGuias", "ErrorDeGuias", "Pagina", "WebhookVerificationError", "eventos_del_mensaje"]
