import {
  isNullable,
  nameOf,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  type Schema,
  typeOf,
  WALK_TEXTS,
  walkName,
} from './api-model.ts';

/** Writes the two modules of the Python package that follow from the OpenAPI document; the others are in examples/clients. */
export function pythonSources(document: OpenApiDocument): Record<string, string> {
  return { 'modelos.py': models(document), 'operaciones.py': operations(document) };
}

const WORDS = {
  name: (schema: string) => schema,
  list: (element: string) => `list[${element}]`,
  literal: (value: unknown) =>
    typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value),
  literals: (values: string[]) => [`Literal[${values.join(', ')}]`],
  plain: {
    ...{ string: 'str', number: 'float', integer: 'int', boolean: 'bool' },
    ...{ object: 'dict[str, object]', null: 'None' },
  },
};
const INDENT = '    ';

function models({ components: { schemas } }: OpenApiDocument): string {
  const written = Object.entries(schemas).map(([name, schema]) =>
    schema.properties
      ? [
          `\n\nclass ${name}(TypedDict):`,
          ...textBelow(schema.description ?? name, INDENT),
          ...Object.entries(schema.properties).flatMap(([field, part]) => [
            `${INDENT}${field}: ${fieldType(part, schema.required?.includes(field) ?? false)}`,
            ...textBelow(part.description, INDENT),
          ]),
        ].join('\n')
      : // Python evaluates an alias at once, though what it names may stand below it.
        `\n\n${name}: TypeAlias = '${typeOf(schema, WORDS)}'`,
  );
  return [
    '"""Lo que se manda y lo que se recibe, como lo describe el documento OpenAPI. Un campo opcional puede faltar."""\n',
    'from __future__ import annotations\n',
    'from typing import Literal, NotRequired, TypeAlias, TypedDict\n',
    `__all__ = [\n${Object.keys(schemas)
      .map((name) => `${INDENT}"${name}",`)
      .join('\n')}\n]`,
    ...written,
    '',
  ].join('\n');
}

function fieldType(schema: Schema, required: boolean): string {
  const type = typeOf(schema, WORDS);
  return required ? type : `NotRequired[${type}]`;
}

/** A docstring, whose quotes and backslashes are those of the text. */
function textBelow(text: string | undefined, indent: string): string[] {
  if (!text) return [];
  return [
    `${indent}"""${text
      .replaceAll('\\', '\\\\')
      .replaceAll('"', '\\"')
      .replace(/\n(?!\n)/g, `\n${indent}`)}"""`,
  ];
}

function operations(document: OpenApiDocument): string {
  const all = operationsOf(document);
  const used = [...new Set(all.flatMap(schemasOf))].toSorted();
  const methods = (ways: typeof SYNC) => all.flatMap((operation) => methodsOf(operation, ways)).join('\n\n');
  return [
    '"""Un método por cada operación de `/api/docs/operaciones`."""\n',
    'from __future__ import annotations\n',
    'from collections.abc import AsyncIterator, Iterator',
    'from typing import Literal\n',
    `from .modelos import (\n${used.map((name) => `${INDENT}${name},`).join('\n')}\n)`,
    'from .peticion import Peticion, parte',
    'from .recorridos import Recorridos, RecorridosAsync\n',
    `\nclass Operaciones(Recorridos):\n${methods(SYNC)}\n`,
    `\nclass OperacionesAsync(RecorridosAsync):\n${methods(ASYNC)}\n`,
  ].join('\n');
}

const SYNC = { define: 'def', answer: 'return', iterator: 'Iterator' };
const ASYNC = { define: 'async def', answer: 'return await', iterator: 'AsyncIterator' };

function schemasOf({ body, answer, pages }: Operation): string[] {
  return [
    ...(body && 'schema' in body ? [nameOf(body.schema)] : []),
    ...(answer === 'bytes' ? [] : [answer]),
    ...(pages?.kind === 'list' ? [nameOf(pages.element)] : []),
  ];
}

