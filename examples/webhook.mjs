// Recibe los mensajes de un webhook y escribe sus eventos. Node.js 20 o posterior, sin paquetes.
//   SECRETO=whsec_… PUERTO=8080 node examples/webhook.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const { SECRETO = '', PUERTO = '8080' } = process.env;

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

/** Los que ya llegaron. Usted tendrá una tabla, con SEND_GUIA e Id como clave: Id se repite entre guías. */
const conocidos = new Set();

function guardar(evento) {
  const clave = `${evento.SEND_GUIA} ${evento.Id}`;
  if (conocidos.has(clave)) return; // el mensaje se repitió
  conocidos.add(clave);
  process.stdout.write(`${evento.Id} ${evento.SEND_GUIA} ${evento.SEND_ESTATUS}\n`);
}

async function recibir(solicitud, respuesta) {
  const partes = [];
  for await (const parte of solicitud) partes.push(parte);
  const cuerpo = Buffer.concat(partes).toString();
  if (!esAutentico(solicitud.headers, cuerpo, SECRETO)) return respuesta.writeHead(401).end();
  // Guarde los eventos y responda; lo que tarda, hágalo después. De otro tipo de mensaje no haga nada.
  const { type, data } = JSON.parse(cuerpo);
  if (type === 'guias.eventos') data.Eventos.forEach(guardar);
  respuesta.writeHead(204).end();
}

createServer((solicitud, respuesta) => {
  // Una conexión que se corta no acaba con el programa.
  recibir(solicitud, respuesta).catch(() => respuesta.destroy());
}).listen(Number(PUERTO), '127.0.0.1');
