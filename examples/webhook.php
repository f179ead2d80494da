<?php
// Recibe los mensajes de un webhook y guarda sus eventos. PHP 8.0 o posterior, sin paquetes.
//   SECRETO=whsec_… CARPETA=eventos php -S 127.0.0.1:8080 examples/webhook.php

//#region firma
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
//#endregion

/** Cada evento es un archivo. Usted tendrá una tabla, con SEND_GUIA e Id como clave: Id se repite entre guías. */
function guardar(array $evento): void
{
    $carpeta = getenv('CARPETA') ?: 'eventos';
    $archivo = "$carpeta/" . hash('sha256', "{$evento['SEND_GUIA']} {$evento['Id']}") . '.json';
    if (file_exists($archivo)) {
        return; // el mensaje se repitió
    }
    if (!is_dir($carpeta)) {
        mkdir($carpeta);
    }
    $nuevo = tempnam($carpeta, 'nuevo');
    file_put_contents($nuevo, json_encode($evento));
    rename($nuevo, $archivo); // está completo, o no está
    file_put_contents('php://stdout', "{$evento['Id']} {$evento['SEND_GUIA']} {$evento['SEND_ESTATUS']}\n");
}

/** Da el estatus de la respuesta. Solo guarda: lo que tarda, hágalo después. */
function recibir(string $cuerpo): int
{
    if (!esAutentico($_SERVER, $cuerpo, getenv('SECRETO') ?: '')) {
        return 401;
    }
    $mensaje = json_decode($cuerpo, true);
    // De los tipos que no conoce no haga nada: habrá otros.
    if ($mensaje['type'] === 'guias.eventos') {
        foreach ($mensaje['data']['Eventos'] as $evento) {
            guardar($evento);
        }
    }
    return 204;
}

// Una advertencia de PHP saldría en la respuesta, con 200, y el evento se perdería: aquí es un error.
set_error_handler(fn(int $nivel, string $texto) => throw new ErrorException($texto));
try {
    http_response_code(recibir(file_get_contents('php://input')));
} catch (Throwable $error) {
    error_log($error);
    http_response_code(500); // el mensaje llega otra vez
}
