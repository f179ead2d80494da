import { readFileSync } from 'node:fs';
import type { HttpServer } from '#shared/http/http-server.ts';
import { renderMarkdown, type Section } from '#shared/pages/markdown.ts';
import type { DashboardConfig } from './config.ts';
import { compilePage, sendPage } from './pages.ts';
import { type Header, headerOf } from './tabs.ts';

const FILE = new URL('../../k8s/runbook.md', import.meta.url);

/** The ways in which the services run. A block of commands for one of them begins with its name: `# Compose`. */
const WAYS = { kubernetes: 'Kubernetes', compose: 'Compose', 'npm-start': 'npm start' } as const;
type Way = DashboardConfig['INSTALLATION'];

/** The dashboard's address in the file, with the usual port of Compose and of a port-forward. */
const USUAL_ADDRESS = 'http://127.0.0.1:3003';

const template = compilePage<Header & { contents: ReturnType<typeof contentsOf>; content: string }>(
  'runbook',
);
const commandsTemplate = compilePage<ReturnType<typeof tabsOf>>('comandos');

/**
 * `GET /runbook`: what to do about each alert and each diagnosis of "Estado". It asks no store. Register it without a
 * session, because nobody can log in while Redis or MongoDB is away.
 */
export function runbookRoute({ INSTALLATION: way }: Pick<DashboardConfig, 'INSTALLATION'>) {
  return async (server: HttpServer): Promise<void> => {
    const { html, sections } = renderMarkdown(readFileSync(FILE, 'utf8'), FILE);
    const content = withTabs(html, way);
    const page = template({ ...headerOf(undefined, 'Runbook'), contents: contentsOf(sections), content });
    // It may be another one than usual. Who reads the page has the right address.
    server.get('/runbook', async ({ host, protocol }, reply) =>
      sendPage(
        reply,
        /^[\w.:[\]-]+$/.test(host) ? page.replaceAll(USUAL_ADDRESS, `${protocol}://${host}`) : page,
      ),
    );
  };
}

/** Names the sections, each with its first sentence, which says what it is about. */
function contentsOf(sections: readonly Section[]) {
  return sections
    .filter(({ depth }) => depth === 2)
    .map(({ id, title, text }) => ({ id, title, meaning: /^.*?\.(?= |$)/.exec(text)?.[0] ?? '' }));
}

const NAMES = Object.values(WAYS).join('|');
const BLOCK = `<pre[^>]*><code[^>]*># (?:${NAMES})\\n[^]*?</code></pre>\\s*`;

/** Makes tabs of blocks for several ways that follow each other. That of `way` is open. */
function withTabs(html: string, way: Way): string {
  let groups = 0;
  return html.replaceAll(new RegExp(`(?:${BLOCK})+`, 'g'), (group) =>
    commandsTemplate(tabsOf(group, way, ++groups)),
  );
}

function tabsOf(group: string, way: Way, number: number) {
  const tabs = Object.entries(WAYS).map(([id, name]) => {
    const block = new RegExp(`(<pre[^>]*><code[^>]*>)# ${name}\\n([^]*?</code></pre>)`).exec(group);
    return {
      id: `forma-${number}-${id}`,
      name,
      isOpen: id === way,
      block: block && `${block[1]}${block[2]}`,
    };
  });
  return { group: `forma-${number}`, tabs };
}
