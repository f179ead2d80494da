import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { branchCode } from '#shared/branches/branch.ts';
import { formatCsv } from '#shared/commands/csv.ts';
import { toDetails } from '#shared/http/http-errors.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { audit } from '../accounts/hooks/audit.ts';
import { apiUser } from '../accounts/hooks/authenticate.ts';
import { fieldError } from '../http/body.ts';
import { ifNoneMatch } from '../http/etags.ts';
import { BODY_ERRORS, operation } from '../http/operation.ts';
import { BRANCH_RULE } from '../http/parameter-rules.ts';
import { describeHeaders, listErrors } from '../http/responses.ts';
import { describeSection } from '../http/schemas.ts';
import { documentResponses, sendDocument } from '../labels/document-route.ts';
import { countLabelFailure } from '../labels/label-request.ts';
import { isDate } from './calendar/windows.ts';
import { stateErrors } from './errors.ts';
import type { PickupsContext } from './open.ts';
import { csvOf, ofBranch, pickupsOfBranch, pickupsPayload } from './read-pickups.ts';
import { MAX_STATES, ReportedState, reportStates, type StateOutcome } from './report-states.ts';
import { ADDRESS_EXAMPLE, BranchPickup, PICKUP_EXAMPLE, StateResult } from './schemas.ts';

/** What the carrier's staff does with pick-ups of every account, with `recolecciones.admin`. */

const DATE_RULE = 'debe ser una fecha que existe, YYYY-MM-DD';
const request = {
  querystring: Type.Object({
    sucursal: Type.String({
      pattern: '^[A-Za-z0-9]{2,20}$',
      description: 'Código de la sucursal que recoge',
      examples: ['MTY01'],
      'x-regla': BRANCH_RULE,
    }),
    fecha: Type.String({
      pattern: '^\\d{4}-\\d\\d-\\d\\d$',
      description: 'Día de la sucursal',
      examples: ['2026-12-01'],
      'x-regla': DATE_RULE,
    }),
    ventana: Type.Optional(
      Type.String({
        pattern: '^([01]\\d|2[0-3]):[0-5]\\d$',
        description: 'Solo la ventana que empieza a esta hora; todas si falta',
        examples: ['09:00'],
        'x-regla': 'debe ser HH:MM',
      }),
    ),
  }),
};
type ListRequest = FastifyRequest & { query: Static<typeof request.querystring> };

/** Reads the list that a request asks for. */
async function listOf({ pickups }: PickupsContext, query: ListRequest['query']) {
  const { sucursal, fecha: date, ventana: from } = query;
  if (!isDate(date)) throw fieldError('fecha', 'parameter-invalid', { rule: DATE_RULE });
  const branch = branchCode(sucursal);
  return { branch, date, found: await pickupsOfBranch(pickups, { branch, date, from }) };
}

/** Records who reads addresses of customers. */
function auditList(
  context: PickupsContext,
  request: FastifyRequest,
  { branch, date }: { branch: string; date: string },
): void {
  audit(context, request, { action: 'pickups.list', details: { branch, date } });
}

const listing = operation({
  id: 'listarRecoleccionesDelDia',
  tag: 'Recolecciones',
  summary: 'Las recolecciones de una sucursal en un día',
  description: 'De todas las cuentas, sin las de prueba; por ventana y número.',
  permission: 'recolecciones.admin',
  action: 'read',
  readsMany: true,
  request,
  data: {
    name: 'RecoleccionesDelDia',
    message: (pickups) => `Recolecciones: ${pickups.length}`,
    schema: Type.Array(BranchPickup),
    example: [{ Cuenta: 'tienda', ...PICKUP_EXAMPLE, Direccion: ADDRESS_EXAMPLE, Historial: [] }],
  },
});

const exporting = operation({
  id: 'exportarRecoleccionesDelDia',
  tag: 'Recolecciones',
  summary: 'Las recolecciones de una sucursal en un día, en CSV',
  description: 'La misma lista, en UTF-8 con BOM, para una hoja de cálculo.',
  permission: 'recolecciones.admin',
  action: 'read',
  readsMany: true,
  request,
  responses: {
    200: {
      description: 'La lista',
      headers: describeHeaders({ 'Content-Disposition': 'attachment, con nombre de archivo' }),
      content: { 'text/csv': { schema: Type.String() } },
    },
  },
});

const printing = operation({
  id: 'imprimirRecoleccionesDelDia',
  tag: 'Recolecciones',
  summary: 'Las recolecciones de una sucursal en un día, en PDF',
  description:
    'Para el chofer: de cada una su código de barras, la ventana, la dirección y lo que se recoge. Hasta 500; con `ventana`, las de una.',
  permission: 'recolecciones.admin',
  action: 'print',
  readsMany: true,
  request: { ...request, headers: ifNoneMatch },
  errors: ['too-many-pickups', 'too-many-pages', 'overloaded', 'label-failed', 'label-late'],
  responses: documentResponses('La lista'),
});

