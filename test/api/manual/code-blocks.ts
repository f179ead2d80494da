const ENTITIES = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };

/**
 * Returns the blocks of code that a page of the guide shows, as a reader copies them.
 *
 * @param language whose blocks alone, such as `js`.
 */
export function codeBlocks(html: string, language?: string): string[] {
  const blocks = [
    ...html.matchAll(/<pre tabindex="0"><code(?: class="language-(\w+)")?>([\s\S]*?)<\/code><\/pre>/g),
  ];
  return blocks.flatMap(([, own, block = '']) =>
    language === undefined || own === language ? [unescaped(block)] : [],
  );
}

/** Writes a text as it stands in a page. */
export function escaped(text: string): string {
  return Object.entries(ENTITIES).reduce(
    (all, [entity, character]) => all.replaceAll(character, entity),
    text,
  );
}

function unescaped(text: string): string {
  return Object.entries(ENTITIES).reduceRight(
    (all, [entity, character]) => all.replaceAll(entity, character),
    text,
  );
}
