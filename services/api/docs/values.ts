import { FAILURES_PER_USER } from '#shared/auth/login-limit.ts';
import { MAX_EVENTS } from '#shared/contracts/event.ts';
import { AT_DESTINATION, GUIDE_STATUSES, STATES, type State } from '#shared/contracts/event-types.ts';
import { MAX_GUIDES, MAX_PACKAGES, MAX_QUOTE_LENGTH } from '#shared/contracts/guide.ts';
import { LABEL_TIMEOUT_MS } from '#shared/contracts/label-job.ts';
import { MAX_FILE_PAGES, TIPOS } from '#shared/contracts/label-kinds.ts';
import type { ErrorParams } from '#shared/errors/domain-error.ts';
import {
  BODY_LIMIT_MIB,
  HEADER_LIMIT_KIB,
  type HttpError,
  MAX_BODY_VALUES,
  textOf,
} from '#shared/http/http-errors.ts';
import { MAX_WEBHOOKS } from '#shared/stores/webhook-store.ts';
import { MAX_PASSWORD, MIN_PASSWORD, ONE_TIME_DAYS } from '../accounts/password-rule.ts';
import type { ApiConfig } from '../config.ts';
import { httpErrors } from '../errors.ts';
import { KEY_DAYS } from '../guides/creation-journal.ts';
import { TAGS } from '../openapi/document.ts';
import { GUIDE_EXAMPLES } from '../openapi/examples.ts';
import QUOTE_EXAMPLE from '../openapi/quote-example.json' with { type: 'json' };
import { EventFields, REQUEST_FIELDS } from '../openapi/schemas.ts';
import {
  markdownTable,
  WHEN_REPEATED,
  WHEN_TO_REPEAT,
  WHEN_TO_REPEAT_HEADS,
} from '../openapi/when-to-repeat.ts';
import { MAX_PENDING } from '../webhooks/webhooks.ts';
import {
  codigoLink,
  type OpenApiDocument,
  type Operation,
  operationSection,
  operationsOf,
} from './reference.ts';
import { asText, readableJson } from './text.ts';

/**
 * Returns the chapters' values by name, as Markdown: limits in force, and tables of operations, fields, codes and
 * retries.
 */
export function chapterValues(config: ApiConfig, document: OpenApiDocument) {
  const operations = operationsOf(document);
  const taggedWith = (tag: keyof typeof TAGS) => operations.filter(({ tags }) => tags.includes(tag));
  return {
    ...limitsOf(config),
    operaciones: bySubject('###', (tag) => operationsTable(taggedWith(tag))),
    referencia: reference(document, operations),
    operacionesDeEtiquetas: operationsTable(taggedWith('Etiquetas')),
    operacionesDeEventos: operationsTable(taggedWith('Eventos')),
    tiposDeEtiqueta: TIPOS.map((tipo) => `\`${tipo}\``).join(', '),
    estados: statesTable(),
    camposDeEvento: fieldsTable(EventFields as Section),
    operacionesDeWebhooks: operationsTable(taggedWith('Webhooks')),
    guiaMinima: readableJson(GUIDE_EXAMPLES.minima.value),
    ejemploDeCotizacion: `\`\`\`\n${readableJson(QUOTE_EXAMPLE)}\n\`\`\``,
    campos: fieldSections(),
    ejemplos: Object.values(GUIDE_EXAMPLES)
      .map(({ summary, value }) => `### ${summary}\n\n\`\`\`\n${readableJson(value)}\n\`\`\``)
      .join('\n\n'),
    codigos: codeSections(operations),
    indiceDeCodigos: codeIndex(),
    cuandoRepetir: markdownTable(WHEN_TO_REPEAT_HEADS, WHEN_TO_REPEAT),
    cuandoRepetirNota: WHEN_REPEATED,
  };
}

function limitsOf(config: ApiConfig): Record<string, string> {
  const limits = {
    REQUESTS_PER_SECOND_PER_ACCOUNT: config.REQUESTS_PER_SECOND_PER_ACCOUNT,
    REQUESTS_BURST_PER_ACCOUNT: config.REQUESTS_BURST_PER_ACCOUNT,
    GUIDES_PER_DAY_PER_ACCOUNT: config.GUIDES_PER_DAY_PER_ACCOUNT,
    LABEL_PAGES_PER_ACCOUNT: config.LABEL_PAGES_PER_ACCOUNT,
    LOGIN_FAILURES_PER_ADDRESS: config.LOGIN_FAILURES_PER_ADDRESS,
    diasDeClave: KEY_DAYS,
    diasDeTemporal: ONE_TIME_DAYS,
    minContrasena: MIN_PASSWORD,
    maxContrasena: MAX_PASSWORD,
    JWT_TTL_S: config.JWT_TTL_S,
    esperaS: LABEL_TIMEOUT_MS / 1_000,
    fallosPorUsuario: FAILURES_PER_USER,
    maxGuias: MAX_GUIDES,
    maxPaginas: MAX_FILE_PAGES,
    maxPaquetes: MAX_PACKAGES,
    maxCotizacion: MAX_QUOTE_LENGTH,
    maxWebhooks: MAX_WEBHOOKS,
    maxPendientes: MAX_PENDING,
    maxCuerpoMiB: BODY_LIMIT_MIB,
    maxValores: MAX_BODY_VALUES,
    maxEventos: MAX_EVENTS,
    maxHeadersKiB: HEADER_LIMIT_KIB,
  };
  return Object.fromEntries(
    Object.entries(limits).map(([name, value]) => [name, value.toLocaleString('es-MX')]),
  );
}

