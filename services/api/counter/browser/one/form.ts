import type { OpenApi, Schema } from '../api/document.ts';
import { capitalized } from '../ui/api-words.ts';
import { readNumber } from './read-number.ts';

/** The form of a guide, as the OpenAPI document has it: a field that is added there is in the form. */

export type FieldSpec = {
  /** As `campo` of a problem names it: `Destinatario.CodigoPostal`. */
  path: string;
  name: string;
  label: string;
  /** What else the document says of it. */
  hint: string | undefined;
  example: string | undefined;
  required: boolean;
  /** One of two fields must be there, which only words say. */
  isAlternative: boolean;
  kind: 'text' | 'decimal' | 'integer' | 'choice' | 'choices';
  options: string[];
  maxLength: number | undefined;
};
/** An object of the guide; that of the guide's own fields has no name. */
export type Section = { name: string; title: string; required: boolean; fields: FieldSpec[] };
export type GuideForm = { services: string[]; sections: Section[] };

/** What the form holds: texts by the path of their fields, those of a list with `|` between them. */
export type Values = Readonly<Record<string, string>>;

/** Comes from a quote, not from a person. */
const NOT_ASKED = 'Cotizacion';

/** Reads the form of the operation that creates guides. */
export function guideForm({ paths, components }: OpenApi): GuideForm {
  const resolve = (schema: Schema): Schema => {
    const { $ref, anyOf, ...own } = schema;
    if ($ref !== undefined) return resolve(components.schemas[$ref.split('/').at(-1) ?? ''] ?? {});
    const some = anyOf?.find(({ type }) => type !== 'null');
    return some ? { ...resolve(some), ...own } : own;
  };
  const body = resolve(
    paths['/api/guias/crear']?.post?.requestBody?.content['application/json']?.schema ?? {},
  );
  const guide = resolve(resolve(body.properties?.Guia ?? {}).items ?? {});
  return {
    services: textsOf(resolve(body.properties?.TipoServicio ?? {})),
    sections: sectionsOf(guide, resolve),
  };
}

/** Reads the sections of a guide's schema. @param resolve returns the schema that another one refers to. */
export function sectionsOf(guide: Schema, resolve = (schema: Schema) => schema): Section[] {
  const sections: Section[] = [];
  const loose: Section = { name: '', title: 'Para usted', required: false, fields: [] };
  for (const [name, sent] of Object.entries(guide.properties ?? {})) {
    if (name === NOT_ASKED) continue;
    const schema = resolve(sent);
    const required = guide.required?.includes(name) ?? false;
    if (!schema.properties) {
      loose.fields.push(fieldOf(name, name, schema, required));
      continue;
    }
    const fields = Object.entries(schema.properties).map(([field, each]) =>
      fieldOf(`${name}.${field}`, field, resolve(each), schema.required?.includes(field) ?? false),
    );
    const title = schema.description?.split(/[;,]/)[0] ?? name;
    sections.push({ name, title, required, fields });
  }
  return [...sections, loose];
}

function fieldOf(path: string, name: string, schema: Schema, required: boolean): FieldSpec {
  const types = [schema.type ?? []].flat();
  const [label = name, ...more] = (schema.description ?? name).split('; ');
  // "obligatorio sin CodigoPostal" names fields as programs do.
  const hint = more.filter((part) => !part.startsWith('obligatorio'));
  const choices = textsOf(types.includes('array') ? (schema.items ?? {}) : schema);
  const [example] = schema.examples ?? [];
  return {
    ...{ path, name, label, required, options: choices },
    isAlternative: more.length > hint.length,
    hint: hint.length > 0 ? capitalized(hint.join('; ')) : undefined,
    example: example === undefined || Array.isArray(example) ? undefined : String(example),
    kind: kindOf(types, choices),
    maxLength: schema.maxLength,
  };
}

function kindOf(types: string[], choices: string[]): FieldSpec['kind'] {
  if (types.includes('array')) return 'choices';
  if (choices.length > 0) return 'choice';
  if (types.includes('integer')) return 'integer';
  return types.includes('number') ? 'decimal' : 'text';
}

function textsOf({ enum: values = [] }: Schema): string[] {
  return values.filter((value) => value !== null);
}

/** Returns the guide of a request. What is empty is left out, and a number that is none goes as it was typed: the API says so. */
export function guideOf({ sections }: GuideForm, values: Values): Record<string, unknown> {
  const guide: Record<string, unknown> = {};
  for (const { name, required, fields } of sections) {
    const filled = fields.flatMap((field) => {
      const text = values[field.path]?.trim() ?? '';
      return text === '' ? [] : [[field.name, typed(field, text)] as const];
    });
    if (name === '') Object.assign(guide, Object.fromEntries(filled));
    else if (required || filled.length > 0) guide[name] = Object.fromEntries(filled);
  }
  return guide;
}

function typed({ kind }: FieldSpec, text: string): unknown {
  if (kind === 'choices') return text.split('|');
  if (!isNumber(kind)) return text;
  return readNumber(text).value ?? text;
}

/** Returns why the text of a field is no number, where it should be one. */
export function refusalOf({ kind, path }: FieldSpec, values: Values): string | undefined {
  const text = values[path]?.trim() ?? '';
  return isNumber(kind) && text !== '' ? readNumber(text).refusal : undefined;
}

function isNumber(kind: FieldSpec['kind']): boolean {
  return kind === 'decimal' || kind === 'integer';
}

/** Whether a guide has all that must be there, so that the API can look at the rest. */
export function isComplete({ sections }: GuideForm, values: Values): boolean {
  return sections
    .filter(({ required }) => required)
    .flatMap(({ fields }) => fields)
    .every(({ required, path }) => !required || (values[path] ?? '').trim() !== '');
}
