import { expect } from 'vitest';
import { Credential } from '#services/canary/http/credential.ts';
import { customersWay } from '#services/canary/http/ways.ts';
import { Destinations } from '#services/canary/steps/destinations.ts';
import { makeRound } from '#services/canary/steps/round.ts';
import type { Outcome } from '#services/canary/steps/steps.ts';
import { type Altered, startAlteringProxy } from '#test/fixtures/altering-proxy.ts';
import { test as customers, PatientCustomer } from './customer.ts';

/** What a round says of a service whose answers are changed on their way. */
const test = customers
  .extend('proxy', async ({ api }, { onCleanup }) => {
    const proxy = await startAlteringProxy(api.url);
    onCleanup(proxy.close);
    return proxy;
  })
  .extend('round', ({ proxy, key, reader }) => {
    const customer = new PatientCustomer(customersWay(proxy.url), new Credential(() => key, 60_000));
    const destinations = new Destinations();
    return { destinations, make: () => makeRound(customer, 'customers', destinations, reader) };
  });

/** Returns the steps that failed, and with which answer. */
const failuresIn = (outcomes: readonly Outcome[]) =>
  outcomes.filter(({ result }) => result === 'failed').map(({ step, answer }) => `${step}: ${answer}`);
const stepsIn = (outcomes: readonly Outcome[]) => outcomes.map(({ step }) => step);
/** Changes the answers to a path. */
const at = (path: string, change: (answer: Altered) => void) => (answer: Altered) => {
  if (answer.path.startsWith(path)) change(answer);
};
const refuse = (status: number, codigo: string) => (answer: Altered) =>
  void Object.assign(answer, { status, body: Buffer.from(JSON.stringify({ response: 'ERROR', codigo })) });

test('a creation that is refused ends the round, and is named with its code and request', async ({
  proxy,
  round,
}) => {
  proxy.alter = at('/api/guias/crear', refuse(503, 'saturado'));
  const { outcomes, goodMs, guide } = await round.make();
  expect([failuresIn(outcomes), goodMs, guide]).toEqual([['create: 503 saturado'], undefined, undefined]);
  expect(stepsIn(outcomes)).toEqual(['branch', 'create']);
  expect(outcomes.at(-1)?.requestId).toMatch(/^[0-9a-f-]{36}$/);
});

test('a repeated request that makes another guide is told', async ({ proxy, round }) => {
  proxy.drop = (path) => (path === '/api/guias/crear' ? ['idempotency-key'] : []);
  expect(failuresIn((await round.make()).outcomes)).toEqual(['repeat: la misma solicitud dio otra guía']);
});

test("another guide's bytes, a page without text and half a file are told", async ({ proxy, round }) => {
  const prints: Buffer[] = [];
  proxy.alter = at('/api/guias/etiqueta/', ({ body }) => void prints.push(body));
  expect((await round.make()).goodMs).toBeGreaterThan(0);
  const failing = async (change: (answer: Altered) => void) => {
    proxy.alter = at('/api/guias/etiqueta/', change);
    const { outcomes, goodMs } = await round.make();
    expect(goodMs).toBeUndefined();
    return failuresIn(outcomes);
  };
  expect(await failing((answer) => void Object.assign(answer, { body: prints[0] }))).toEqual([
    'read-label: el código de barras es de otra guía',
  ]);
  expect(await failing((answer) => void Object.assign(answer, { cut: true }))).toEqual([
    'print: la respuesta se cortó',
  ]);
  const half = (answer: Altered) => void Object.assign(answer, { body: answer.body.subarray(0, 2_000) });
  expect(await failing(half)).toEqual(['read-label: no se puede abrir']);
  expect(await failing(refuse(500, 'etiqueta_tardia'))).toEqual(['print: 500 etiqueta_tardia']);
});

test('two answers that are swapped are told', async ({ proxy, round }) => {
  const other = (await round.make()).guide?.number ?? '';
  proxy.alter = (answer) => {
    if (/^\/api\/guias\/\d+$/.test(answer.path))
      answer.body = Buffer.from(
        answer.body.toString().replace(/"SEND_GUIA":"\d+"/, `"SEND_GUIA":"${other}"`),
      );
  };
  expect(failuresIn((await round.make()).outcomes)).toEqual(['read: la respuesta trae otra guía']);
});

test('what fails beside the label leaves the round good', async ({ proxy, round }) => {
  proxy.alter = (answer) => {
    at('/api/guias/cotizar', refuse(500, 'error_interno'))(answer);
    at('/rastreo/', (page) => void Object.assign(page, { body: Buffer.from('<html>') }))(answer);
    at('/api/sucursales/cobertura/', refuse(503, 'servicio_no_disponible'))(answer);
  };
  round.destinations.known = { branch: 'MEX01', postalCode: '06600' };
  const { outcomes, goodMs } = await round.make();
  expect(goodMs).toBeGreaterThan(0);
  expect(failuresIn(outcomes).toSorted()).toEqual([
    'page: la página no es la de la guía',
    'postal-code: 503 servicio_no_disponible',
    'quote: 500 error_interno',
  ]);
});

test('a carrier without prices, and neighbours who looked up many numbers, are no fault', async ({
  proxy,
  round,
}) => {
  proxy.alter = (answer) => {
    at('/api/guias/cotizar', refuse(400, 'sin_tarifa'))(answer);
    at('/rastreo/', refuse(429, 'demasiadas_solicitudes'))(answer);
  };
  const { outcomes, goodMs } = await round.make();
  expect([failuresIn(outcomes), goodMs]).toEqual([[], expect.any(Number)]);
  expect(stepsIn(outcomes).filter((step) => step === 'quote' || step === 'page')).toEqual([]);
});

test('without branches it waits; once there were some, that is a fault', async ({ proxy, round }) => {
  const empty = at(
    '/api/sucursales/destinos',
    (answer) => void Object.assign(answer, { body: Buffer.from('{"data":[]}') }),
  );
  proxy.alter = empty;
  expect([await round.make(), round.destinations.areMissing]).toEqual([
    { outcomes: [], skipped: [{ step: 'branch', form: '' }] },
    true,
  ]);
  proxy.alter = () => {};
  expect([(await round.make()).goodMs, round.destinations.areMissing]).toEqual([expect.any(Number), false]);
  proxy.alter = empty;
  expect(failuresIn((await round.make()).outcomes)).toEqual(['branch: falta la sucursal de destino']);
  expect(failuresIn((await round.make()).outcomes)).toEqual(['branch: ninguna sucursal recibe guías']);
  expect(round.destinations.areMissing).toBe(false);
});

test('branches without any covered postal code are a fault', async ({ proxy, round }) => {
  proxy.alter = (answer) => {
    if (answer.path === '/api/sucursales/cobertura') answer.body = Buffer.from('{"data":[]}');
  };
  expect(failuresIn((await round.make()).outcomes)).toEqual([
    'branch: ningún código postal con cobertura tiene una sucursal que reciba guías',
  ]);
  expect(round.destinations.areMissing).toBe(false);
});

test('a destination that takes no more guides is left for another', async ({ proxy, round }) => {
  await round.make();
  const { known } = round.destinations;
  proxy.alter = at('/api/guias/crear', refuse(400, 'destino_no_encontrado'));
  await round.make();
  expect([known, round.destinations.known]).toEqual([expect.any(Object), undefined]);
  proxy.alter = () => {};
  expect((await round.make()).goodMs).toBeGreaterThan(0);
});
