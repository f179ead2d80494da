"""Asks the service of unwilling-service.ts with the installed client, and prints how each call ended."""

import asyncio
import json
import os
import sys

from guias_de_envio import ClienteDeGuias, ClienteDeGuiasAsync, ErrorDeGuias


class Awaited:
    """The client for asyncio, whose methods are awaited."""

    loop = asyncio.new_event_loop()

    def __init__(self, *args, **options):
        self.client = ClienteDeGuiasAsync(*args, **options)

    def __getattr__(self, name):
        method = getattr(self.client, name)
        return lambda *args: self.loop.run_until_complete(method(*args))


URL = os.environ["API_URL"]
kind = Awaited if "async" in sys.argv else ClienteDeGuias
client = kind(URL, os.environ["LLAVE"])
hurried = kind(URL, os.environ["LLAVE"], plazo=7)
person = kind(URL, usuario="ana", contrasena="señal€")


def end_of(call):
    try:
        return call()
    except ErrorDeGuias as error:
        return error.status
    except ValueError as error:
        return str(error)


request = {"TipoServicio": "Domicilio", "Guia": []}
hook = {"Url": "https://tienda.example"}
ends = {
    "address": end_of(lambda: kind("guias.example", "llave")),
    "no number": end_of(lambda: client.obtener_guia("")),
    "creation": end_of(lambda: client.crear_guias(request)["data"][0]["SEND_GUIA"]),
    "busy": end_of(lambda: client.obtener_guia("busy")["response"]),
    "later": end_of(lambda: hurried.obtener_guia("later")),
    "tomorrow": end_of(lambda: client.obtener_guia("tomorrow")),
    "expired": end_of(lambda: person.obtener_guia("expired")["response"]),
    "wrong": end_of(lambda: client.obtener_guia("wrong")),
    "webhook": end_of(lambda: client.crear_webhook(hook)),
    "refused webhook": end_of(lambda: client.crear_webhook(hook)["data"]["Id"]),
    "played": end_of(lambda: client.simular_eventos("played", {})),
}
print(json.dumps(ends))
