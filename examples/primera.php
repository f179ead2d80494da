<?php
// Entra, crea una guía e imprime su etiqueta, con lo menos que hace falta. PHP 8.0 o posterior, sin paquetes ni extensiones.
//   php examples/primera.php
//#region entrar
$api = 'http://127.0.0.1:3000';
$quien = ['X-Username: prueba', 'X-Password: demo1234'];
$http = ['method' => 'POST', 'header' => $quien];
$entrada = file_get_contents("$api/api/auth/login", false, stream_context_create(['http' => $http]));
$token = json_decode($entrada, true)['data']['access_token'];
//#endregion

//#region primeraGuia
$solicitud = [
    'TipoServicio' => 'Domicilio',
    'Guia' => [
        [
            'Remitente' => ['Nombre' => 'Ana López'],
            'Destinatario' => [
                'Nombre' => 'Luis Pérez',
                'Calle' => 'Av. Juárez',
                'Numero_exterior' => '800',
                'Colonia' => 'Centro',
                'Municipio' => 'Monterrey',
                'Estado' => 'Nuevo León',
                'CodigoPostal' => '64000',
            ],
            'Producto' => ['Contenido' => 'Libros'],
            'Creado_por' => (object) [], // {} y no []
        ],
    ],
];
$headers = ["Authorization: Bearer $token", 'Content-Type: application/json', 'Idempotency-Key: pedido-1042'];
$http = ['method' => 'POST', 'header' => $headers, 'content' => json_encode($solicitud)];
$respuesta = file_get_contents("$api/api/guias/crear", false, stream_context_create(['http' => $http]));
echo $respuesta, "\n";
$guia = json_decode($respuesta, true)['data'][0]['SEND_GUIA'];
//#endregion

//#region primeraEtiqueta
$http = ['header' => ["Authorization: Bearer $token"]];
$etiqueta = file_get_contents("$api/api/guias/etiqueta/$guia", false, stream_context_create(['http' => $http]));
file_put_contents('guia.pdf', $etiqueta);
//#endregion
