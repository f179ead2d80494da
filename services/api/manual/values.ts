import type { ErrorParams } from '#shared/errors/domain-error.ts';
import {
  BODY_LIMIT_MIB,
  HEADER_LIMIT_KIB,
  type HttpError,
  MAX_BODY_VALUES,
  textOf,
} from '#shared/http/http-errors.ts';
import { SUBJECTS, type Subject } from '#shared/rooms.ts';
import type { ErrorTable } from '../http/errors.ts';
import type { ManualValues } from '../http/room.ts';
import { asText, markdownTable } from '../http/tables.ts';
import {
  addressOf,
  codigoLink,
  type OpenApiDocument,
  type Operation,
  operationLink,
  operationSection,
  operationsOf,
} from './reference.ts';

/**
 * Returns the chapters' values by name, as Markdown: those of the rooms, tables of operations, and codes.
 *
 * @param own the values of the rooms.
 */
export function chapterValues(
  own: readonly ManualValues[],
  errors: ErrorTable,
  document: OpenApiDocument,
): Record<string, string> {
  const operations = operationsOf(document);
  const taggedWith = (tag: Subject) => operations.filter(({ tags }) => tags.includes(tag));
  const advised = advisedOf(errors);
  const tables = Object.keys(SUBJECTS).map((tag) => [
    `operacionesDe${tag}`,
    operationsTable(taggedWith(tag as Subject)),
  ]);
  return {
    ...inWords({ ...LIMITS, ...Object.assign({}, ...own) }),
    ...Object.fromEntries(tables),
    listas: listsTable(operations),
    operacionesEnCsv: csvOperations(operations),
    operaciones: bySubject((tag) => namedOperations(taggedWith(tag))),
    codigos: codeSections(advised, operations),
    indiceDeCodigos: codeIndex(advised),
  };
}

const LIMITS = {
  maxCuerpoMiB: BODY_LIMIT_MIB,
  maxValores: MAX_BODY_VALUES,
  maxHeadersKiB: HEADER_LIMIT_KIB,
};

/** Writes numbers as in Mexico. */
function inWords(values: ManualValues): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value.toLocaleString('es-MX')]),
  );
}

/** Writes a section for each subject. */
function bySubject(contentOf: (tag: Subject) => string): string {
  return (Object.keys(SUBJECTS) as Subject[])
    .map((tag) => `## ${SUBJECTS[tag].name}\n\n${contentOf(tag)}`)
    .join('\n\n');
}

function operationsTable(operations: readonly Operation[]): string {
  return markdownTable(
    ['Solicitud', 'Para qué', 'Permiso'],
    operations.map((operation) => [
      `\`${operation.method} ${operation.path}\``,
      operationLink(operation, operation.summary),
      permissionOf(operation),
    ]),
  );
}

/** The same by the names that methods of generated clients have. */
function namedOperations(operations: readonly Operation[]): string {
  return markdownTable(
    ['Operación', 'Solicitud', 'Permiso'],
    operations.map((operation) => [
      `${operationLink(operation, operation.summary)} \`${operation.operationId}\``,
      `\`${operation.method} ${operation.path}\``,
      permissionOf(operation),
    ]),
  );
}

/** The lists that are read page by page, with the parameters that filter them. */
function listsTable(operations: readonly Operation[]): string {
  const rows = operations.flatMap((operation) => {
    const parameters = (operation.parameters ?? []).filter((each) => each.in === 'query');
    const size = parameters.find(({ name }) => name === 'limite');
    if (!size) return [];
    const filters = parameters.filter(({ name }) => !['limite', 'cursor'].includes(name));
    return [
      [
        `${operationLink(operation, operation.summary)} \`${operation.method} ${operation.path}\``,
        filters.map(({ name }) => `\`${name}\``).join(', ') || '–',
        `${size.description}, ${size.schema.maximum} a lo más`,
      ],
    ];
  });
  return markdownTable(['Lista', 'Filtros', '`limite`'], rows);
}

function csvOperations(operations: readonly Operation[]): string {
  const links = operations
    .filter(({ responses }) => 'text/csv' in (responses['200']?.content ?? {}))
    .map((operation) => operationLink(operation, `\`${operation.method} ${operation.path}\``));
  return new Intl.ListFormat('es').format(links);
}

function permissionOf({ 'x-permiso': permission }: Operation): string {
  return permission ? `\`${permission}\`` : '–';
}

/** Returns a chapter in Markdown for each resource, by the names of their addresses: its operations, one after the other. */
export function operationChapters(document: OpenApiDocument): Record<string, string> {
  const operations = operationsOf(document);
  const answered = operations.map(({ 'x-codigos': codigos }) => Object.values(codigos).flat());
  const everywhere = new Set(answered[0]?.filter((codigo) => answered.every((all) => all.includes(codigo))));
  const always = `Todas pueden responder ${[...everywhere].map(codigoLink).join(', ')}.`;
  const chapters = Object.entries(SUBJECTS).flatMap(([tag, { name, description }]) => {
    const own = operations.filter(({ tags }) => tags.some((each) => each === tag));
    if (own.length === 0) return [];
    const sections = own.map((operation) => operationSection(operation, document, everywhere));
    const text = [`# Operaciones: ${name}`, `${description}.`, always, ...sections].join('\n\n');
    return [[addressOf(tag as Subject), text]];
  });
  return Object.fromEntries(chapters);
}

/** A placeholder in a message. */
const FILLED = new Proxy({} as ErrorParams, { get: () => '…' });

/** The errors that a client is advised about, by code. */
type Advised = ReadonlyMap<string, readonly HttpError[]>;

function advisedOf(errors: ErrorTable): Advised {
  const advised = Object.values<HttpError>(errors).filter(({ advice }) => advice !== undefined);
  return Map.groupBy(advised, ({ codigo = '' }) => codigo);
}

/** Every code with its first text, in the order of the alphabet. */
function codeIndex(advised: Advised): string {
  return markdownTable(
    ['Código', 'Dice'],
    [...advised]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([codigo, [error]]) => [
        `[\`${codigo}\`](#${codigo})`,
        asText((error && textOf(error, FILLED)) ?? ''),
      ]),
  );
}

function codeSections(advised: Advised, operations: readonly Operation[]): string {
  return [...advised].map(([codigo, errors]) => codeSection(codigo, errors, operations)).join('\n\n');
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
    ...(everywhere ? [] : [`*En: ${where.map((operation) => operationLink(operation)).join(', ')}.*`]),
  ].join('\n\n');
}
