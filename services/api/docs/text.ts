/** Texts of the chapters, made of values. */

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
