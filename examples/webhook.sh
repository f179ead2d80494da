#!/bin/sh
# Dice si un mensaje de un webhook es auténtico: termina con 0 si lo es. sh y openssl.
#   SECRETO=whsec_… ID=msg_… HORA=1790000000 FIRMAS='v1,…' sh examples/webhook.sh < cuerpo.json
set -eu

es_autentico() {
  edad=$(($(date +%s) - HORA))
  [ "$edad" -le 300 ] && [ "$edad" -ge -300 ] || return 1
  clave=$(printf %s "${SECRETO#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
  suma=$({ printf %s "$ID.$HORA." && cat; } |
    openssl dgst -sha256 -mac HMAC -macopt "hexkey:$clave" -binary | openssl base64 -A)
  case " $FIRMAS " in *" v1,$suma "*) return 0 ;; *) return 1 ;; esac
}

es_autentico
