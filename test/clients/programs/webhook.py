"""Verifies a message with the official library: the body is on standard input, the rest are arguments."""

import json
import sys

from standardwebhooks import Webhook, WebhookVerificationError

secret, headers = sys.argv[1], json.loads(sys.argv[2])
body = sys.stdin.read()
assert Webhook(secret).verify(body, headers)["type"] == "prueba"
try:
    Webhook(secret).verify(body + " ", headers)
except WebhookVerificationError:
    sys.exit(0)
sys.exit("a body that was changed is verified too")
