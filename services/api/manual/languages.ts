import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';

const FOLDER = new URL('../../../examples/', import.meta.url);
/** The programs that integrators begin with, by the names of their files. */
export const EXAMPLES: ReadonlyMap<string, string> = new Map(
  readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.md'))
    .map(({ name }) => [name, readFileSync(new URL(name, FOLDER), 'utf8')]),
);
/** Where the examples find the API of `npm start`. */
const EXAMPLE_URL = 'http://127.0.0.1:3000';

/** The languages of the examples, as blocks of code name them: their files, and their names for readers. */
const LANGUAGES = {
  sh: { ending: '.sh', name: 'curl' },
  js: { ending: '.mjs', name: 'Node.js' },
  python: { ending: '.py', name: 'Python' },
  php: { ending: '.php', name: 'PHP' },
} as const;
type Language = keyof typeof LANGUAGES;

/** `#region name` and `#endregion`, behind the comment sign of any of the languages. */
const REGION = /^(?:\/\/)?#region (\w+)\n([\s\S]*?)^(?:\/\/)?#endregion$/gm;

/**
 * Returns what the chapters show of the examples, as Markdown by `programa_` and the name of the region: a block of code for
 * each language that has it.
 *
 * @param url the API's address.
 */
export function programValues(url: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [language, { ending }] of Object.entries(LANGUAGES)) {
    for (const [file, program] of EXAMPLES) {
      if (extname(file) !== ending) continue;
      for (const [, region = '', code = ''] of program.matchAll(REGION)) {
        const name = `programa_${region}`;
        const block = `\`\`\`${language}\n${code.replaceAll(EXAMPLE_URL, url)}\`\`\``;
        values[name] = name in values ? `${values[name]}\n\n${block}` : block;
      }
    }
  }
  return values;
}

const BLOCK = `<pre tabindex="0"><code class="language-(${Object.keys(LANGUAGES).join('|')})">[^]*?</pre>\n`;

/**
 * Shows blocks of code in several languages, one after the other, as one with a choice. The choices are radio buttons, by which
 * styles alone show one block.
 */
export function chooseLanguages(html: string): string {
  let groups = 0;
  return html.replaceAll(new RegExp(`(?:${BLOCK}){2,}`, 'g'), (group) => {
    groups += 1;
    const blocks = [...group.matchAll(new RegExp(BLOCK, 'g'))].map(
      ([block, language = '']) => [language as Language, block] as const,
    );
    const choices = blocks.map(([language], i) => choiceOf(language, `lenguaje-${groups}`, i === 0));
    const shown = blocks.map(([language, block]) => `<div class="${language}">${block}</div>\n`);
    return `<fieldset class="lenguajes"><legend>Lenguaje</legend>\n${choices.join('')}${shown.join('')}</fieldset>\n`;
  });
}

function choiceOf(language: Language, group: string, isFirst: boolean): string {
  const id = `${group}-${language}`;
  const input = `<input type="radio" name="${group}" id="${id}" value="${language}"${isFirst ? ' checked' : ''}>`;
  return `${input}<label for="${id}">${LANGUAGES[language].name}</label>\n`;
}
