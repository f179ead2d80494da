#!/bin/sh
# Entra, crea dos guías y las imprime en un solo PDF.
#   API=https://guias.example USUARIO=demo CLAVE=demo1234 PEDIDO=1042 sh examples/curl.sh
set -eu
: "${API:=http://127.0.0.1:3000}" "${USUARIO:=demo}" "${CLAVE:=demo1234}" "${PEDIDO:=$(date +%s)}"
carpeta=$(mktemp -d)
trap 'rm -rf "$carpeta"' EXIT

# Repite tras 408, 429, 5xx y conexiones sin respuesta; lo demás no cambia por repetir.
pedir() {
  intento=1
  while :; do
    rm -f "$carpeta"/*
    estado=$(curl -sS --max-time 30 -D "$carpeta/headers" -o "$carpeta/cuerpo" -w '%{http_code}' "$@") || estado=0
    case $estado in
      200) cat "$carpeta/cuerpo" && return ;;
      0 | 408 | 429 | 5??) [ "$intento" -lt 5 ] || break ;;
      *) break ;;
    esac
    espera=$(grep -is '^retry-after:' "$carpeta/headers" | tr -dc '0-9')
    sleep "${espera:-$intento}"
    intento=$((intento + 1))
  done
  echo "Respuesta $estado: $(cat "$carpeta/cuerpo" 2>/dev/null)" >&2
  return 1
}

sesion=$(pedir -X POST "$API/api/auth/login" -H "X-Username: $USUARIO" -H "X-Password: $CLAVE")
token=$(echo "$sesion" | sed 's/.*"access_token":"\([^"]*\)".*/\1/')

# La clave nombra la solicitud: repetida con ella, no crea otras guías.
creadas=$(pedir "$API/api/guias/crear" -H "Authorization: Bearer $token" \
  -H 'Content-Type: application/json' -H "Idempotency-Key: pedido-$PEDIDO" -d '{
  "TipoServicio": "Domicilio",
  "Guia": [
    { "Referencia": "'"$PEDIDO"'-1", "Remitente": { "Nombre": "Ana López" }, "Creado_por": {},
      "Destinatario": { "Nombre": "Luis Pérez", "CodigoPostal": "64000" },
      "Producto": { "Contenido": "Libros" } },
    { "Referencia": "'"$PEDIDO"'-2", "Remitente": { "Nombre": "Ana López" }, "Creado_por": {},
      "Destinatario": { "Nombre": "Rosa Díaz", "CodigoPostal": "44100" },
      "Producto": { "Contenido": "Cuadernos", "Paquetes": 2 } }
  ]
}')
guias=$(echo "$creadas" | grep -o '"SEND_GUIA":"[0-9]*"' | cut -d: -f2 | paste -sd, -)

pedir "$API/api/guias/etiquetas" -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \
  -d '{ "Guias": ['"$guias"'], "Tipo": "pequena" }' > etiquetas.pdf
echo "Guías $guias: etiquetas.pdf"
