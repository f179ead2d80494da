import { readFileSync } from 'node:fs';
import type { HttpServer } from '#shared/http/http-server.ts';
import { renderMarkdown, type Section } from '#shared/pages/markdown.ts';
import { compilePage, sendPage } from './pages.ts';
import { type Header, headerOf } from './tabs.ts';

const FILE = new URL('../../k8s/runbook.md', import.meta.url);

const template = compilePage<Header & { contents: ReturnType<typeof contentsOf>; content: string }>(
  'runbook',
);

/**
 * `GET /runbook`: what to do about each alert and each diagnosis of "Estado". It asks no store. Register it without a
 * session, because nobody can log in while Redis or MongoDB is away.
 */
export async function runbookRoute(server: HttpServer): Promise<void> {
  const { html: content, sections } = renderMarkdown(readFileSync(FILE, 'utf8'), FILE);
  const page = template({ ...headerOf(undefined, 'Runbook'), contents: contentsOf(sections), content });
  server.get('/runbook', async (_request, reply) => sendPage(reply, page));
}

/** Names the sections, each with its first sentence, which says what it is about. */
function contentsOf(sections: readonly Section[]) {
  return sections
    .filter(({ depth }) => depth === 2)
    .map(({ id, title, text }) => ({ id, title, meaning: /^.*?\.(?= |$)/.exec(text)?.[0] ?? '' }));
}
