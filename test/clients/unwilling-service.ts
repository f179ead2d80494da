import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An answer, or a connection that is cut. */
type Answer = { status: number; headers?: Record<string, string>; body: object } | 'cut';

const refusal = (status: number, codigo: string, seconds?: number): Answer => ({
  status,
  ...(seconds !== undefined && { headers: { 'retry-after': String(seconds) } }),
  body: { response: 'ERROR', message: codigo, codigo, requestId: 'x' },
});
const success = (data: unknown): Answer => ({ status: 200, body: { response: 'OK', message: '', data } });
const GUIDE = {
  ...{ SEND_GUIA: 'MX1', SEND_SUCU_ORIG: 'MEX01', SEND_SUCU_DEST: 'MTY01', SEND_ESTATUS: 'Documentado' },
  ...{ SEND_FECHA: '2026-11-21T05:54:41', SEND_REMITENTE: 'Ana', SEND_DESTINATARIO: 'Luis' },
  ...{ SEND_FLETE: 0, SEND_TOTAL: 0 },
};
const HOOK = {
  Id: 'hook',
  Url: 'https://tienda.example',
  Descripcion: '',
  Activo: true,
  Tipos: [],
  Secreto: 'x',
};

/** What a path answers, one after the other; the last one from then on. */
const ANSWERS: Record<string, Answer[]> = {
  '/api/guias/crear': [
    refusal(503, 'resultado_desconocido', 1),
    'cut',
    refusal(429, 'cuota_excedida', 0),
    success([GUIDE]),
  ],
  '/api/guias/busy': [...Array.from({ length: 5 }, () => refusal(503, 'saturado', 0)), success(GUIDE)],
  '/api/guias/later': [refusal(503, 'saturado', 40_000)],
  '/api/guias/tomorrow': [refusal(429, 'cuota_excedida', 40_000)],
  '/api/auth/login': [success({ access_token: 'x' })],
  '/api/guias/expired': [refusal(401, 'token_expirado'), success(GUIDE)],
  '/api/guias/wrong': [refusal(400, 'parametro_invalido')],
  '/api/webhooks': ['cut', refusal(503, 'servicio_no_disponible', 0), success(HOOK)],
  '/api/guias/played/simular': [refusal(503, 'resultado_desconocido', 0)],
};

/** Starts a service that refuses what it is asked, as the real one does at its worst. */
export async function startUnwilling() {
  /** The headers of the requests to each path. */
  const asked = new Map<string, IncomingHttpHeaders[]>();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const requests = asked.get(path) ?? [];
    asked.set(path, [...requests, request.headers]);
    const answers = ANSWERS[path] ?? [refusal(404, 'ruta_no_encontrada')];
    const answer = answers[requests.length] ?? answers.at(-1) ?? 'cut';
    request.resume().once('end', () => {
      if (answer === 'cut') return void request.socket.destroy();
      const headers = { 'content-type': 'application/json', ...answer.headers };
      response.writeHead(answer.status, headers).end(JSON.stringify(answer.body));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
