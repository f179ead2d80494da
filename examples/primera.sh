#!/bin/sh
# Entra, crea una guía e imprime su etiqueta, con lo menos que hace falta. sh y curl.
#   sh examples/primera.sh
set -eu

#region entrar
API=http://127.0.0.1:3000
USUARIO=prueba
CLAVE=demo1234
TOKEN=$(curl -sS -X POST "$API/api/auth/login" \
  -H "X-Username: $USUARIO" -H "X-Password: $CLAVE" \
  | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
#endregion

#region primeraGuia
RESPUESTA=$(curl -sS "$API/api/guias/crear" -H "Authorization: Bearer $TOKEN" \
  -H 'Content-Type: application/json' -H 'Idempotency-Key: pedido-1042' -d '{
  "TipoServicio": "Domicilio",
  "Guia": [
    { "Remitente": { "Nombre": "Ana López" },
      "Destinatario": {
        "Nombre": "Luis Pérez", "Calle": "Av. Juárez", "Numero_exterior": "800",
        "Colonia": "Centro", "Municipio": "Monterrey", "Estado": "Nuevo León", "CodigoPostal": "64000" },
      "Producto": { "Contenido": "Libros" },
      "Creado_por": {} }
  ]
}')
echo "$RESPUESTA"
GUIA=$(echo "$RESPUESTA" | sed 's/.*"SEND_GUIA":"\([^"]*\)".*/\1/')
#endregion

#region primeraEtiqueta
curl -sS "$API/api/guias/etiqueta/$GUIA" -H "Authorization: Bearer $TOKEN" -o guia.pdf
#endregion
