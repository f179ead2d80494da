/** Text that is HTML already; any other text is escaped where it is put into HTML. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | string | number | false | undefined | readonly Html[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Tags a template that is HTML. Its values are escaped, but for HTML itself; lists of it are joined. */
export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(toText)));
}

function toText(value: Value): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** Shows text in which code stands between backticks, as OpenAPI's descriptions have it. */
export function prose(text: string): Html {
  const parts = text
    .split('`')
    .map((part, index) => (index % 2 ? html`<code>${part}</code>` : html`${part}`));
  return html`${parts}`;
}

/** Shows a table that a narrow screen scrolls by itself, also by keyboard. */
export function table(name: string, heads: string[], rows: Html[][]): Html {
  return html`<div class="tabla" role="region" aria-label="${name}" tabindex="0"><table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`)}</tbody>
</table></div>`;
}

/** Writes JSON over several lines; an object that holds no other stands on one. */
export function readableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/\{\s+([^{}[\]]*?)\s+\}/g, (_, fields: string) => {
    return `{ ${fields.replace(/\n\s+/g, ' ')} }`;
  });
}
