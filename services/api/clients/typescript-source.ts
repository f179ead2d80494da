import {
  isNullable,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  type Schema,
  typeOf,
  WALK_TEXTS,
  walkName,
} from './api-model.ts';

/** Writes the two modules of the TypeScript package that follow from the OpenAPI document; the others are in examples/clients. */
export function typeScriptSources(document: OpenApiDocument): Record<string, string> {
  return { 'esquemas.mts': schemas(document), 'operaciones.mts': operations(document) };
}

const WORDS = {
  name: (schema: string) => `Esquemas['${schema}']`,
  list: (element: string) => `Array<${element}>`,
  literal: (value: unknown) => JSON.stringify(value),
  literals: (values: string[]) => values,
  plain: {
    ...{ string: 'string', number: 'number', integer: 'number', boolean: 'boolean' },
    ...{ object: 'Record<string, unknown>', null: 'null' },
  },
};

function schemas({ components }: OpenApiDocument): string {
  const written = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `${comment(schema.description)}${name}: ${schema.properties ? fields(schema) : typeOf(schema, WORDS)};`,
  );
  return `/** Lo que se manda y lo que se recibe, como lo describe el documento OpenAPI. */\nexport interface Esquemas {\n${written.join('\n')}\n}\n`;
}

function fields({ properties = {}, required = [] }: Schema): string {
  const all = Object.entries(properties).map(
    ([name, schema]) =>
      `${comment(schema.description)}${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema, WORDS)};`,
  );
  return `{\n${all.join('\n')}\n}`;
}

function comment(text: string | undefined): string {
  return text ? `/** ${text.replaceAll('*/', '*\\/')} */\n` : '';
}

function operations(document: OpenApiDocument): string {
  return [
    importing('type { Esquemas }', 'esquemas'),
    importing('{ parte }', 'peticion'),
    importing('{ Recorridos }', 'recorridos'),
    '',
    '/** Un método por cada operación de `/api/docs/operaciones`. */',
    `export abstract class Operaciones extends Recorridos {\n${operationsOf(document).map(methodsOf).join('\n')}\n}\n`,
  ].join('\n');
}

function importing(names: string, module: string): string {
  return `import ${names} from './${module}.mjs';`;
}

function methodsOf(operation: Operation): string {
  const { name, documentation, pages } = operation;
  const { positional, options, passed } = argumentsOf(operation);
  const answer = operation.answer === 'bytes' ? 'Uint8Array<ArrayBuffer>' : WORDS.name(operation.answer);
  const call = operation.answer === 'bytes' ? 'this.bytes(' : `this.json<${answer}>(`;
  const parameters = [
    ...positional,
    ...(options.length > 0 ? [`opciones: {\n${options.join('\n')}\n} = {}`] : []),
  ];
  const once = `${comment(documentation)}${name}(${parameters.join(', ')}): Promise<${answer}> {\nreturn ${call}{ ${passed} });\n}`;
  return pages ? `${once}\n${walk(operation, pages, positional, options)}` : once;
}

function argumentsOf({ method, path, inPath, query, body, keyed, actsAgain }: Operation) {
  const required = query.filter((each) => each.required);
  const positional = [...inPath, ...required].map(
    ({ name, schema }) => `${camel(name)}: ${typeOf(schema, WORDS)}`,
  );
  const options = query
    .filter((each) => !each.required)
    .map(({ name, schema, description }) => `${comment(description)}${name}?: ${optional(schema)};`);
  const passed = [
    `metodo: '${method}'`,
    `ruta: \`${path.replace(/\{(\w+)\}/g, (_, name: string) => `\${parte(${camel(name)})}`)}\``,
  ];
  if (query.length > 0) {
    const values = query.map(
      ({ name, required }) => `${name}: ${required ? camel(name) : `opciones.${name}`}`,
    );
    passed.push(`query: { ${values.join(', ')} }`);
  }
  if (body && 'schema' in body) {
    positional.push(`solicitud: ${typeOf(body.schema, WORDS)}${body.optional ? ' = {}' : ''}`);
    passed.push('solicitud');
  } else if (body) {
    const [usual = '', ...others] = body.fileTypes.map(WORDS.literal);
    positional.push('archivo: Uint8Array<ArrayBuffer>', `tipo: ${[usual, ...others].join(' | ')} = ${usual}`);
    passed.push('archivo', 'tipo');
  }
  if (keyed) {
    options.push(
      '/** Con ella la creación se repite sin crear nada dos veces. Si falta, es de azar, y sirve mientras el programa viva. */\n' +
        'idempotencyKey?: string | undefined;',
    );
    passed.push('crea: true', 'idempotencyKey: opciones.idempotencyKey');
  }
  if (actsAgain) passed.push('repetible: false');
  return { positional, options, passed: passed.join(', ') };
}

function optional(schema: Schema): string {
  return `${typeOf(schema, WORDS)}${isNullable(schema) ? '' : ' | undefined'}`;
}

function walk(
  { name, answer, inPath }: Operation,
  pages: NonNullable<Operation['pages']>,
  positional: string[],
  options: string[],
): string {
  const filters = options.filter((each) => !each.includes('cursor?:'));
  const isFeed = pages.kind === 'feed';
  const parameters = [
    ...positional,
    ...(isFeed ? ['cursor?: string'] : []),
    `opciones: {\n${filters.join('\n')}\n} = {}`,
  ];
  const element = isFeed ? WORDS.name(answer) : typeOf(pages.element, WORDS);
  const call = [...inPath.map((each) => camel(each.name)), '{ ...opciones, cursor }'].join(', ');
  const elements = isFeed ? 'cursor' : `(pagina) => pagina.${pages.below.join('.')}`;
  return (
    `${comment(`${WALK_TEXTS[pages.kind]} Las pide con \`${name}\`.`)}${walkName(name)}(${parameters.join(', ')}): AsyncGenerator<${element}, void> {\n` +
    `return this.${isFeed ? 'seguir' : 'recorrer'}((cursor) => this.${name}(${call}), ${elements});\n}`
  );
}

function camel(name: string): string {
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}
