import { type Static, Type } from 'typebox';
import { DomainError, ProblemList } from '#shared/errors/domain-error.ts';
import { SENT, SERVICE_TYPES, SentGuide } from '#shared/guides/guide.ts';
import { strictAjv } from '#shared/schemas/strict-ajv.ts';
import { MEASURES } from '../guides/guide-request.ts';
import { addProblems, isObject, normalizeFields } from '../http/body.ts';
import { RETURN_REASONS } from './return.ts';

const { Remitente, Producto, Destinatario, Cotizacion } = SentGuide.properties;
const { additionalProperties } = SENT;

/** What may differ from the original; all of it may be absent. */
const ReturnFields = Type.Object(
  {
    Producto: Type.Optional(Type.Object(Type.Partial(Producto).properties, { additionalProperties })),
    TipoServicio: Type.Optional(
      Type.Enum([...SERVICE_TYPES], { 'x-regla': `debe ser uno de: ${SERVICE_TYPES.join(', ')}` }),
    ),
    DestinoCode: Destinatario.properties.DestinoCode,
    Remitente: Type.Optional(Remitente),
    Motivo: Type.Optional(
      Type.Enum([...RETURN_REASONS], { 'x-regla': `debe ser uno de: ${RETURN_REASONS.join(', ')}` }),
    ),
    Anticipada: Type.Optional(Type.Boolean()),
    Cotizacion,
  },
  { additionalProperties },
);
export type ReturnRequest = Static<typeof ReturnFields>;

const KNOWN: ReadonlySet<string> = new Set(Object.keys(ReturnFields.properties));
/** Fields that change no price. */
const NOT_QUOTED: readonly string[] = ['Motivo', 'Anticipada', 'Cotizacion'];
const QUOTED: ReadonlySet<string> = new Set([...KNOWN].filter((name) => !NOT_QUOTED.includes(name)));
const SECTIONS = {
  Remitente: new Set(Object.keys(Remitente.properties)),
  Producto: new Set(Object.keys(Producto.properties)),
} as const;
const isRequest = strictAjv({ allErrors: true, verbose: true }).compile<ReturnRequest>(ReturnFields);

/** Returns the tidy fields of a request for a return, or only for its price. @throws DomainError with all problems. */
export function parseReturnRequest(body: unknown, { quote = false } = {}): ReturnRequest {
  if (!isObject(body)) throw new DomainError('bad-request');
  const problems = new ProblemList();
  const fields = normalizeFields(body, quote ? QUOTED : KNOWN, problems);
  for (const section of ['Remitente', 'Producto'] as const) {
    const value = fields[section];
    if (isObject(value)) fields[section] = normalizeFields(value, SECTIONS[section], problems, { section });
  }
  // 0 means absent, as in a creation.
  if (isObject(fields.Producto)) {
    for (const name of MEASURES) if (fields.Producto[name] === 0) delete fields.Producto[name];
  }
  if (!isRequest(fields)) addProblems(problems, isRequest.errors);
  problems.throwIfAny('fields-invalid');
  return fields as ReturnRequest;
}
