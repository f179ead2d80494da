<?php
// Recibe los mensajes de un webhook y escribe sus eventos. PHP 8.0 o posterior, sin paquetes.
//   SECRETO=whsec_… CARPETA=eventos php -S 127.0.0.1:8080 examples/webhook.php

function esAutentico(array $server, string $cuerpo, string $secreto): bool
{
    $hora = $server['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!ctype_digit($hora) || abs(time() - (int) $hora) > 300) {
        return false;
    }
    $clave = base64_decode(str_replace('whsec_', '', $secreto));
    $firmado = ($server['HTTP_WEBHOOK_ID'] ?? '') . ".$hora.$cuerpo";
    $buena = 'v1,' . base64_encode(hash_hmac('sha256', $firmado, $clave, true));
    foreach (explode(' ', $server['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $firma) {
        if (hash_equals($buena, $firma)) {
            return true;
        }
    }
    return false;
}

/** Cada evento es un archivo. Usted tendrá una tabla, con SEND_GUIA e Id como clave: Id se repite entre guías. */
function guardar(array $evento): void
{
    $carpeta = getenv('CARPETA') ?: 'eventos';
    if (!is_dir($carpeta)) {
        mkdir($carpeta);
    }
    $archivo = "$carpeta/" . hash('sha256', "{$evento['SEND_GUIA']} {$evento['Id']}") . '.json';
    if (file_exists($archivo)) {
        return; // el mensaje se repitió
    }
    if (file_put_contents($archivo, json_encode($evento)) === false) {
        http_response_code(500); // llegará otra vez
        exit;
    }
    file_put_contents('php://stdout', "{$evento['Id']} {$evento['SEND_GUIA']} {$evento['SEND_ESTATUS']}\n");
}

$cuerpo = file_get_contents('php://input');
if (!esAutentico($_SERVER, $cuerpo, getenv('SECRETO') ?: '')) {
    http_response_code(401);
    exit;
}
// Guarde los eventos y responda; lo que tarda, hágalo después. De otro tipo de mensaje no haga nada.
$mensaje = json_decode($cuerpo, true);
if ($mensaje['type'] === 'guias.eventos') {
    foreach ($mensaje['data']['Eventos'] as $evento) {
        guardar($evento);
    }
}
http_response_code(204);
