"""Recibe los eventos por webhook, y comprueba la firma de Standard Webhooks sin biblioteca."""

import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

from api import api, exito
from base import abrir, guardar_eventos, guardar_valor, leer_valor
from guias_api.api.webhooks import (
    activar_webhook,
    cambiar_secreto_de_webhook,
    crear_webhook,
    listar_webhooks,
)
from guias_api.models import ActivacionDeWebhook, SolicitudDeWebhook

PUERTO = int(os.environ.get("PUERTO", "8080"))
URL_WEBHOOK = os.environ.get("URL_WEBHOOK", f"http://127.0.0.1:{PUERTO}/")


def registrar(base):
    """Registra el webhook si no está. Si está, lo despierta: lo que esperaba llega ya."""
    propio = next((w for w in exito(listar_webhooks.sync(client=api)).data if w.url == URL_WEBHOOK), None)
    nuevo = None
    if propio is None:
        nuevo = exito(crear_webhook.sync(client=api, body=SolicitudDeWebhook(url=URL_WEBHOOK)))
    elif leer_valor(base, "secreto") is None:
        # La respuesta que lo traía se perdió.
        nuevo = exito(cambiar_secreto_de_webhook.sync(propio.id, client=api))
    if nuevo:
        with base:
            guardar_valor(base, "secreto", nuevo.data.secreto)
    if propio:
        exito(activar_webhook.sync(propio.id, client=api, body=ActivacionDeWebhook()))


def es_autentico(headers, cuerpo, secreto):
    hora = headers.get("webhook-timestamp", "")
    if not hora.isdigit() or abs(time.time() - int(hora)) > 300:
        return False
    clave = base64.b64decode(secreto.replace("whsec_", ""))
    firmado = f"{headers.get('webhook-id')}.{hora}.".encode() + cuerpo
    suma = base64.b64encode(hmac.new(clave, firmado, hashlib.sha256).digest())
    firmas = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(firma, b"v1," + suma) for firma in firmas)


class Receptor(BaseHTTPRequestHandler):
    timeout = 15  # una conexión que calla no detiene a las demás

    def do_POST(self):
        cuerpo = self.rfile.read(int(self.headers.get("content-length", 0)))
        base = self.server.base
        autentico = es_autentico(self.headers, cuerpo, leer_valor(base, "secreto") or "")
        if autentico:
            mensaje = json.loads(cuerpo)
            if mensaje["type"] == "guias.eventos":  # los tipos que vengan después no hacen nada
                eventos = mensaje["data"]["Eventos"]
                with base:
                    nuevos = guardar_eventos(base, eventos)
                print(nuevos, "eventos nuevos,", len(eventos) - nuevos, "repetidos", flush=True)
        self.send_response(204 if autentico else 401)
        self.end_headers()


def recibir():
    servidor = HTTPServer(("127.0.0.1", PUERTO), Receptor)
    servidor.base = abrir()
    registrar(servidor.base)
    print("Recibiendo en", URL_WEBHOOK, flush=True)
    servidor.serve_forever()
