<?php
// Cotiza dos envíos, los crea con su precio, los imprime en un solo PDF y lista los que esperan. PHP 8.0 o posterior, sin paquetes ni extensiones.
//   API=https://guias.example LLAVE=gk_live_… PEDIDO=1042 php examples/php.php
$api = getenv('API') ?: 'http://127.0.0.1:3000';
$llave = getenv('LLAVE');
$pedido = getenv('PEDIDO') ?: uniqid();
if (!$llave) {
    fwrite(STDERR, "Falta LLAVE: $api/api/docs/llaves dice cómo crear una\n");
    exit(1);
}

//#region repetir
/**
 * Repite tras 408, 429, 5xx y conexiones sin respuesta o cortadas; lo demás no cambia por repetir.
 * PHP no avisa de una respuesta cortada: se nota en que no acaba en $final.
 */
function pedir(string $url, array $headers, ?string $cuerpo = null, string $final = '}'): string
{
    $http = ['header' => $headers, 'timeout' => 30, 'ignore_errors' => true];
    $http += $cuerpo === null ? [] : ['method' => 'POST', 'content' => $cuerpo];
    for ($intento = 1; $intento <= 5; $intento++) {
        $http_response_header = [];
        $respuesta = (string) @file_get_contents($url, false, stream_context_create(['http' => $http]));
        $recibidos = implode("\n", $http_response_header);
        $estado = preg_match('/^HTTP\S+ (\d+)/', $recibidos, $partes) ? (int) $partes[1] : 0;
        if ($estado === 200 && str_ends_with(rtrim($respuesta), $final)) {
            return $respuesta;
        }
        if (!in_array($estado, [0, 200, 408, 429]) && $estado < 500) {
            break;
        }
        sleep(preg_match('/^retry-after: *(\d+)/mi', $recibidos, $partes) ? (int) $partes[1] : $intento);
    }
    fwrite(STDERR, "Respuesta $estado: $respuesta\n");
    exit(1);
}
//#endregion

function guia(string $referencia, array $destinatario, array $producto): array
{
    return [
        'Referencia' => $referencia,
        'Remitente' => ['Nombre' => 'Ana López'],
        'Destinatario' => $destinatario,
        'Producto' => $producto,
        'Creado_por' => (object) [], // {} y no []
    ];
}

$headers = ["Authorization: Bearer $llave", 'Content-Type: application/json'];

$luis = [
    'Nombre' => 'Luis Pérez',
    'Calle' => 'Av. Juárez',
    'Numero_exterior' => '800',
    'Colonia' => 'Centro',
    'Municipio' => 'Monterrey',
    'Estado' => 'Nuevo León',
    'CodigoPostal' => '64000',
];
$rosa = [
    'Nombre' => 'Rosa Díaz',
    'Calle' => 'Av. Hidalgo',
    'Numero_exterior' => '400',
    'Colonia' => 'Guadalajara Centro',
    'Municipio' => 'Guadalajara',
    'Estado' => 'Jalisco',
    'CodigoPostal' => '44100',
];
$libros = ['Contenido' => 'Libros', 'Peso' => 2.5, 'Largo' => 30, 'Alto' => 20, 'Ancho' => 15];
$cuadernos = ['Contenido' => 'Cuadernos', 'Peso' => 1, 'Largo' => 30, 'Alto' => 21, 'Ancho' => 5, 'Paquetes' => 2];
$solicitud = [
    'TipoServicio' => 'Domicilio',
    'Guia' => [
        guia("$pedido-1", $luis, $libros),
        guia("$pedido-2", $rosa, $cuadernos),
    ],
];

//#region cotizar
// Para cotizar basta la misma solicitud. Cada guía recibe su precio; de un solo TipoServicio hay una opción.
$cotizadas = json_decode(pedir("$api/api/guias/cotizar", $headers, json_encode($solicitud)), true)['data'];
//#endregion

//#region crear
$totales = [];
foreach ($cotizadas as $indice => $cotizada) {
    $opcion = $cotizada['Opciones'][0];
    $solicitud['Guia'][$indice]['Cotizacion'] = $opcion['Cotizacion'];
    $totales[] = $opcion['SEND_TOTAL'];
}

// La clave nombra la solicitud: repetida con ella, no crea otras guías.
$creadas = pedir("$api/api/guias/crear", [...$headers, "Idempotency-Key: pedido-$pedido"], json_encode($solicitud));
$numeros = array_column(json_decode($creadas, true)['data'], 'SEND_GUIA');
//#endregion

//#region imprimir
$pdf = pedir("$api/api/guias/etiquetas", $headers, json_encode(['Guias' => $numeros, 'Tipo' => 'pequena']), '%%EOF');
file_put_contents('etiquetas.pdf', $pdf);
//#endregion
echo 'Guías ', implode(', ', $numeros), ', por ', implode(' y ', $totales), " pesos: etiquetas.pdf\n";

//#region listar
$documentadas = [];
$cursor = '';
do {
    $pagina = json_decode(pedir("$api/api/guias?estatus=Documentado&limite=500$cursor", $headers), true);
    array_push($documentadas, ...array_column($pagina['data'], 'SEND_GUIA'));
    $cursor = "&cursor={$pagina['siguiente']}";
} while ($pagina['siguiente']);
//#endregion
echo 'Esperan: ', implode(' ', $documentadas), "\n";
