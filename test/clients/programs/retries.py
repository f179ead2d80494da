"""Asks the service of unwilling-service.ts with the installed client, and prints how each call ended."""

import json
import os

from guias_de_envio import ClienteDeGuias, ErrorDeGuias
from guias_de_envio.generado.api.eventos import simular_eventos
from guias_de_envio.generado.api.webhooks import crear_webhook
from guias_de_envio.generado.models import Simulacion, SolicitudDeWebhook

client = ClienteDeGuias(os.environ["API_URL"], os.environ["LLAVE"])
hook = SolicitudDeWebhook(url="https://tienda.example")


def end_of(call):
    try:
        return call()
    except ErrorDeGuias as error:
        return error.status


request = {"TipoServicio": "Domicilio", "Guia": []}
ends = {
    "creation": end_of(lambda: client.crear_guias(request).data[0].send_guia),
    "busy": end_of(lambda: client.obtener_guia("busy")),
    "tomorrow": end_of(lambda: client.obtener_guia("tomorrow")),
    "wrong": end_of(lambda: client.obtener_guia("wrong")),
    "webhook": end_of(lambda: crear_webhook.sync(client=client.api, body=hook)),
    "refused webhook": end_of(lambda: crear_webhook.sync(client=client.api, body=hook).data.id),
    "played": end_of(lambda: simular_eventos.sync("played", client=client.api, body=Simulacion.from_dict({}))),
}
print(json.dumps(ends))
