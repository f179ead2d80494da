import { Type } from 'typebox';
import type { HttpServer } from '#shared/http/http-server.ts';
import { apiUser } from '../accounts/hooks/authenticate.ts';
import { fieldError } from '../http/body.ts';
import { CURSOR_PATTERN, MAX_PAGE, USUAL_PAGE } from '../http/list-parameters.ts';
import { operation } from '../http/operation.ts';
import { CURSOR_RULE } from '../http/parameter-rules.ts';
import { listParameters, NextCursor, pageParameters } from '../http/schemas.ts';
import { decodeCursor, encodeCursor, FEED_CURSOR } from '../tracking/read-events.ts';
import type { CodContext } from './open.ts';
import { listCollected, listRemittances, readRemittance } from './read-collections.ts';
import {
  COLLECTED_EXAMPLE,
  COMPLETE_REMITTANCE_EXAMPLE,
  CollectedAnswer,
  CompleteRemittance,
  REMITTANCE_EXAMPLE,
  REMITTANCE_PARAMS,
  RemittanceAnswer,
} from './schemas.ts';

const listing = operation({
  id: 'listarCobros',
  tag: 'Cobros',
  summary: 'Listar lo que se cobró al entregar',
  description:
    'De las guías que se crearon para la cuenta y que se entregaron o se devolvieron, o de las que se cobró algo; de la más ' +
    'nueva a la más vieja: siga con `cursor` igual a `siguiente` hasta que sea null.',
  permission: 'guias.cobro',
  action: 'read',
  readsMany: true,
  request: {
    querystring: Type.Object(
      listParameters('Guías', {
        diferencia: Type.Optional(
          Type.Enum(['si'], { type: 'string', description: 'Solo las que tienen `Diferencia`' }),
        ),
      }),
    ),
  },
  data: {
    name: 'Cobros',
    message: (collected) => `Cobros: ${collected.length}`,
    schema: Type.Array(CollectedAnswer),
    beside: {
      siguiente: NextCursor,
      porLiquidar: Type.Optional(
        Type.Number({ description: 'MXN, todo lo cobrado que aún no se le paga', examples: [1250] }),
      ),
    },
    example: [COLLECTED_EXAMPLE],
  },
});

function listRoute(server: HttpServer, context: CodContext): void {
  server.get('/api/cobros', listing, async (request) => {
    const { diferencia, ...query } = request.query;
    const asked = { ...query, diferencia: diferencia === 'si' };
    const { collected, cursor, owed } = await listCollected(context, apiUser(request), asked);
    return { ...listing.ok(collected), siguiente: cursor, porLiquidar: owed };
  });
}

const remittances = operation({
  id: 'listarLiquidaciones',
  tag: 'Cobros',
  summary: 'Listar las liquidaciones de la cuenta',
  description: 'De la más nueva a la más vieja: siga con `cursor` igual a `siguiente` hasta que sea null.',
  permission: 'guias.cobro',
  action: 'read',
  readsMany: true,
  request: {
    querystring: Type.Object(pageParameters('Liquidaciones', MAX_PAGE, USUAL_PAGE, CURSOR_PATTERN)),
  },
  data: {
    name: 'Liquidaciones',
    message: (found) => `Liquidaciones: ${found.length}`,
    schema: Type.Array(RemittanceAnswer),
    beside: { siguiente: NextCursor },
    example: [REMITTANCE_EXAMPLE],
  },
});

function remittancesRoute(server: HttpServer, context: CodContext): void {
  server.get('/api/liquidaciones', remittances, async (request) => {
    const found = await listRemittances(context, apiUser(request).account, request.query);
    return { ...remittances.ok(found.remittances), siguiente: found.cursor };
  });
}

const reading = operation({
  id: 'obtenerLiquidacion',
  tag: 'Cobros',
  summary: 'Obtener una liquidación con sus movimientos',
  description: 'En el orden en que se registraron: siga con `cursor` igual a `siguiente` hasta que sea null.',
  permission: 'guias.cobro',
  action: 'read',
  readsMany: true,
  request: {
    params: REMITTANCE_PARAMS,
    querystring: Type.Object(pageParameters('Movimientos', MAX_PAGE, USUAL_PAGE, FEED_CURSOR)),
  },
  errors: ['remittance-not-found'],
  data: {
    name: 'LiquidacionEncontrada',
    message: 'Liquidacion encontrada',
    schema: CompleteRemittance,
    beside: { siguiente: NextCursor },
    example: COMPLETE_REMITTANCE_EXAMPLE,
  },
});

function remittanceRoute(server: HttpServer, context: CodContext): void {
  server.get('/api/liquidaciones/:liquidacion', reading, async (request) => {
    const { cursor, limite: limit = USUAL_PAGE } = request.query;
    const from = cursor === undefined ? undefined : decodeCursor(cursor);
    if (cursor !== undefined && from === undefined)
      throw fieldError('cursor', 'parameter-invalid', { rule: CURSOR_RULE });
    const { account } = apiUser(request);
    const { liquidacion } = request.params;
    const { next, ...found } = await readRemittance(context, account, liquidacion, { from, limit });
    return { ...reading.ok(found), siguiente: next === undefined ? null : encodeCursor(next) };
  });
}

/** `GET /api/cobros`, and the remittances (docs/contract.md "Cash on delivery"). */
export function codRoutes(server: HttpServer, context: CodContext): void {
  listRoute(server, context);
  remittancesRoute(server, context);
  remittanceRoute(server, context);
}
