import { Type } from 'typebox';
import type { ErrorCode } from '#shared/errors/domain-error.ts';
import { toWarnings } from '#shared/http/http-errors.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { apiUser } from '../accounts/hooks/authenticate.ts';
import { addRateLimit } from '../accounts/hooks/limit-requests.ts';
import { GuideSummary, summaryOf } from '../guides/guide-summary.ts';
import { GuideParams } from '../guides/schemas.ts';
import { fieldError } from '../http/body.ts';
import { idempotencyHeader, idempotencyKeyOf, REPLAYED_HEADER } from '../http/idempotency.ts';
import { BODY_ERRORS, operation } from '../http/operation.ts';
import { abortSignalOf } from '../http/response-end.ts';
import { describeHeaders } from '../http/responses.ts';
import { listParameters, NextCursor, WARNINGS } from '../http/schemas.ts';
import { missingMeasures } from '../quotes/parcel.ts';
import { toOption } from '../quotes/quote.ts';
import QUOTE_EXAMPLE from '../quotes/quote-example.json' with { type: 'json' };
import { quotePlaced } from '../quotes/quote-guides.ts';
import { createReturn, planOf } from './create-return.ts';
import { listReturns } from './list-returns.ts';
import type { ReturnsContext } from './open.ts';
import { UNSCANNED_DAYS } from './return.ts';
import { ListedReturn, RETURN_EXAMPLE, ReturnBody, ReturnQuote, ReturnQuoteBody } from './schemas.ts';

const PLAN_ERRORS = [
  ...(['invalid-json'] as const),
  ...(['field-required', 'field-type', 'field-invalid', 'field-too-long', 'field-unknown'] as const),
  ...(['guide-not-found', 'return-of-return', 'guide-cancelled', 'guide-not-delivered'] as const),
  ...(['guide-anonymised', 'destination-invalid'] as const),
  ...(['return-without-origin', 'return-without-destination', 'return-without-address'] as const),
  ...BODY_ERRORS,
] as const satisfies ErrorCode[];

const creation = operation({
  id: 'crearDevolucion',
  tag: 'Devoluciones',
  summary: 'Crear la guía con la que vuelve un paquete',
  description:
    'De la sucursal donde terminó la guía al domicilio de su remitente, o a una sucursal. Una guía tiene una devolución abierta; si se cancela, puede tener otra. ' +
    `Siempre tiene su precio, que se cobra en el mes de su primer evento: la que nadie escanea no cuesta, y se cancela a los ${UNSCANNED_DAYS} días.`,
  permission: 'guias.create',
  action: 'create',
  request: {
    params: GuideParams,
    body: ReturnBody,
    headers: Type.Object({ 'idempotency-key': idempotencyHeader }),
  },
  validatedBy: 'handler',
  errors: [
    ...PLAN_ERRORS,
    ...(['return-exists', 'quote-invalid', 'quote-expired', 'quote-withdrawn', 'quote-different'] as const),
    ...(['too-many-guides-today', 'idempotency-key-invalid', 'return-unknown'] as const),
  ],
  data: {
    name: 'DevolucionCreada',
    message: 'Devolucion creada',
    schema: GuideSummary,
    beside: WARNINGS,
    headers: describeHeaders({
      [REPLAYED_HEADER]: 'true: la devolución es de una solicitud anterior con la misma Idempotency-Key',
    }),
    example: RETURN_EXAMPLE,
  },
});

function creationRoute(server: HttpServer, context: ReturnsContext): void {
  server.post('/api/guias/:guia/devolucion', creation, async (request, reply) => {
    const { guide, repeated, limit, warnings } = await createReturn(context, {
      number: request.params.guia,
      body: request.body,
      user: apiUser(request),
      idempotencyKey: idempotencyKeyOf(request),
      requestId: request.id,
      signal: abortSignalOf(reply),
    });
    if (limit) addRateLimit(reply, limit);
    if (repeated) reply.header(REPLAYED_HEADER, 'true');
    return { ...creation.ok(summaryOf(guide)), ...toWarnings(context.errorTable, warnings) };
  });
}

