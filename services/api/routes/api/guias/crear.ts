import { Type } from 'typebox';
import { DomainError } from '#shared/errors.ts';
import { type HttpServer, ok } from '#shared/http/http-server.ts';
import type { CreateGuides } from '../../../guides/create-guides.ts';
import type { GuideRecord } from '../../../guides/guide-store.ts';
import { apiUser } from '../../../plugins/authenticate.ts';
import { describe } from '../../operation.ts';

const permission = 'guias.create';
const documentation = describe({
  id: 'crearGuias',
  tag: 'Guías',
  summary: 'Crear una o varias guías',
  description:
    'Todas o ninguna: con una guía mal no se crea ninguna, y `details` nombra todo lo que está mal.',
  permission,
  errors: [
    'invalid-json',
    'guia-array-missing',
    'guia-array-empty',
    'too-many-guides',
    'service-type-missing',
    'service-type-unknown',
    'guides-invalid',
    'origin-unassigned',
    'origin-inactive',
    'idempotency-key-invalid',
    'idempotency-key-reused',
    'body-too-large',
    'not-json',
  ],
  data: {
    message: 'Guias creadas: 1',
    schema: Type.Array(Type.Ref('GuiaCreada')),
    example: [
      {
        SEND_GUIA: '390458235877',
        SEND_SUCU_ORIG: 'MEX01',
        SEND_SUCU_DEST: 'MEX01',
        SEND_ESTATUS: 'Documentado',
        SEND_FECHA: '2026-11-21T05:05:10',
        SEND_REMITENTE: 'Ana López',
        SEND_DESTINATARIO: 'Luis Pérez',
        SEND_FLETE: 0,
        SEND_TOTAL: 0,
      },
    ],
  },
});
const schema = {
  body: Type.Ref('SolicitudDeGuias'),
  headers: Type.Object({
    'idempotency-key': Type.Optional(
      Type.String({
        pattern: '^[\\x21-\\x7e]{1,255}$',
        description:
          'Nombre de esta solicitud, del cliente. Repetida con el mismo contenido dentro de 24 h da la misma ' +
          'respuesta y no crea nada.',
      }),
    ),
  }),
  ...documentation,
};

/** `POST /api/guias/crear` (docs/contract.md "Guides"). */
export function createRoute(create: CreateGuides) {
  return async (server: HttpServer) => {
    server.post('/crear', { config: { permission }, schema }, async (request) => {
      const key = idempotencyKey(request.headers['idempotency-key']);
      const created = await create(request.body, apiUser(request), request.id, key);
      return ok(`Guias creadas: ${created.length}`, created.map(toWire));
    });
  };
}

/** 1 to 255 visible characters; optional (docs/contract.md "Guides"). */
function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw new DomainError('idempotency-key-invalid');
}

/** The record of a created guide (docs/contract.md "Guides"). */
function toWire(record: GuideRecord) {
  return {
    SEND_GUIA: record.number,
    SEND_SUCU_ORIG: record.origin.code,
    SEND_SUCU_DEST: record.destination.code,
    SEND_ESTATUS: record.status,
    SEND_FECHA: record.createdAt,
    SEND_REMITENTE: record.guide.Remitente.Nombre,
    SEND_DESTINATARIO: record.guide.Destinatario.Nombre,
    SEND_FLETE: record.freight,
    SEND_TOTAL: record.total,
  };
}
