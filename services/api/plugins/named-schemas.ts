import { isDeepStrictEqual } from 'node:util';

/** A part of the document: an object, a list, or a value. */
type Part = Record<string, unknown>;
type Document = { paths: object; components?: object };

/**
 * Moves each schema that has a `title` to the components of an OpenAPI document, under that name, and refers to it from
 * where it stood. Generators of clients name their types so; where a schema has no name they number it.
 *
 * @throws Error where two different schemas have one title.
 */
export function nameSchemasOf({ openapiObject: document }: { openapiObject: Document }): Document {
  const schemas: Record<string, Part> = {};
  const move = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(move);
    if (typeof part !== 'object' || part === null) return part;
    const { title, ...rest }: Part = Object.fromEntries(
      Object.entries(part).map(([name, value]) => [name, move(value)]),
    );
    // A field may have the name `title`; its value is a schema.
    if (typeof title !== 'string') return title === undefined ? rest : { ...rest, title };
    if (schemas[title] && !isDeepStrictEqual(schemas[title], rest)) {
      throw new Error(`Two schemas of the OpenAPI document have the title ${title}`);
    }
    schemas[title] = rest;
    return { $ref: `#/components/schemas/${title}` };
  };
  const paths = move(document.paths) as object;
  const byName = Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { ...document, paths, components: { ...document.components, schemas: Object.fromEntries(byName) } };
}
