import type { GuideDocument } from '#shared/guides/guide-model.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { Caller } from '../accounts/account-limits.ts';
import { apiUser } from '../accounts/hooks/authenticate.ts';
import { keepIfStillValid } from '../accounts/hooks/authorize.ts';
import { findGuide } from '../guides/guide-access.ts';
import { GuideParams } from '../guides/schemas.ts';
import { fieldError } from '../http/body.ts';
import { ignoreBodies } from '../http/ignored-body.ts';
import { operation } from '../http/operation.ts';
import { Nothing } from '../http/schemas.ts';
import { isPrintable, LINK_PATH } from './link.ts';
import type { ReturnsContext } from './open.ts';
import { LINK_DAYS, LINK_PRINTS_A_DAY } from './return.ts';
import { returnOf } from './return-facts.ts';
import { ReturnLink } from './schemas.ts';

const making = operation({
  id: 'crearEnlaceDeDevolucion',
  tag: 'Devoluciones',
  summary: 'Hacer un enlace con el que una persona imprime su devolución',
  description: `En lugar del que había. Sirve sin usuario ni contraseña, ${LINK_PRINTS_A_DAY} veces al día, hasta el primer escaneo, la cancelación, o ${LINK_DAYS} días. Quien lo tiene ve los dos domicilios de la etiqueta: mándelo solo a quien devuelve. El cuerpo se ignora.`,
  permission: 'guias.create',
  action: 'create',
  request: { params: GuideParams },
  errors: ['guide-not-found', 'return-not-found'],
  data: {
    name: 'EnlaceCreado',
    message: 'Enlace creado',
    schema: ReturnLink,
    example: {
      SEND_GUIA: '482913650724',
      Enlace: 'https://guias.example/devolver/Qm9sc2FkZVBydWViYXM',
      Vence: '2026-12-21T11:05:10.000Z',
    },
  },
});

const ending = operation({
  id: 'terminarEnlaceDeDevolucion',
  tag: 'Devoluciones',
  summary: 'Terminar el enlace de una devolución',
  description: 'Desde ese momento responde como uno que no existe. Repetir da la misma respuesta.',
  permission: 'guias.create',
  action: 'create',
  request: { params: GuideParams },
  errors: ['guide-not-found', 'return-not-found'],
  data: { name: 'EnlaceTerminado', message: 'Enlace terminado', schema: Nothing, example: null },
});

/** `/api/guias/{guia}/devolucion/enlace` (docs/contract.md "Returns"). */
export function linkRoutes(server: HttpServer, context: ReturnsContext): void {
  const { returns, config } = context;
  const PATH = '/api/guias/:guia/devolucion/enlace';
  ignoreBodies(server);
  server.post(PATH, making, async (request) => {
    const user = apiUser(request);
    const { _id } = await findReturn(context, request.params.guia, user);
    const { secret, endsAt } = await returns.newLink(_id, user.username);
    await keepIfStillValid(request, () => returns.endLink(_id));
    const site = config.PUBLIC_URL ?? `${request.protocol}://${request.host}`;
    const Enlace = `${site}${LINK_PATH}/${secret}`;
    return making.ok({ SEND_GUIA: _id, Enlace, Vence: endsAt.toISOString() });
  });
  server.delete(PATH, ending, async (request) => {
    const { _id } = await findReturn(context, request.params.guia, apiUser(request));
    await returns.endLink(_id);
    return ending.ok(null);
  });
}

/** Returns the return of a guide of the account that nobody has scanned yet. */
async function findReturn({ guides }: ReturnsContext, number: string, user: Caller): Promise<GuideDocument> {
  const original = await findGuide(guides, number, { ...user, permissions: [] });
  const back = returnOf(original);
  const guide = back === undefined ? undefined : await guides.find(back);
  if (!guide || !isPrintable(guide)) throw fieldError('guia', 'return-not-found');
  return guide;
}
