import { once } from 'node:events';
import { readdir, readFile, watch } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openPreview, type PreviewLabels } from './preview-labels.ts';
import { previewPage } from './preview-page.ts';

/** How long an editor may take to save a file, in ms: it empties the file first. */
const SAVED_MS = 50;

export type PreviewWatch = { url: string; close(): Promise<void> };
type Options = {
  /** The folder of the templates. */
  templates: string;
  executablePath: string;
  /** 0: a free one. */
  port: number;
};

/**
 * Serves a page with all preview cases at 127.0.0.1, which reloads when a template in the folder changes. A wrong template
 * is shown with its file and line.
 */
export async function watchPreview({ templates, executablePath, port }: Options): Promise<PreviewWatch> {
  const preview = new WatchedPreview(templates, executablePath);
  await preview.reload();
  const end = new AbortController();
  const watching = preview.watch(end.signal);
  const server = createServer((request, response) => void preview.answer(request, response));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      end.abort();
      server.close();
      server.closeAllConnections();
      await watching;
      await preview.close();
    },
  };
}

class WatchedPreview {
  readonly #folder: string;
  readonly #executablePath: string;
  readonly #pages = new Set<ServerResponse>();
  #labels: PreviewLabels | undefined;
  #generation = 0;
  #content = '';

  constructor(folder: string, executablePath: string) {
    this.#folder = folder;
    this.#executablePath = executablePath;
  }

  /** Reads the templates anew where their files have changed, and tells the pages. */
  async reload(): Promise<void> {
    const content = await this.#read();
    if (content === this.#content) return;
    const labels = await openPreview(this.#folder, this.#executablePath);
    const former = this.#labels;
    this.#labels = labels;
    this.#content = content;
    this.#generation++;
    for (const page of this.#pages) this.#tell(page);
    await former?.close();
  }

  async watch(signal: AbortSignal): Promise<void> {
    try {
      for await (const _ of watch(this.#folder, { signal })) {
        await delay(SAVED_MS, undefined, { signal });
        await this.reload();
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async answer({ url = '/' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, name = '', type = ''] = /^\/([\w-]*)(?:\.(\w+))?(?:\?.*)?$/.exec(url) ?? [];
    try {
      if (name === 'events') this.#keepTelling(response);
      else if (type === 'pdf') send(response, 'application/pdf', await this.#labels?.pdf(name));
      else if (type === 'png') send(response, 'image/png', await this.#labels?.png(name));
      else if (name === '' && this.#labels)
        send(response, 'text/html; charset=utf-8', this.#page(this.#labels));
      else response.writeHead(404).end('Not found');
    } catch (error) {
      const { message, cause } = error as Error;
      const reason = cause instanceof Error ? cause.message : message;
      response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' }).end(reason);
    }
  }

  async close(): Promise<void> {
    await this.#labels?.close();
  }

  #page(labels: PreviewLabels): string {
    return previewPage(labels, { templates: this.#folder, generation: this.#generation });
  }

  #keepTelling(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    this.#pages.add(response);
    response.on('close', () => this.#pages.delete(response));
    this.#tell(response);
  }

  #tell(page: ServerResponse): void {
    page.write(`data: ${this.#generation}\n\n`);
  }

  /** Returns all that the files hold; an editor that saves one may touch it several times. */
  async #read(): Promise<string> {
    const names = (await readdir(this.#folder)).filter((name) => !name.startsWith('.')).sort();
    const texts = names.map((name) => readFile(join(this.#folder, name), 'utf8').catch(() => ''));
    return JSON.stringify([names, await Promise.all(texts)]);
  }
}

function send(response: ServerResponse, type: string, body: string | Buffer | undefined): void {
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
}
