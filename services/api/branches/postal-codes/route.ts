import { Type } from 'typebox';
import { POSTAL_CODE_FORM, PostalCode } from '#shared/branches/postal-code.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { fieldError } from '../../http/body.ts';
import { operation } from '../../http/operation.ts';
import type { BranchesContext } from '../open.ts';
import { POSTAL_CODE_EXAMPLE } from '../schemas.ts';

const route = operation({
  id: 'consultarCodigoPostal',
  tag: 'Sucursales',
  summary: 'Estado, municipio y colonias de un código postal',
  description:
    'Del catálogo nacional, si el transportista lo cargó; sin él, 404. No dice si hay cobertura: eso lo dice `cobertura`.',
  permission: 'guias.read',
  action: 'read',
  request: {
    params: Type.Object({
      cp: Type.String({
        pattern: POSTAL_CODE_FORM.source,
        description: 'Código postal',
        examples: ['06600'],
      }),
    }),
  },
  errors: ['postal-code-invalid', 'no-catalogue', 'postal-code-unknown'],
  data: {
    name: 'CodigoPostal',
    message: 'Codigo postal encontrado',
    schema: Type.Object(PostalCode.properties, {
      title: 'CodigoPostal',
      description: 'Un código postal del catálogo nacional',
    }),
    example: POSTAL_CODE_EXAMPLE,
  },
});

/** `GET /api/codigos-postales/{cp}` (docs/contract.md "Postal codes"). */
export function postalCodeRoute(server: HttpServer, { catalogue }: BranchesContext): void {
  server.get('/api/codigos-postales/:cp', route, async ({ params }) => {
    const postalCode = params.cp.trim();
    if (!POSTAL_CODE_FORM.test(postalCode)) throw fieldError('cp', 'postal-code-invalid');
    return route.ok(catalogue.require(postalCode));
  });
}
