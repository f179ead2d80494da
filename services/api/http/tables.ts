/** Texts in Markdown, made of values: for the OpenAPI document and the guide for integrators. */

/** Escapes Markdown. */
export function asText(text: string): string {
  return text.replace(/[\\`*_[\]<>|&]/g, '\\$&');
}

/** Longest line of JSON that is not broken. */
const LINE = 60;

/** Writes JSON over several lines, with each short innermost object or array on one line. */
export function readableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    /([{[])\s+([^{}[\]]*?)\s+([}\]])/g,
    (all, open: string, fields: string, close: string) => {
      const space = open === '{' ? ' ' : '';
      const line = `${open}${space}${fields.replace(/\n\s+/g, ' ')}${space}${close}`;
      return line.length > LINE ? all : line;
    },
  );
}

/** Writes a table. */
export function markdownTable(heads: string[], rows: string[][]): string {
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

type Field = { description?: string; examples?: unknown[]; 'x-regla'?: string };
/** A schema of an object. */
export type Section = Field & { required?: string[]; properties?: Record<string, Field> };

/** Writes a table of the fields of an object, whose descriptions are Markdown. */
export function fieldsTable({ properties = {}, required = [] }: Section): string {
  return markdownTable(
    ['Campo', 'Qué es', 'Regla', 'Ejemplo'],
    Object.entries(properties).map(([field, { description, examples, 'x-regla': rule }]) => [
      `\`${field}\`${required.includes(field) ? ' **obligatorio**' : ''}`,
      (description ?? '').replaceAll('|', '\\|'),
      asText(rule ?? ''),
      asText(String(examples?.[0] ?? '')),
    ]),
  );
}