/** Writes a section for each subject. @param mark of its heading in Markdown. */
function bySubject(mark: string, contentOf: (tag: keyof typeof TAGS) => string): string {
  return (Object.keys(TAGS) as (keyof typeof TAGS)[])
    .map((tag) => `${mark} ${TAGS[tag]['x-displayName']}\n\n${contentOf(tag)}`)
    .join('\n\n');
}

function operationsTable(operations: readonly Operation[]): string {
  return markdownTable(
    ['Solicitud', 'Para qué', 'Permiso'],
    operations.map(({ method, path, operationId, summary, 'x-permiso': permission }) => [
      `\`${method} ${path}\``,
      `[${summary}](/api/docs/operaciones#${operationId})`,
      permission ? `\`${permission}\`` : '–',
    ]),
  );
}

/** Every operation, by subject, and before them the codes that each of them can answer. */
function reference(document: OpenApiDocument, operations: readonly Operation[]): string {
  const answered = operations.map(({ 'x-codigos': codigos }) => Object.values(codigos).flat());
  const everywhere = new Set(answered[0]?.filter((codigo) => answered.every((all) => all.includes(codigo))));
  const sections = bySubject('##', (tag) =>
    operations
      .filter(({ tags }) => tags.includes(tag))
      .map((operation) => operationSection(operation, document, everywhere))
      .join('\n\n'),
  );
  return `Todas pueden responder ${[...everywhere].map(codigoLink).join(', ')}.\n\n${sections}`;
}

/** Every value of SEND_ESTATUS, with what the tracking page says of it. */
function statesTable(): string {
  return markdownTable(
    ['Estado', 'La página dice'],
    GUIDE_STATUSES.map((status) => {
      const words = ({ title, sentence }: State) => `**${title}.** ${sentence}`;
      const atDestination = Object.entries(AT_DESTINATION).map(
        ([service, state]) => `En la de destino, con \`${service}\`: ${words(state)}`,
      );
      const all = [words(STATES[status]), ...(status === 'EnSucursal' ? atDestination : [])];
      return [`\`${status}\``, all.join(' ')];
    }),
  );
}

type Field = { description?: string; examples?: unknown[]; 'x-regla'?: string };
type Section = Field & { required?: string[]; properties?: Record<string, Field> };

function fieldSections(): string {
  return Object.entries(REQUEST_FIELDS as Record<string, Section>)
    .map(([name, section]) => {
      const { description, properties } = section;
      const table = fieldsTable(properties ? section : { properties: { [name]: section } });
      return [`## \`${name}\``, ...(properties ? [`${description}.`] : []), table].join('\n\n');
    })
    .join('\n\n');
}

function fieldsTable({ properties = {}, required = [] }: Section): string {
  return markdownTable(
    ['Campo', 'Qué es', 'Regla', 'Ejemplo'],
    Object.entries(properties).map(([field, { description, examples, 'x-regla': rule }]) => [
      `\`${field}\`${required.includes(field) ? ' **obligatorio**' : ''}`,
      asText(description ?? ''),
      asText(rule ?? ''),
      asText(String(examples?.[0] ?? '')),
    ]),
  );
}

/** A placeholder in a message. */
const FILLED = new Proxy({} as ErrorParams, { get: () => '…' });

/** The errors that a client is advised about, by code. */
const ADVISED = Map.groupBy(
  Object.values<HttpError>(httpErrors).filter(({ advice }) => advice !== undefined),
  ({ codigo = '' }) => codigo,
);

/** Every code with its first text, in the order of the alphabet. */
function codeIndex(): string {
  return markdownTable(
    ['Código', 'Dice'],
    [...ADVISED]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([codigo, [error]]) => [
        `[\`${codigo}\`](#${codigo})`,
        asText((error && textOf(error, FILLED)) ?? ''),
      ]),
  );
}

function codeSections(operations: readonly Operation[]): string {
  return [...ADVISED].map(([codigo, errors]) => codeSection(codigo, errors, operations)).join('\n\n');
}

/** Returns the statuses of one code, its texts, what to do, and where it is answered if not everywhere. */
function codeSection(codigo: string, errors: readonly HttpError[], operations: readonly Operation[]): string {
  const texts = errors.map((error) => textOf(error, FILLED) ?? '');
  const where = operations.filter(({ 'x-codigos': codigos }) =>
    Object.values(codigos).flat().includes(codigo),
  );
  const documented = where.flatMap(({ 'x-codigos': codigos }) =>
    Object.keys(codigos).filter((status) => codigos[status]?.includes(codigo)),
  );
  const statuses = documented.length > 0 ? documented : errors.map(({ status }) => String(status));
  const everywhere = where.length === operations.length || where.length === 0;
  return [
    `### \`${codigo}\` ${[...new Set(statuses)].toSorted().join(' o ')}`,
    ...[...new Set(texts)].map((text) => `> ${asText(text)}`),
    errors[0]?.advice,
    ...(everywhere
      ? []
      : [
          `*En: ${where.map(({ operationId }) => `[${operationId}](/api/docs/operaciones#${operationId})`).join(', ')}.*`,
        ]),
  ].join('\n\n');
}
