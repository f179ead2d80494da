import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { type TSchema, Type } from 'typebox';
import { DomainError, type ErrorCode } from '#shared/errors/domain-error.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import { toDomainError } from '#shared/http/error-handlers.ts';
import { KINDS, type LabelKind } from '#shared/labels/label-kinds.ts';
import {
  DENSITIES,
  type Format,
  IMAGE_FORMATS,
  type ImageFormat,
  MEDIA_TYPES,
} from '#shared/labels/label-payload.ts';
import type { Caller } from '../accounts/account-limits.ts';
import { apiUser } from '../accounts/hooks/authenticate.ts';
import { addRateLimit } from '../accounts/hooks/limit-requests.ts';
import { fieldError } from '../http/body.ts';
import { abortSignalOf } from '../http/response-end.ts';
import type { LabelFailureReason } from './label-metrics.ts';
import type { Labels } from './open.ts';
import type { LabelCaller } from './printed-labels.ts';

const FORMATS = ['pdf', ...IMAGE_FORMATS] as const satisfies Format[];

export const formatParameters = {
  formato: Type.Optional(
    Type.Enum(FORMATS, { type: 'string', description: 'Formato de la etiqueta; manda sobre `Accept`' }),
  ),
  dpi: Type.Optional(
    Type.Integer({
      enum: DENSITIES,
      maximum: Math.max(...DENSITIES),
      default: DENSITIES[0],
      description: 'Puntos por pulgada de la impresora, para PNG y ZPL; 203 si falta',
    }),
  ),
};

/** Responses of a label in the OpenAPI document: a file in each format. */
export const fileContent: Readonly<Record<string, { schema: TSchema }>> = Object.fromEntries(
  Object.values(MEDIA_TYPES).map((type) => [type, { schema: Type.String({ format: 'binary' }) }]),
);

/** `image` is absent for PDF. */
export type RequestedFormat = { format: Format; image: ImageFormat | undefined };

/**
 * Returns the format that a request asks for: by its parameters, else by `Accept` (RFC 9110, 12.5.1). A browser,
 * which prefers `text/html`, gets the PDF if it accepts any type; some list `image/png` too.
 *
 * @throws DomainError `format-not-acceptable` if `Accept` names no known format.
 */
export function requestedFormat(
  { accept }: IncomingHttpHeaders,
  { formato, dpi = DENSITIES[0] }: { formato?: Format; dpi?: number },
): RequestedFormat {
  const format = formato ?? negotiate(accept);
  if (!format) throw new DomainError('format-not-acceptable');
  return { format, image: format === 'pdf' ? undefined : { format, dpi: dpi as ImageFormat['dpi'] } };
}

/** Returns the format of `requestedFormat` for the log of answers, if the request names one. */
export function wantedFormat(headers: IncomingHttpHeaders, query: { formato?: Format }): { format?: Format } {
  const format = query.formato ?? negotiate(headers.accept);
  return FORMATS.some((known) => known === format) ? { format: format as Format } : {};
}

function negotiate(accept: string | undefined): Format | undefined {
  const negotiator = new Negotiator({ headers: { accept: accept || '*/*' } });
  const types = negotiator.mediaTypes(Object.values(MEDIA_TYPES));
  const isBrowser = negotiator.mediaTypes().includes('text/html');
  const best = isBrowser && types.includes(MEDIA_TYPES.pdf) ? MEDIA_TYPES.pdf : types[0];
  return FORMATS.find((format) => MEDIA_TYPES[format] === best);
}

export type WantedPackages = { paquetes?: number; paquete?: number };

/**
 * Returns a label's number of packages, and the single one that is asked for (docs/contract.md "Labels").
 *
 * @throws DomainError `packages-invalid` if the guide has no such package.
 */
export function packagesOf(kind: LabelKind, { guide }: GuideDocument, wanted: WantedPackages = {}) {
  if (!KINDS[kind].pagePerPackage) return { packages: 1 };
  const packages = wanted.paquetes ?? guide.Producto.Paquetes ?? 1;
  const only = wanted.paquete;
  if (only === undefined) return { packages };
  if (only > packages) throw fieldError('paquete', 'packages-invalid', { limit: packages });
  return { packages, package: only };
}

/** Returns the caller of a request for labels, and reports how many more pages the account may have in flight. */
export function callerOf({ labels }: Labels, request: FastifyRequest, reply: FastifyReply): LabelCaller {
  const { account, settings } = apiUser(request);
  const max = settings.labelPages;
  const remaining = Math.max(0, max - labels.pagesInFlight(account));
  addRateLimit(reply, { policy: 'etiquetas', max, remaining });
  return { account, maxPages: max, requestId: request.id, signal: abortSignalOf(reply) };
}

/** Reports the labels of an answer to those who count them. An answer to HEAD has none. */
export function countLabels({ onLabels }: Labels, request: FastifyRequest, labels: number): void {
  if (request.method === 'HEAD') return;
  for (const count of onLabels) count(apiUser(request), labels);
}

/** Returns the headers of a label, not of an error. The tag is weak: fonts in a file depend on labels printed with it. */
export function cachingHeaders(key: string) {
  return { etag: `W/"${key}"`, 'cache-control': 'private' };
}

/** The reason of an error in the metrics. */
const REASONS: Partial<Record<ErrorCode, LabelFailureReason>> = {
  'label-failed': 'failed',
  'label-late': 'late',
  internal: 'other',
  overloaded: 'overloaded',
  'no-printer': 'no_worker',
  'no-marks': 'no_worker',
  'too-many-pages': 'quota',
  unavailable: 'unavailable',
};

/** Counts why a request for labels got none, unless the request itself is wrong, such as an unknown guide. */
export function countLabelFailure({ labels }: Labels, request: FastifyRequest, error: Error): void {
  const reason = REASONS[toDomainError(error).code];
  if (reason) labels.countFailure(reason, (request.apiUser as Caller | undefined)?.account);
}
