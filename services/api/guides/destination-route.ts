import { Type } from 'typebox';
import { branchCode } from '#shared/branches/branch.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { apiUser } from '../accounts/hooks/authenticate.ts';
import { BRANCH_EXAMPLE, BranchAnswer } from '../branches/schemas.ts';
import { fieldError } from '../http/body.ts';
import { operation } from '../http/operation.ts';
import { BRANCH_RULE } from '../http/parameter-rules.ts';
import { abortSignalOf } from '../http/response-end.ts';
import type { GuidesContext } from './open.ts';

const route = operation({
  id: 'validarDestino',
  tag: 'Guias',
  summary: 'Validar un código de destino',
  permission: 'guias.read',
  action: 'read',
  request: {
    params: Type.Object({
      code: Type.String({
        pattern: '^[A-Za-z0-9]{2,20}$',
        description: 'Código de sucursal',
        examples: ['MEX01'],
        'x-regla': BRANCH_RULE,
      }),
    }),
  },
  errors: ['destination-invalid'],
  data: { name: 'Sucursal', message: 'Destino valido', schema: BranchAnswer, example: BRANCH_EXAMPLE },
});

const CODE = /^[A-Z0-9]{2,20}$/;

/** `GET /api/guias/validar-destino/{code}` (docs/contract.md "Branches"). */
export function destinationRoute(server: HttpServer, { branches }: GuidesContext): void {
  server.get('/api/guias/validar-destino/:code', route, async (request, reply) => {
    const code = branchCode(request.params.code);
    if (!CODE.test(code)) throw fieldError('code', 'destination-invalid', { rule: BRANCH_RULE });
    const caller = { requestId: request.id, account: apiUser(request).account, signal: abortSignalOf(reply) };
    const found = await branches.destination({ code }, caller);
    if (!found) throw new DomainError('destination-invalid');
    return route.ok(found.branch);
  });
}