function methodsOf(operation: Operation, ways: typeof SYNC): string[] {
  const { name, answer, query, documentation, pages } = operation;
  const described = query.map(({ name, description }) => `\n- \`${snake(name)}\`: ${description}`);
  const text = textBelow([documentation, ...described].join('\n'), INDENT.repeat(2)).join('');
  const { positional, named, passed } = argumentsOf(operation);
  const own = signature(ways.define, snake(name), positional, named, answer);
  const once = [
    own,
    text,
    `${INDENT.repeat(2)}${ways.answer} self._pedir(Peticion[${answer}](${passed}))`,
  ].join('\n');
  return pages ? [once, walk(operation, pages, described, ways)] : [once];
}

function signature(
  define: string,
  name: string,
  positional: string[],
  named: string[],
  answer: string,
): string {
  const all = ['self', ...positional, ...(named.length > 0 ? ['*', ...named] : [])];
  return `${INDENT}${define} ${name}(${all.join(', ')}) -> ${answer}:`;
}

/** The parameters of a method, and the arguments of its request. */
function argumentsOf({ method, path, inPath, query, body, keyed, actsAgain, answer }: Operation) {
  const required = [...inPath, ...query.filter((each) => each.required)];
  const positional = required.map(({ name, schema }) => `${snake(name)}: ${typeOf(schema, WORDS)}`);
  const named = query.filter((each) => !each.required).map(optional);
  const route = path.replace(/\{(\w+)\}/g, (_, name: string) => `{parte(${snake(name)})}`);
  const passed = [JSON.stringify(method), `${inPath.length > 0 ? 'f' : ''}${JSON.stringify(route)}`];
  if (query.length > 0) {
    passed.push(`query={${query.map(({ name }) => `${JSON.stringify(name)}: ${snake(name)}`).join(', ')}}`);
  }
  if (body && 'schema' in body) {
    const type = typeOf(body.schema, WORDS);
    positional.push(`solicitud: ${type}${body.optional ? ' | None = None' : ''}`);
    passed.push(`solicitud=solicitud${body.optional ? ' or {}' : ''}`);
  } else if (body) {
    positional.push('archivo: bytes');
    named.unshift(
      `tipo: ${WORDS.literals(body.fileTypes.map(WORDS.literal))} = ${JSON.stringify(body.fileTypes[0])}`,
    );
    passed.push('archivo=archivo', 'tipo=tipo');
  }
  if (keyed) {
    named.push('idempotency_key: str | None = None');
    passed.push('crea=True', 'idempotency_key=idempotency_key');
  }
  if (actsAgain) passed.push('repetible=False');
  if (answer === 'bytes') passed.push('en_bytes=True');
  return { positional, named, passed: passed.join(', ') };
}

function optional({ name, schema }: Operation['query'][number]): string {
  const type = typeOf(schema, WORDS);
  return `${snake(name)}: ${isNullable(schema) ? type : `${type} | None`} = None`;
}

function walk(
  { name, answer, inPath, query }: Operation,
  pages: NonNullable<Operation['pages']>,
  described: string[],
  ways: typeof SYNC,
) {
  const isFeed = pages.kind === 'feed';
  const filters = query.filter((each) => each.name !== 'cursor');
  const positional = inPath.map(({ name, schema }) => `${snake(name)}: ${typeOf(schema, WORDS)}`);
  const start = isFeed ? ['cursor: str | None = None'] : [];
  const element = isFeed ? answer : typeOf(pages.element, WORDS);
  const told = [
    `${WALK_TEXTS[pages.kind]} Las pide con \`${snake(name)}\`.`,
    ...described.filter((line) => !line.includes('`cursor`:')),
  ];
  const text = textBelow(told.join('\n'), INDENT.repeat(2)).join('');
  const call = [
    ...inPath.map((each) => snake(each.name)),
    ...[...filters, { name: 'cursor' }].map((each) => `${snake(each.name)}=${snake(each.name)}`),
  ].join(', ');
  const below = isFeed ? 'cursor' : pages.below.map((field) => JSON.stringify(field)).join(', ');
  return [
    signature(
      'def',
      snake(walkName(name)),
      [...positional, ...start],
      filters.map(optional),
      `${ways.iterator}[${element}]`,
    ),
    text,
    `${INDENT.repeat(2)}return self.${isFeed ? '_seguir' : '_recorrer'}(lambda cursor: self.${snake(name)}(${call}), ${below})`,
  ].join('\n');
}

function snake(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])|(?<=[a-z]{2})(?=\d)/g, '_').toLowerCase();
}
