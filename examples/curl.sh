#!/bin/sh
# Cotiza dos envíos, los crea con su precio, los imprime en un solo PDF y lista los que esperan.
#   API=https://guias.example LLAVE=gk_live_… PEDIDO=1042 sh examples/curl.sh
set -eu
: "${API:=http://127.0.0.1:3000}" "${PEDIDO:=$(date +%s)}"
: "${LLAVE:?falta. $API/api/docs/llaves dice cómo crear una}"

#region repetir
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
#endregion

#region cotizar
# A domicilio hay una opción por envío: la segunda cotización es la del segundo.
cotizadas=$(pedir "$API/api/guias/cotizar" -H "Authorization: Bearer $LLAVE" -H 'Content-Type: application/json' -d '{
  "TipoServicio": "Domicilio",
  "Guia": [
    { "Destinatario": { "CodigoPostal": "64000" },
      "Producto": { "Peso": 2.5, "Largo": 30, "Alto": 20, "Ancho": 15 } },
    { "Destinatario": { "CodigoPostal": "44100" },
      "Producto": { "Peso": 1, "Largo": 30, "Alto": 21, "Ancho": 5, "Paquetes": 2 } }
  ]
}')
#endregion

#region crear
cotizacion() { echo "$cotizadas" | grep -o '"Cotizacion":"[^"]*"' | cut -d '"' -f 4 | sed -n "$1p"; }
# La clave nombra la solicitud: repetida con ella, no crea otras guías.
creadas=$(pedir "$API/api/guias/crear" -H "Authorization: Bearer $LLAVE" \
  -H 'Content-Type: application/json' -H "Idempotency-Key: pedido-$PEDIDO" -d '{
  "TipoServicio": "Domicilio",
  "Guia": [
    { "Referencia": "'"$PEDIDO"'-1", "Remitente": { "Nombre": "Ana López" }, "Creado_por": {},
      "Cotizacion": "'"$(cotizacion 1)"'",
      "Destinatario": { "Nombre": "Luis Pérez", "Calle": "Av. Juárez", "Numero_exterior": "800", "Colonia": "Centro",
        "Municipio": "Monterrey", "Estado": "Nuevo León", "CodigoPostal": "64000" },
      "Producto": { "Contenido": "Libros", "Peso": 2.5, "Largo": 30, "Alto": 20, "Ancho": 15 } },
    { "Referencia": "'"$PEDIDO"'-2", "Remitente": { "Nombre": "Ana López" }, "Creado_por": {},
      "Cotizacion": "'"$(cotizacion 2)"'",
      "Destinatario": { "Nombre": "Rosa Díaz", "Calle": "Av. Hidalgo", "Numero_exterior": "400",
        "Colonia": "Guadalajara Centro", "Municipio": "Guadalajara", "Estado": "Jalisco", "CodigoPostal": "44100" },
      "Producto": { "Contenido": "Cuadernos", "Peso": 1, "Largo": 30, "Alto": 21, "Ancho": 5, "Paquetes": 2 } }
  ]
}')
guias=$(echo "$creadas" | grep -o '"SEND_GUIA":"[0-9]*"' | cut -d: -f2 | paste -sd, -)
#endregion

#region imprimir
pedir "$API/api/guias/etiquetas" -H "Authorization: Bearer $LLAVE" -H 'Content-Type: application/json' \
  -d '{ "Guias": ['"$guias"'], "Tipo": "pequena" }' > etiquetas.pdf
#endregion
totales=$(echo "$cotizadas" | grep -o '"SEND_TOTAL":[0-9.]*' | cut -d: -f2 | paste -sd' ' -)
echo "Guías $guias, por $totales pesos: etiquetas.pdf"

#region listar
documentadas= cursor=
while :; do
  pagina=$(pedir "$API/api/guias?estatus=Documentado&limite=500$cursor" -H "Authorization: Bearer $LLAVE")
  documentadas="$documentadas $(echo "$pagina" | grep -o '"SEND_GUIA":"[0-9]*"' | cut -d '"' -f 4)"
  siguiente=$(echo "$pagina" | sed -n 's/.*"siguiente":"\([^"]*\)".*/\1/p') # null no tiene comillas
  [ "$siguiente" ] || break
  cursor="&cursor=$siguiente"
done
#endregion
echo Esperan: $documentadas
