import type { Chapter } from './chapters.ts';

/** The guide as programs read it: in Markdown, with a list of its chapters. */

/**
 * Returns a chapter in Markdown that stands alone: links name the API's address and lead to other chapters in Markdown,
 * and a picture is its words.
 *
 * @param url the API's address.
 */
export function textForPrograms({ markdown }: Chapter, chapters: readonly Chapter[], url: string): string {
  const pages = new Set(chapters.map(({ path }) => `/api/docs${path}`));
  return markdown
    .replaceAll(/!\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(
      /\]\((\/[^)#]*)/g,
      (_, address: string) => `](${url}${address}${pages.has(address) ? '.md' : ''}`,
    );
}

/** Returns the list of the chapters (https://llmstxt.org), each with its address in Markdown and its first sentence. */
export function listForPrograms(carrier: string, chapters: readonly Chapter[], url: string): string {
  const bySubject = [...Map.groupBy(chapters, ({ subject }) => subject)].map(([subject, its]) => {
    const lines = its.map(
      ({ path, title, summary }) => `- [${title}](${url}/api/docs${path}.md): ${summary}`,
    );
    return `## ${subject}\n\n${lines.join('\n')}`;
  });
  return `${[
    `# ${carrier}: guías de envío`,
    '> API para crear guías de envío e imprimir sus etiquetas. Los nombres y los mensajes están en español.',
    ...bySubject,
    `## OpenAPI\n\n- [Documento OpenAPI 3.1](${url}/api/openapi.json): cada operación con sus esquemas y sus errores`,
  ].join('\n\n')}\n`;
}
