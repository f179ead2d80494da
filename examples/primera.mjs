// Entra, crea una guía e imprime su etiqueta, con lo menos que hace falta. Node.js 20 o posterior, sin paquetes.
//   node examples/primera.mjs
//#region entrar
import { writeFile } from 'node:fs/promises';

const API = 'http://127.0.0.1:3000';
const entrada = await fetch(`${API}/api/auth/login`, {
  method: 'POST',
  headers: { 'X-Username': 'prueba', 'X-Password': 'demo1234' },
});
const TOKEN = (await entrada.json()).data.access_token;
//#endregion

//#region primeraGuia
const creacion = await fetch(`${API}/api/guias/crear`, {
  method: 'POST',
  headers: {
    Authorization: `Bearer ${TOKEN}`,
    'Content-Type': 'application/json',
    'Idempotency-Key': 'pedido-1042',
  },
  body: JSON.stringify({
    TipoServicio: 'Domicilio',
    Guia: [
      {
        Remitente: { Nombre: 'Ana López' },
        Destinatario: {
          Nombre: 'Luis Pérez',
          Calle: 'Av. Juárez',
          Numero_exterior: '800',
          Colonia: 'Centro',
          Municipio: 'Monterrey',
          Estado: 'Nuevo León',
          CodigoPostal: '64000',
        },
        Producto: { Contenido: 'Libros' },
        Creado_por: {},
      },
    ],
  }),
});
const respuesta = await creacion.text();
process.stdout.write(`${respuesta}\n`);
const GUIA = JSON.parse(respuesta).data[0].SEND_GUIA;
//#endregion

//#region primeraEtiqueta
const etiqueta = await fetch(`${API}/api/guias/etiqueta/${GUIA}`, {
  headers: { Authorization: `Bearer ${TOKEN}` },
});
await writeFile('guia.pdf', Buffer.from(await etiqueta.arrayBuffer()));
//#endregion
