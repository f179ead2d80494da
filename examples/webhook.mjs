// Recibe los mensajes de un webhook y guarda sus eventos. Node.js 20 o posterior, sin paquetes.
//   SECRETO=whsec_… PUERTO=8080 CARPETA=eventos node examples/webhook.mjs
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

const { SECRETO = '', PUERTO = '8080', CARPETA = 'eventos' } = process.env;

//#region firma
function esAutentico(headers, cuerpo, secreto) {
  const { 'webhook-id': id, 'webhook-timestamp': hora, 'webhook-signature': firmas = '' } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(hora)) <= 300)) return false;
  const clave = Buffer.from(secreto.replace('whsec_', ''), 'base64');
  const suma = createHmac('sha256', clave).update(`${id}.${hora}.${cuerpo}`).digest('base64');
  const buena = Buffer.from(`v1,${suma}`);
  return firmas.split(' ').some((firma) => {
    const dada = Buffer.from(firma);
    return dada.length === buena.length && timingSafeEqual(dada, buena);
  });
}
//#endregion

/** Cada evento es un archivo. Usted tendrá una tabla, con SEND_GUIA e Id como clave: Id se repite entre guías. */
function guardar(evento) {
  const clave = createHash('sha256').update(`${evento.SEND_GUIA} ${evento.Id}`).digest('hex');
  const archivo = join(CARPETA, `${clave}.json`);
  if (existsSync(archivo)) return; // el mensaje se repitió
  mkdirSync(CARPETA, { recursive: true });
  writeFileSync(`${archivo}.nuevo`, JSON.stringify(evento));
  renameSync(`${archivo}.nuevo`, archivo); // está completo, o no está
  process.stdout.write(`${evento.Id} ${evento.SEND_GUIA} ${evento.SEND_ESTATUS}\n`);
}

/** Da el estatus de la respuesta. Solo guarda: lo que tarda, hágalo después. */
async function recibir(solicitud) {
  const partes = [];
  for await (const parte of solicitud) partes.push(parte);
  const cuerpo = Buffer.concat(partes).toString();
  if (!esAutentico(solicitud.headers, cuerpo, SECRETO)) return 401;
  const { type, data } = JSON.parse(cuerpo);
  // De los tipos que no conoce no haga nada: habrá otros.
  if (type === 'guias.eventos') data.Eventos.forEach(guardar);
  return 204;
}

createServer(async (solicitud, respuesta) => {
  // Un error no acaba con el programa: con 500, el mensaje llega otra vez.
  const estatus = await recibir(solicitud).catch((error) => {
    process.stderr.write(`${error.stack}\n`);
    return 500;
  });
  respuesta.writeHead(estatus).end();
}).listen(Number(PUERTO), '127.0.0.1');
