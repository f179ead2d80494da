import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import Negotiator from 'negotiator';
import { type TSchema, Type } from 'typebox';
import { DENSITIES, IMAGE_FORMATS, type LabelForm } from '#shared/contracts/label-job.ts';
import { DomainError } from '#shared/errors.ts';

/** The forms of a label, the usual one first, by their names on the wire, which are also the endings of files. */
const MEDIA_TYPES = { pdf: 'application/pdf', png: 'image/png', zpl: 'application/zpl' } as const;
export type Format = keyof typeof MEDIA_TYPES;
const FORMATS = ['pdf', ...IMAGE_FORMATS] as const satisfies Format[];
/** All that a label may be asked for as, in the words of a refusal. */
export const OFFERED = Object.values(MEDIA_TYPES).join(', ');

/** The parameters of a form (docs/contract.md "Labels"). */
export const formParameters = {
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

/** What the answer of a label has, for the document: a file of each form. */
export const formContent: Readonly<Record<string, { schema: TSchema }>> = Object.fromEntries(
  Object.values(MEDIA_TYPES).map((type) => [type, { schema: Type.String({ format: 'binary' }) }]),
);

/** How a label is to be sent: the media type, the ending of the file, and the form, which PDF needs none of. */
export type WantedForm = { type: string; format: Format; form: LabelForm | undefined };

/**
 * Returns the form that a request asks for, by its parameters or else by `Accept` (RFC 9110, 12.5.1). A browser, which asks
 * for `text/html` before all, gets the PDF where it takes any type: some list `image/png` too, as a form of pages.
 *
 * @throws DomainError `format-not-acceptable` where `Accept` names no form that there is.
 */
export function wantedForm(
  { accept }: IncomingHttpHeaders,
  { formato, dpi = DENSITIES[0] }: { formato?: Format; dpi?: number },
): WantedForm {
  const format = formato ?? negotiate(accept);
  if (!format) throw new DomainError('format-not-acceptable');
  const type = MEDIA_TYPES[format];
  return { type, format, form: format === 'pdf' ? undefined : { format, dpi: dpi as LabelForm['dpi'] } };
}

function negotiate(accept: string | undefined): Format | undefined {
  const negotiator = new Negotiator({ headers: { accept: accept || '*/*' } });
  const types = negotiator.mediaTypes(Object.values(MEDIA_TYPES));
  const isBrowser = negotiator.mediaTypes().includes('text/html');
  const best = isBrowser && types.includes(MEDIA_TYPES.pdf) ? MEDIA_TYPES.pdf : types[0];
  return FORMATS.find((format) => MEDIA_TYPES[format] === best);
}

/** Adds a header to those that the answer depends on, beside what the answers to other origins name. */
export function addVary(reply: FastifyReply, name: string): void {
  reply.header('vary', [reply.getHeader('vary') ?? [], name].flat().join(', '));
}
