import { Type } from 'typebox';
import { formatCsv } from '#shared/commands/csv.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { apiUser } from '../accounts/hooks/authenticate.ts';
import { operation } from '../http/operation.ts';
import { describeHeaders } from '../http/responses.ts';
import type { Base } from '../http/room.ts';
import { MONTH_RULE } from './account-usage.ts';
import { COLUMNS, cellsOf, figuresView } from './columns.ts';
import type { Billing } from './open.ts';
import { MONTH_EXAMPLE, MonthAnswer } from './schemas.ts';

const request = {
  querystring: Type.Object({
    mes: Type.Optional(
      Type.String({
        pattern: '^20\\d\\d-(0[1-9]|1[0-2])$',
        description: 'Un mes que ya empezó, de la zona horaria del transportista; el actual si falta',
        examples: ['2026-11'],
        'x-regla': MONTH_RULE,
      }),
    ),
  }),
};

const reading = operation({
  id: 'obtenerUso',
  tag: 'Uso',
  summary: 'Obtener lo que la cuenta usó en un mes, por día',
  description:
    'Las cifras con las que su transportista cobra, de la cuenta de quien pregunta. ' +
    'Las de un mes con muchas guías tardan la primera vez: si se responde 503, repita.',
  permission: 'guias.read',
  action: 'read',
  readsMany: true,
  request,
  errors: ['overloaded'],
  data: { name: 'Uso', message: 'Uso encontrado', schema: MonthAnswer, example: MONTH_EXAMPLE },
});

const exporting = operation({
  id: 'exportarUso',
  tag: 'Uso',
  summary: 'Lo que la cuenta usó en un mes, en CSV',
  description: 'Una fila por día, en UTF-8 con BOM, para una hoja de cálculo.',
  permission: 'guias.read',
  action: 'read',
  readsMany: true,
  request,
  errors: ['overloaded'],
  responses: {
    200: {
      description: 'Los días del mes que ya empezaron',
      headers: describeHeaders({ 'Content-Disposition': 'attachment, con nombre de archivo' }),
      content: { 'text/csv': { schema: Type.String() } },
    },
  },
});

/** `GET /api/uso`, also as CSV (docs/contract.md "Usage"). */
export function billingRoutes(server: HttpServer, { accountUsage }: Base & Billing): void {
  server.get('/api/uso', reading, async (request) => {
    const user = apiUser(request);
    const { month, isProvisional, sum, days } = await accountUsage.of(user, request.query.mes);
    return reading.ok({
      ...{ Cuenta: user.account, Mes: month, Provisional: isProvisional },
      ...figuresView(sum),
      Dias: days.map(({ date, figures }) => ({ Fecha: date, ...figuresView(figures) })),
    });
  });
  server.get('/api/uso/csv', exporting, async (request, reply) => {
    const { account } = apiUser(request);
    const { month, days } = await accountUsage.of(apiUser(request), request.query.mes);
    const rows = days.map(({ date, figures }) => [date, account, ...cellsOf(figures)]);
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="uso-${month}.csv"`)
      .send(formatCsv(['Fecha', 'Cuenta', ...COLUMNS.map(({ head }) => head)], rows));
  });
}