const quotation = operation({
  id: 'cotizarDevolucion',
  tag: 'Devoluciones',
  summary: 'Cotizar una devolución',
  description:
    'Qué cuesta que el paquete vuelva, aunque todavía no se entregue. No guarda nada. Con su `Cotizacion`, la devolución cuesta eso hasta `Vence`.',
  permission: 'guias.quote',
  action: 'quote',
  request: { params: GuideParams, body: ReturnQuoteBody },
  validatedBy: 'handler',
  errors: [...PLAN_ERRORS.filter((code) => code !== 'guide-not-delivered'), 'no-tariff', 'parcel-too-large'],
  data: {
    name: 'CotizacionDeUnaDevolucion',
    message: 'Cotizacion de la devolucion',
    schema: ReturnQuote,
    beside: WARNINGS,
    example: {
      ...{ SEND_SUCU_ORIG: QUOTE_EXAMPLE.SEND_SUCU_DEST, SEND_SUCU_DEST: QUOTE_EXAMPLE.SEND_SUCU_ORIG },
      Opciones: QUOTE_EXAMPLE.Opciones.slice(0, 1) as never,
    },
  },
});

function quotationRoute(server: HttpServer, context: ReturnsContext): void {
  const { localTime, quoteTokens, errorTable } = context;
  server.post('/api/guias/:guia/devolucion/cotizar', quotation, async (request, reply) => {
    const user = apiUser(request);
    const { plan, warnings } = await planOf(context, {
      number: request.params.guia,
      body: request.body,
      user,
      requestId: request.id,
      signal: abortSignalOf(reply),
    });
    const { service, origin, destination, guide } = plan;
    const [missing] = missingMeasures(guide);
    if (missing) throw fieldError(`Producto.${missing}`, 'field-required');
    const [quoted] = await quotePlaced(
      context,
      user,
      [service],
      [{ guide: guide as never, origin, destination }],
    );
    const options = (quoted?.quotes ?? []).map((quote) =>
      toOption(quote, quoteTokens.sign(user.account, quote), localTime),
    );
    const ends = { SEND_SUCU_ORIG: origin.Codigo, SEND_SUCU_DEST: destination.branch.Codigo };
    return { ...quotation.ok({ ...ends, Opciones: options }), ...toWarnings(errorTable, warnings) };
  });
}

const listing = operation({
  id: 'listarDevoluciones',
  tag: 'Devoluciones',
  summary: 'Listar las devoluciones de la cuenta',
  description:
    'De la más nueva a la más vieja, como las guías: siga con `cursor` igual a `siguiente` hasta que sea null. `Aviso` dice cuál viene de vuelta sin que su guía esté entregada.',
  permission: 'guias.read',
  action: 'read',
  readsMany: true,
  request: {
    querystring: Type.Object(listParameters('Devoluciones')),
  },
  data: {
    name: 'Devoluciones',
    message: (returns) => `Devoluciones: ${returns.length}`,
    schema: Type.Array(ListedReturn),
    beside: { siguiente: NextCursor },
    example: [RETURN_EXAMPLE],
  },
});

function listRoute(server: HttpServer, context: ReturnsContext): void {
  server.get('/api/devoluciones', listing, async (request) => {
    const { account } = apiUser(request);
    const { rows, cursor } = await listReturns(context, account, request.query);
    return { ...listing.ok(rows), siguiente: cursor };
  });
}

/** `/api/guias/{guia}/devolucion` and `/api/devoluciones` (docs/contract.md "Returns"). */
export function returnRoutes(server: HttpServer, context: ReturnsContext): void {
  creationRoute(server, context);
  quotationRoute(server, context);
  listRoute(server, context);
}
