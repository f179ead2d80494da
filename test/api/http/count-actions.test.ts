import { expect } from 'vitest';
import { accounts } from '#services/api/accounts/room.ts';
import { ACTIONS_METRIC } from '#shared/actions/user-actions.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { test as services } from '#test/fixtures/services.ts';

const test = services.extend('counts', { scope: 'file' }, ({ api }) => async () => {
  const metrics = await (await fetch(`${api.url}/metrics`)).text();
  const lines = metrics.matchAll(
    new RegExp(`^${ACTIONS_METRIC}{action="(\\w+)",outcome="(\\w+)"} (\\d+)`, 'gm'),
  );
  return Object.fromEntries(
    [...lines].map(([, action, outcome, count]) => [`${action} ${outcome}`, Number(count)]),
  );
});

test('requests that are refused for our data are told with their accounts', async ({ api, demo }) => {
  const told = (action = 'create') =>
    api
      .contextOf(accounts)
      .accountRefusals.report(Date.now())
      [action]?.find(({ account }) => account === 'demo');
  const guide = minimalGuide();
  const wrong = { ...guide, Destinatario: { ...guide.Destinatario, CodigoPostal: '00001' } };
  expect((await demo.create([wrong])).body.codigo).toBe('sin_cobertura');
  await expect.poll(() => told()).toMatchObject({ codigo: 'sin_cobertura', data: 'coverage' });
  // A fault of the client's own says nothing, nor does a catalogue that the carrier does not offer.
  expect((await demo.create([])).status).toBe(400);
  expect((await demo.get('/api/codigos-postales/06600')).body.codigo).toBe('sin_catalogo');
  expect((await demo.create([guide])).status).toBe(200);
  await expect.poll(() => told()).toEqual({ account: 'demo', at: expect.any(Number) });
  expect(told('read')).toBeUndefined();
});

test('what users get is counted by what they do, and their own errors are not', async ({
  api,
  counts,
  demo,
}) => {
  const order = { TipoServicio: 'Domicilio', Guia: [minimalGuide()] };
  const before = await counts();
  const answers = [
    await demo.post('/api/guias/crear', { ...order, Guia: [] }),
    await demo.post('/api/guias/validar', order),
    await new Client(api.url, 'no.token.atall').post('/api/guias/crear', order),
    await demo.get('/api/guias/123'),
    await demo.post('/api/guias/crear', order),
  ];
  expect(answers.map(({ status }) => status)).toEqual([400, 200, 401, 404, 200]);
  await expect.poll(counts).toEqual({
    ...before,
    'create ok': 1 + Number(before['create ok']),
    'read ok': 1 + Number(before['read ok']),
  });
});
