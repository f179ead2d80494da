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

createServer(async (solicitud, respuesta) => {
  const partes = [];
  for await (const parte of solicitud) partes.push(parte);
  const cuerpo = Buffer.concat(partes).toString();
  if (!esAutentico(solicitud.headers, cuerpo, SECRETO)) return respuesta.writeHead(401).end();
  // Guarde los eventos y responda; lo que tarda, hágalo después. Un Id que ya tiene es una repetición.
  for (const evento of JSON.parse(cuerpo).data.Eventos) {
    process.stdout.write(`${evento.Id} ${evento.SEND_GUIA} ${evento.SEND_ESTATUS}\n`);
  }
  respuesta.writeHead(204).end();
}).listen(Number(PUERTO), '127.0.0.1');
