// Recibe los eventos por webhook, y comprueba la firma con la biblioteca de Standard Webhooks.
import { createServer, type IncomingMessage } from 'node:http';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { api, type Evento, exito } from './api.mts';
import { enTransaccion, guardarEventos, guardarValor, leerValor } from './base.mts';

const { PUERTO = '8080', URL_WEBHOOK = `http://127.0.0.1:${PUERTO}/` } = process.env;

/** Registra el webhook si no está. Si está, lo despierta: lo que esperaba llega ya. */
async function registrar(): Promise<void> {
  const { data: webhooks } = exito(await api.GET('/api/webhooks'));
  const propio = webhooks.find(({ Url }) => Url === URL_WEBHOOK);
  if (!propio) {
    const { data } = exito(await api.POST('/api/webhooks', { body: { Url: URL_WEBHOOK } }));
    return guardarValor('secreto', data.Secreto);
  }
  const params = { path: { id: propio.Id } };
  if (!leerValor('secreto')) {
    // La respuesta que lo traía se perdió.
    const { data } = exito(await api.POST('/api/webhooks/{id}/secreto', { params }));
    guardarValor('secreto', data.Secreto);
  }
  exito(await api.POST('/api/webhooks/{id}/activar', { params, body: {} }));
}

async function tomar(solicitud: IncomingMessage): Promise<number> {
  const cuerpo = Buffer.concat(await solicitud.toArray()).toString();
  try {
    const headers = solicitud.headers as Record<string, string>;
    const mensaje = new Webhook(leerValor('secreto') ?? '').verify(cuerpo, headers) as {
      type: string;
      data: { Eventos: Evento[] };
    };
    if (mensaje.type !== 'guias.eventos') return 204; // los tipos que vengan después
    const { Eventos } = mensaje.data;
    const nuevos = enTransaccion(() => guardarEventos(Eventos));
    process.stdout.write(`${nuevos} eventos nuevos, ${Eventos.length - nuevos} repetidos\n`);
    return 204;
  } catch (error) {
    return error instanceof WebhookVerificationError ? 401 : 500;
  }
}

export async function recibir(): Promise<void> {
  const servidor = createServer(async (solicitud, respuesta) => {
    // Una conexión que se corta no acaba con el programa.
    const estatus = await tomar(solicitud).catch(() => 500);
    respuesta.writeHead(estatus).end();
  });
  await new Promise<void>((listo) => servidor.listen(Number(PUERTO), '127.0.0.1', listo));
  await registrar();
  process.stdout.write(`Recibiendo en ${URL_WEBHOOK}\n`);
}
