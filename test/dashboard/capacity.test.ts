import { expect } from 'vitest';
import { capacityView } from '#services/dashboard/capacity.ts';
import type { PrintCapacity, WorkerHeartbeat } from '#shared/stores/heartbeat.ts';
import { type Fleet, workerBeat } from '#test/fixtures/dashboard/fleet.ts';
import { LabelJobs } from '#test/fixtures/dashboard/label-jobs.ts';
import { test as ownFleet } from '#test/fixtures/dashboard/own-fleet.ts';
import { Visitor } from '#test/fixtures/dashboard/visitor.ts';
import { mixedLabels } from '#test/fixtures/labels/labels.ts';
import { passTime } from '#test/fixtures/pass-time.ts';

/** Each test has a dashboard of its own, which reads the heartbeats of its own workers. */
const test = ownFleet
  /** The part "Capacidad", without markup, once it says so. */
  .extend('capacityThat', async ({ prefix, startDashboard }) => {
    const { url } = await startDashboard({ REDIS_PREFIX: prefix, WORKERS_MAX: '3' });
    const operator = await Visitor.operator(url);
    return async (says: RegExp) => {
      const part = /<h2>Capacidad<.*?<\/section>/;
      const page = await operator.statusThat(says, part);
      return (part.exec(page)?.[0] ?? '').replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
    };
  });

/** What workers tell, each with the figures of its capacity. */
async function tell(fleet: Fleet, ...all: WorkerHeartbeat['capacity'][]): Promise<void> {
  for (const [i, capacity] of all.entries()) await fleet.keepAlive(workerBeat(`w-${i}`, { capacity }));
}
const at = (share: number, mostPerMinute: number, isLeast = false): PrintCapacity => ({
  perMinute: share * mostPerMinute,
  mostPerMinute,
  isLeast,
});

test.for<[WorkerHeartbeat['capacity'][], RegExp]>([
  [[], /No hay ningún worker vivo\./],
  [
    [at(0.35, 600), at(0.35, 600)],
    /Con 2 workers, ocupados al 35 %: alcanzan para unas 2\.5 veces lo de ahora\./,
  ],
  [[at(0.17, 600)], /Con 1 worker, ocupado al 17 %: alcanza para unas 5 veces lo de ahora\./],
  [[at(0.2, 500), at(0.8, 500)], /Con 2 workers, ocupados al 50 %: alcanzan para unas 2 veces lo de ahora\./],
  [[at(0.75, 600)], /Con 1 worker, ocupado al 75 %: alcanza para un 30 % más\./],
  [[at(0.98, 600), at(1, 600)], /Con 2 workers, ocupados al 99 %: no alcanzan para más\./],
  [[at(0.01, 600)], /Con 1 worker, ocupado al 1 %: alcanza para más de 20 veces lo de ahora\./],
  [
    [at(0.3, 600, true), at(0.3, 600)],
    /Con 2 workers, ocupados al 30 %: alcanzan para al menos 3 veces lo de ahora\./,
  ],
  [
    [at(0.99, 600, true)],
    /Con 1 worker, ocupado al 99 %: no se sabe si alcanza para más, porque los lotes no van llenos\./,
  ],
  [
    [null, null],
    /No se sabe para cuántas etiquetas más alcanzan los workers\. Cada uno de 2 workers aún no imprime lo bastante/,
  ],
  [
    [at(0.5, 600), null],
    /Con 1 de 2 workers, ocupado al 50 %: alcanza para unas 2 veces lo de ahora\. Un worker aún no imprime lo bastante: se mide con un minuto de trabajo\./,
  ],
])('%j is said so: %s', async ([workers, says], { capacityThat, fleet }) => {
  await tell(fleet, ...workers);
  await capacityThat(says);
});

test('the workers that the last minute needs are named beside those that the autoscaler allows', async ({
  capacityThat,
  fleet,
}) => {
  await tell(fleet, at(0.5, 600), null);
  expect(await capacityThat(/Podrían imprimir/)).toContain(' Podrían imprimir 600 o más Workers vivos 2 ');
  await tell(fleet, at(0.5, 600), at(0.5, 600));
  expect(await capacityThat(/Podrían imprimir<\/dt><dd>1,200</)).toMatch(
    /Etiquetas por minuto 0 Podrían imprimir 1,200 Workers vivos 2 Hacen falta 1 Como máximo 3 /,
  );
});

test.for(['failed', 'refused'])(
  'the workers needed are a least if requests were %s: files among them have many labels',
  async (outcome, { capacityThat, fleet, prefix, stores }) => {
    await tell(fleet, at(0.5, 600), at(0.5, 600));
    const minute = Math.floor(Date.now() / 60_000);
    // Another minute may begin meanwhile.
    for (const ago of [0, 1]) {
      await stores.redis.set(`${prefix}:label-count:printed:${minute - ago}`, 1_200);
      await stores.redis.set(`${prefix}:label-count:${outcome}:${minute - ago}`, 500);
    }
    expect(await capacityThat(/Hacen falta<\/dt><dd class="atencion">/)).toMatch(
      /Etiquetas por minuto 1,200 .* Hacen falta al menos 5 /,
    );
  },
);

test('the workers needed go by the last whole minute, not by the one that has just begun', () => {
  const minute = (at: number, printed: number) => ({ at, printed, failed: 0, refused: 0, limited: 0 });
  const minutes = [minute(0, 1), minute(60_000, 2_000), minute(120_000, 5)];
  expect(capacityView({ workers: [{ capacity: at(1, 600) }], minutes }, undefined)).toMatchObject({
    perMinute: 2_000,
    wanted: 5,
  });
});

test('a real worker tells nothing in its first minute, and then how many more it could print', async ({
  capacityThat,
  prefix,
  startLabelWorker,
  stores,
}) => {
  const jobs = new LabelJobs(stores.redis, prefix);
  const { server } = await startLabelWorker({ REDIS_PREFIX: prefix });
  await capacityThat(/Un worker aún no imprime lo bastante/);
  passTime(61_000);
  for (const label of mixedLabels(24)) {
    // Of a label older than a second a worker looks whether somebody waits.
    const job = await jobs.waiting(label, { askedAt: Date.now() + 120_000 });
    await expect.poll(() => job.getState(), { interval: 5 }).toBe('completed');
  }
  // The more this machine has to do besides, the less the worker could print.
  await capacityThat(/Con 1 worker, ocupado al \d+ %: (alcanza para|no se sabe si alcanza para más)/);
  await server.close();
  await jobs.close();
});
