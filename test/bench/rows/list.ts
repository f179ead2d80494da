import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '../load/api-client.ts';
import { inParallel, Refusal } from '../load/load.ts';
import { referenceOf } from '../load/load-guides.ts';
import { percentile } from '../report/statistics.ts';
import type { Result, Run } from '../run.ts';

/** Pages of a walk through a full database, at its start and at its end, and guides by reference; one client alone. */
export async function listPages(run: Run, api: ApiClient): Promise<Result[]> {
  run.say('pages of the list…');
  const seconds = await untilListed(api);
  const pages = run.count(200);
  // The guides are a second apart: the oldest that fill so many pages.
  const early = new Date(Date.UTC(2026, 0, 1) + 50_000 * pages).toISOString().slice(0, 19);
  const first: number[] = [];
  const last: number[] = [];
  const byReference: number[] = [];
  for (let round = 0; round < run.rounds; round++) {
    first.push(await walk(api, '', pages));
    last.push(await walk(api, `hasta=${early}`, pages));
    const places = Array.from({ length: pages }, () => Math.floor(Math.random() * run.guides));
    const found = await inParallel(places, 1, (place) => api.list(`referencia=${referenceOf(place)}`));
    byReference.push(percentile(found.latencies, 0.5));
  }
  const note = `${run.guides} guides; ready ${seconds.toFixed(0)} s after the start`;
  return [
    { id: 'list-first', rounds: first, note },
    { id: 'list-last', rounds: last },
    { id: 'list-reference', rounds: byReference },
  ];
}

/** @returns after how many seconds the list was served. */
async function untilListed(api: ApiClient): Promise<number> {
  const started = performance.now();
  for (;;) {
    const listed = await api.list('limite=1').catch((error: Error) => error);
    if (!(listed instanceof Error)) return (performance.now() - started) / 1_000;
    if (!(listed instanceof Refusal)) throw listed;
    await delay(200);
  }
}

/** @returns the median time of a page, in ms. */
async function walk(api: ApiClient, query: string, pages: number): Promise<number> {
  let cursor = '';
  const { latencies } = await inParallel(Array.from({ length: pages }), 1, async () => {
    const { next } = await api.list(`${query}${cursor}`);
    cursor = next === null ? '' : `&cursor=${next}`;
  });
  return percentile(latencies, 0.5);
}