const PATH = '/api/recolecciones/del-dia';

function listRoutes(server: HttpServer, context: PickupsContext): void {
  server.get(PATH, listing, async (request) => {
    const { found, ...asked } = await listOf(context, request.query);
    auditList(context, request, asked);
    return listing.ok(found.map(ofBranch));
  });
  server.get(`${PATH}/csv`, exporting, async (request, reply) => {
    const { found, ...asked } = await listOf(context, request.query);
    auditList(context, request, asked);
    const { columns, rows } = csvOf(found);
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="recolecciones-${asked.branch}-${asked.date}.csv"`)
      .send(formatCsv(columns, rows));
  });
}

function printingRoute(server: HttpServer, context: PickupsContext): void {
  server.addHook('onError', async (request, _reply, error) => countLabelFailure(context, request, error));
  server.get(`${PATH}/pdf`, printing, (request, reply) => sendPdf(context, request, reply));
}

async function sendPdf(context: PickupsContext, request: ListRequest, reply: FastifyReply) {
  const { found, ...asked } = await listOf(context, request.query);
  const payload = pickupsPayload(found, asked, context.labelSettings);
  auditList(context, request, asked);
  const name = `recolecciones-${asked.branch}-${asked.date}`;
  return sendDocument(context, request, reply, { payload, name });
}

const reporting = operation({
  id: 'registrarEstados',
  tag: 'Recolecciones',
  summary: 'Decir qué pasó con recolecciones',
  description: `De cualquier cuenta. Cada estado se registra o se rechaza por sí mismo, y repetir la solicitud no hace daño. Uno se rechaza con:\n\n${listErrors(
    stateErrors,
    Object.keys(stateErrors) as never,
  )}\n\n`,
  permission: 'recolecciones.admin',
  action: 'pickup',
  request: {
    body: Type.Object(
      {
        Estados: Type.Array(describeSection('EstadoDeRecoleccion', ReportedState), {
          minItems: 1,
          maxItems: MAX_STATES,
        }),
      },
      {
        title: 'SolicitudDeEstados',
        description: 'Qué pasó con recolecciones',
        additionalProperties: false,
        'x-examples': {
          recogida: {
            summary: 'Un código escaneado, y una en vano',
            value: {
              Estados: [
                { Recoleccion: 'R48291365074', Estado: 'Recolectada', Ocurrido: '2026-12-01T11:20:00-06:00' },
                { Recoleccion: 'R39045823586', Estado: 'Fallida', Motivo: 'nadie_atendio' },
              ],
            },
          },
        },
      },
    ),
  },
  // Each state has its own answer; `reportStates` validates with the same schema.
  validatedBy: 'handler',
  errors: [
    ...(['invalid-json', 'states-missing', 'states-empty', 'too-many-states', 'state-invalid'] as const),
    ...(['field-unknown', 'pickup-unknown', ...BODY_ERRORS] as const),
  ],
  data: {
    name: 'EstadosRegistrados',
    message: (results) =>
      `Estados registrados: ${results.filter(({ resultado }) => resultado === 'registrado').length}`,
    schema: Type.Array(StateResult),
    example: [{ indice: 0, Recoleccion: 'R48291365074', resultado: 'registrado' }],
  },
});

function reportingRoute(server: HttpServer, context: PickupsContext): void {
  server.post('/api/recolecciones/estado', reporting, async (request) => {
    const outcomes = await reportStates(context.pickups, request.body, apiUser(request).username);
    const results = outcomes.map(toResult);
    const told = results.filter(({ resultado }) => resultado === 'registrado').length;
    audit(context, request, { action: 'pickups.state', details: { states: results.length, told } });
    return reporting.ok(results);
  });
}

const RESULTS = { new: 'registrado', repeated: 'repetido' } as const;

function toResult({ number, verdict }: StateOutcome, indice: number): Static<typeof StateResult> {
  const which = { indice, ...(number !== undefined && { Recoleccion: number }) };
  if (typeof verdict === 'string') return { ...which, resultado: RESULTS[verdict] };
  const { campo } = verdict;
  const [{ codigo = '', message = '' } = {}] = toDetails(stateErrors, [verdict]);
  return { ...which, resultado: 'rechazado', ...(campo !== undefined && { campo }), codigo, message };
}

/** `/api/recolecciones/del-dia` and `/api/recolecciones/estado` (docs/contract.md "Pick-ups"). */
export async function staffRoutes(server: HttpServer, context: PickupsContext): Promise<void> {
  listRoutes(server, context);
  await server.register(async (scope) => printingRoute(scope as HttpServer, context));
  reportingRoute(server, context);
}
