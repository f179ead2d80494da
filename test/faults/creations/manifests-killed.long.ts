import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Answer, Client } from '#test/fixtures/client.ts';
import { listOf, newGuides } from '#test/fixtures/manifests.ts';
import { keepFigures } from '../clients/under-load.ts';
import type { Part } from '../system/part.ts';
import { test } from '../system/system.ts';

/** Guides of a round, of which three requests ask for parts that overlap. */
const GUIDES = 500;
const ROUNDS = 20;

/** The first list has a key. */
type Round = { lists: string[][]; key: string; answers: (Answer | 'cut')[] };

test('while the api is killed, each manifest is whole or not there, and no guide is in two', async ({
  system,
}) => {
  const client = await Client.login(system.url);
  const api = system.apis[0] as Part;
  const began = performance.now();
  await send(client);
  const usual = performance.now() - began;
  const rounds: Round[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const kill = async () => {
      await sleep(((i + 0.5) / ROUNDS) * usual);
      await api.kill();
      await api.start();
    };
    rounds.push(await send(client, kill));
  }
  // A cut request is answered when it is repeated, always in the same way.
  for (const { lists, key, answers } of rounds) {
    const [first, second] = [await ask(client, lists[0], key), await ask(client, lists[0], key)] as Answer[];
    expect(['200', 'guia_en_manifiesto']).toContain(first?.body.codigo ?? String(first?.status));
    expect(first?.body.data).toEqual(second?.body.data);
    const [earlier] = answers;
    if (earlier !== 'cut' && earlier?.status === 200) expect(first?.body.data).toEqual(earlier.body.data);
  }
  const stored = (await system.db.collection('manifests').find().toArray()).map(({ guides }) =>
    guides.map(({ number }: { number: string }) => number),
  );
  const all = stored.flat();
  expect(new Set(all).size).toBe(all.length);
  const answers = rounds.flatMap((round) => round.answers);
  const [known, asked] = [stored.map(String), rounds.flatMap(({ lists }) => lists.map(String))];
  for (const answer of answers) {
    if (answer !== 'cut' && answer.status === 200) expect(known).toContain(String(listOf(answer)));
  }
  // Those of the first requests, before any fault, are not of a round.
  expect(known.filter((list) => !asked.includes(list)).length).toBeLessThanOrEqual(2);
  const cut = answers.filter((answer) => answer === 'cut').length;
  keepFigures({
    fault: `manifests under way, the api killed ${ROUNDS} times`,
    requests: answers.length,
    cut,
  });
});

/** Asks at once for manifests of overlapping parts of new guides. */
async function send(client: Client, kill = async () => {}): Promise<Round> {
  const guides = await newGuides(client, GUIDES);
  const part = (from: number, to: number) => guides.slice(from * GUIDES, to * GUIDES);
  const lists = [part(0, 0.6), part(0.4, 0.9), part(0.5, 0.8)];
  const key = randomUUID();
  const asked = lists.map((list, i) => ask(client, list, i === 0 ? key : undefined));
  await kill();
  return { lists, key, answers: await Promise.all(asked) };
}

function ask(client: Client, Guias?: string[], key?: string): Promise<Answer | 'cut'> {
  const header = key === undefined ? {} : { 'idempotency-key': key };
  return client.post('/api/manifiestos', { Guias }, header).catch(() => 'cut' as const);
}
