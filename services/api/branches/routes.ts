import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import { type Branch, type CoverageResponse, Route } from '#shared/branches/branch.ts';
import { POSTAL_CODE_FORM } from '#shared/branches/postal-code.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { apiUser } from '../accounts/hooks/authenticate.ts';
import { fieldError } from '../http/body.ts';
import { ifNoneMatch, matches } from '../http/etags.ts';
import { operation } from '../http/operation.ts';
import { POSTAL_CODE_RULE } from '../http/parameter-rules.ts';
import { abortSignalOf } from '../http/response-end.ts';
import { describeHeaders } from '../http/responses.ts';
import type { BranchesContext } from './open.ts';
import { BRANCH_EXAMPLE, BranchAnswer } from './schemas.ts';

const coverage = operation({
  id: 'consultarCobertura',
  tag: 'Sucursales',
  summary: 'Cobertura de un código postal',
  permission: 'guias.read',
  action: 'read',
  request: {
    params: Type.Object({
      cp: Type.String({
        pattern: POSTAL_CODE_FORM.source,
        description: 'Código postal',
        examples: ['06600'],
        'x-regla': POSTAL_CODE_RULE,
      }),
    }),
  },
  errors: ['postal-code-uncovered'],
  data: {
    name: 'Cobertura',
    message: 'Codigo postal con cobertura',
    schema: Type.Object(
      { CodigoPostal: Type.String(), Sucursal: BranchAnswer, Ruta: Type.Optional(Route) },
      { title: 'Cobertura', description: 'La sucursal que entrega en un código postal' },
    ),
    example: { CodigoPostal: '06600', Sucursal: BRANCH_EXAMPLE },
  },
});

const ranges = operation({
  id: 'listarCobertura',
  tag: 'Sucursales',
  summary: 'Todos los códigos postales con cobertura',
  description:
    'Rangos de códigos seguidos que entrega la misma sucursal, con la misma ruta si tienen una, por orden; todo código de un rango tiene cobertura, y ningún otro la tiene. ' +
    'Para una tienda que guarda la lista en vez de preguntar por cada código: vuelva a pedirla con `If-None-Match`.',
  permission: 'guias.read',
  action: 'read',
  readsMany: true,
  request: {
    headers: ifNoneMatch,
  },
  data: {
    name: 'Rangos',
    message: (ranges) => `Rangos: ${ranges.length}`,
    schema: Type.Array(
      Type.Object(
        {
          Desde: Type.String({ description: 'El primer código postal', examples: ['06600'] }),
          Hasta: Type.String({ description: 'El último; el mismo si es uno solo', examples: ['06699'] }),
          Sucursal: Type.String({ description: 'La que entrega ahí', examples: ['MEX01'] }),
          Ruta: Type.Optional(Route),
        },
        { title: 'RangoDeCobertura', description: 'Códigos postales seguidos, de una sucursal y una ruta' },
      ),
    ),
    headers: describeHeaders({ ETag: 'Cambia solo si cambia la cobertura', 'Cache-Control': 'private' }),
    example: [{ Desde: '06600', Hasta: '06699', Sucursal: 'MEX01' }],
  },
  responses: {
    304: {
      description: 'La cobertura no ha cambiado',
      type: 'null',
      headers: describeHeaders({ ETag: 'El mismo' }),
    },
  },
});

/** Makes the answer of all coverage, once for each list that branches gives: with 32 000 codes it takes 20 ms. */
function coverageAnswers() {
  let last: { coverage: CoverageResponse; bytes: Buffer; etag: string } | undefined;
  return (coverage: CoverageResponse) => {
    if (last?.coverage !== coverage) {
      const data = coverage.ranges.map(([Desde, Hasta, Sucursal, Ruta]) => ({
        ...{ Desde, Hasta, Sucursal },
        ...(Ruta && { Ruta }),
      }));
      const bytes = Buffer.from(JSON.stringify(ranges.ok(data)));
      const hash = createHash('sha256').update(bytes).digest('base64url');
      last = { coverage, bytes, etag: `W/"${hash.slice(0, 22)}"` };
    }
    return last;
  };
}

/** The message echoes the postal code, cut to this many characters. */
const MAX_LENGTH = 20;

const listing = (id: string, summary: string) =>
  operation({
    id,
    tag: 'Sucursales',
    summary,
    description: 'Sucursales activas, ordenadas por Codigo.',
    permission: 'guias.read',
    action: 'read',
    data: {
      name: 'Sucursales',
      message: (branches) => `Sucursales: ${branches.length}`,
      schema: Type.Array(BranchAnswer),
      example: [BRANCH_EXAMPLE],
    },
  });

/** `/api/sucursales` with `cobertura`, `cobertura/{cp}`, `destinos` and `origenes` (docs/contract.md "Branches"). */
export function branchRoutes(server: HttpServer, { branches }: BranchesContext): void {
  server.get('/api/sucursales/cobertura/:cp', coverage, async (request, reply) => {
    const postalCode = request.params.cp.trim().slice(0, MAX_LENGTH);
    if (!POSTAL_CODE_FORM.test(postalCode)) {
      throw fieldError('cp', 'postal-code-uncovered', { postalCode, rule: POSTAL_CODE_RULE });
    }
    const caller = { requestId: request.id, account: apiUser(request).account, signal: abortSignalOf(reply) };
    const found = await branches.destination({ postalCode }, caller);
    if (!found) throw new DomainError('postal-code-uncovered', { params: { postalCode } });
    const { branch, route } = found;
    return coverage.ok({ CodigoPostal: postalCode, Sucursal: branch, ...(route && { Ruta: route }) });
  });
  const answerOf = coverageAnswers();
  server.get('/api/sucursales/cobertura', ranges, async ({ id, headers }, reply) => {
    const { bytes, etag } = answerOf(await branches.coverage(id));
    reply.headers({ etag, 'cache-control': 'private' });
    if (matches(headers['if-none-match'], etag)) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').send(bytes);
  });
  const list = (path: string, route: ReturnType<typeof listing>, wanted: (branch: Branch) => boolean) =>
    server.get(`/api/sucursales${path}`, route, async ({ id }) =>
      route.ok((await branches.active(id)).filter(wanted)),
    );
  list('', listing('listarSucursales', 'Todas las sucursales'), () => true);
  list('/destinos', listing('listarDestinos', 'Sucursales de destino'), ({ Destino }) => Destino);
  list('/origenes', listing('listarOrigenes', 'Sucursales de origen'), ({ Origen }) => Origen);
}
