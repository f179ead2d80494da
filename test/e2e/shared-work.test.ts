import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { minimalGuide } from '#test/fixtures/client.ts';
import { test as systemTest } from '#test/fixtures/system.ts';

/** Requests that share a call to the branches service, a write or a print. */
const REQUESTS = 20;

const test = systemTest.extend(
  'expectLogged',
  { scope: 'file' },
  ({ folder }) =>
    async (service: string, ids: readonly string[]) => {
      const log = () => readFileSync(join(folder, `${service}.log`), 'utf8');
      await vi.waitFor(() => expect(ids.filter((id) => !log().includes(`"${id}"`))).toEqual([]), 5_000);
    },
);

const idsOf = (name: string) => Array.from({ length: REQUESTS }, (_, i) => `${name}-${i}`);

test('every creation of one call to branches is found by its id in the logs of both services', async ({
  demo,
  expectLogged,
}) => {
  const ids = idsOf('creacion');
  const body = { TipoServicio: 'Domicilio', Guia: [minimalGuide()] };
  const answers = await Promise.all(
    ids.map((id) => demo.post('/api/guias/crear', body, { 'x-request-id': id })),
  );
  expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 200));
  await expectLogged('api', ids);
  await expectLogged('branches', ids);
});

test('a request that joins the print of another finds it in the worker’s log by the label', async ({
  demo,
  expectLogged,
  folder,
}) => {
  const [guide] = await demo.created(minimalGuide());
  const ids = idsOf('etiqueta');
  const answers = await Promise.all(
    ids.map((id) => demo.pdf(`/api/guias/etiqueta/${guide?.SEND_GUIA}`, { 'x-request-id': id })),
  );
  expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 200));
  await expectLogged('api', ids);
  const label = String(answers[0]?.headers.get('etag')).replace(/^W\/"|"$/g, '');
  const lines = readFileSync(join(folder, 'api.log'), 'utf8').split('\n');
  const joined = ids.filter((id) =>
    lines.some((line) => line.includes(`"${id}"`) && line.includes(`"${label}"`)),
  );
  expect(joined).toHaveLength(REQUESTS - 1);
  const [first] = ids.filter((id) => !joined.includes(id));
  await expectLogged('label-worker', [label, String(first)]);
});
