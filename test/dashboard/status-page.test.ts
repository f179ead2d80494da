import { UnrecoverableError } from 'bullmq';
import { describe, expect, onTestFinished } from 'vitest';
import { ActionCounts } from '#shared/actions/action-counts.ts';
import { createLogger } from '#shared/observability/logger.ts';
import type { Webhook } from '#shared/webhooks/webhook-model.ts';
import { WebhookStore } from '#shared/webhooks/webhook-store.ts';
import { workerBeat } from '#test/fixtures/dashboard/fleet.ts';
import { LabelJobs } from '#test/fixtures/dashboard/label-jobs.ts';
import { test as ownFleet } from '#test/fixtures/dashboard/own-fleet.ts';
import { cannot, GOOD } from '#test/fixtures/dashboard/pretended-canary.ts';
import { Visitor } from '#test/fixtures/dashboard/visitor.ts';
import { label } from '#test/fixtures/labels/labels.ts';
import { passTime } from '#test/fixtures/pass-time.ts';

/** Each test has a dashboard that reads its queue, and one process of each service, the label worker included, all well. */
const test = ownFleet
  .extend('worker', { auto: true }, ({ fleet }) => fleet.keepAlive(workerBeat('w-0')))
  .extend('jobs', ({ prefix, stores }, { onCleanup }) => {
    const jobs = new LabelJobs(stores.redis, prefix);
    onCleanup(() => jobs.close());
    return jobs;
  })
  .extend('operator', async ({ prefix, startDashboard }) => {
    const { url } = await startDashboard({ REDIS_PREFIX: prefix });
    return Visitor.operator(url);
  })
  /** The page's text, once it says so. */
  .extend(
    'pageThat',
    ({ operator }) =>
      (says: RegExp) =>
        operator.statusThat(says),
  );

describe('the status page', () => {
  test('counts webhooks that are behind, and those that were switched off', async ({ stores, pageThat }) => {
    await pageThat(/Atrasados más de 10 min<\/dt><dd class="">0</);
    const store = new WebhookStore(stores.mongo);
    const webhook = { account: 'demo', url: 'https://tienda.example/', description: '', cursor: 0 };
    const all = stores.mongo.collection<Webhook>('webhooks');
    const ids = [1, 2, 3, 4].map(async () => (await store.add(webhook, 'whsec_'))?._id ?? '');
    onTestFinished(async () => void (await all.deleteMany({})));
    const [waits = '', forgotten = '', off = ''] = await Promise.all(ids);
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    await all.updateOne({ _id: waits }, { $set: { waitingSince: minutesAgo(11), dueAt: minutesAgo(-60) } });
    await all.updateOne({ _id: forgotten }, { $set: { dueAt: minutesAgo(11) } });
    const gone = { at: minutesAgo(600), reason: 'Respondio 410: ya no existe' };
    await all.updateOne({ _id: off }, { $set: { active: false, off: gone, waitingSince: minutesAgo(600) } });
    const text = await pageThat(/2 webhooks tienen eventos que esperan desde hace más de 10 min/);
    expect(text).toContain('1 webhook se apagó en las últimas 24 h');
    expect(text).toMatch(/Atrasados más de 10 min<\/dt><dd class="atencion">2</);
    expect(text).toContain('href="/runbook#webhooksbehind"');
  });

  test('shows failures with time, reason, guide and request', async ({ jobs, pageThat }) => {
    await jobs.failed(label({ number: '482913650730' }), new Error('browser-failed'), 'pedido-uno');
    const last = await jobs.failed(
      label({ number: '482913650731' }),
      new UnrecoverableError('label-unprintable'),
    );
    const text = await pageThat(/Últimos fallos.*482913650731/);
    const [first = '', second = ''] = text.slice(text.indexOf('Últimos fallos')).split('<tr>').slice(2);
    expect(first).toContain('Los datos de la etiqueta no se pueden imprimir');
    expect(first).toContain('482913650731');
    expect(first).toContain(`/colas/queue/labels/${last.id}`);
    expect(second).toContain('Chromium falló o tardó demasiado');
    expect(second).toContain('pedido-uno');
    expect(second).toMatch(/>\d\d:\d\d:\d\d</);
    // An hour may end meanwhile.
    const hours = [60_000, 0].map((ago) =>
      new Date(Date.now() - ago - 6 * 3_600_000).toISOString().slice(11, 13),
    );
    const updated = /id="hora">(\d\d):\d\d:\d\d<\/span>, hora del centro de México/.exec(text);
    expect(hours).toContain(updated?.[1]);
    expect(text).not.toContain('UTC');
  });

  test('shows how long labels take', async ({ jobs, pageThat }) => {
    for (let i = 0; i < 4; i++)
      await jobs.waiting(label({ packages: i + 1 }), { askedAt: Date.now() - 60_000 });
    await jobs.work(4, async () => ({ bytes: 1, at: Date.now() }));
    const text = await pageThat(/4 etiquetas de los últimos 5 min/);
    expect(text).toMatch(/Tardan \(mediana\)<\/dt><dd>1 min/);
  });

  test('shows no text of an error, and escapes', async ({ fleet, jobs, pageThat }) => {
    const hostile = '<script>alert(1)</script>"><img src=x onerror=alert(1)>';
    await jobs.failed(label(), new Error(hostile), hostile);
    await fleet.keepAlive(workerBeat('w-malo', { host: hostile }));
    const text = await pageThat(/Error inesperado: búsquelo en el registro/);
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(text).not.toContain('<img');
    expect(text).not.toContain('<script>alert');
  });

  test('shows figures instead of a chart of a single minute', async ({ pageThat, prefix, stores }) => {
    await pageThat(/Impresas<\/dt><dd>0<.*Ninguna en las últimas dos horas\./);
    const halfAnHourAgo = Math.floor(Date.now() / 60_000) - 30;
    await stores.redis.set(`${prefix}:label-count:printed:${halfAnHourAgo}`, 7);
    const text = await pageThat(/Impresas<\/dt><dd>7<.*Todas en el minuto de las \d\d:\d\d\./);
    expect(text).not.toContain('<svg');
    await stores.redis.set(`${prefix}:label-count:printed:${halfAnHourAgo + 9}`, 3);
    await pageThat(/Impresas<\/dt><dd>10 <small>hasta 7 por minuto.*<svg/);
  });

  test('shows the share of guides that answer 0', async ({ pageThat, prefix, stores }) => {
    await pageThat(/Precios de las guías<\/h2> *<p class="nota">Ninguna guía en los últimos 30 min\./);
    const counts = new ActionCounts(stores.redis, prefix, Date, createLogger('test', 'silent'));
    counts.countGuides('priced', 1_000);
    counts.countGuides('billed', 199);
    counts.countGuides('without_tariff', 51);
    await counts.write();
    await pageThat(
      /Creadas<\/dt><dd>1,250<.*Sin cotizar<\/dt><dd>250 <small>20 %<.*sin tarifa<\/dt><dd>51<.*De los últimos 30 min\./,
    );
  });

  test('draws what became of labels in each minute of two hours', async ({ pageThat, prefix, stores }) => {
    const counts = new ActionCounts(stores.redis, prefix, Date, createLogger('test', 'silent'));
    const hourAgo = Math.floor(Date.now() / 60_000) - 60;
    await stores.redis.set(`${prefix}:label-count:printed:${hourAgo}`, 12_000);
    for (const outcome of ['printed', 'printed', 'limited'] as const) counts.countLabel(outcome);
    counts.count('print', 'refused');
    await counts.write();
    const text = await pageThat(/12,002 <small>hasta 12,000 por minuto/);
    expect(text).toMatch(/Impresas<\/dt><dd>12,002 /);
    expect(text).toMatch(/Con error<\/dt><dd>0 <small>hasta 0 por minuto/);
    expect(text).toMatch(/Rechazadas, 503 saturado<\/dt><dd>1 <small>hasta 1 por minuto/);
    // A full bar an hour ago, and now one of 2 that is as high as can be seen; nothing failed.
    // A minute may end meanwhile.
    expect(text).toMatch(/<path class="printed" d="M5[89] 30v-26.0h0.8v26.0zM11[89] 30v-3.0h0.8v3.0z"\/>/);
    expect(text).toContain('<path class="failed" d=""/>');
    expect(text).toMatch(/<path class="refused" d="M11[89] 90v-26.0h0.8v26.0z"\/>/);
    const rows = [...text.matchAll(/<th scope="row"[^>]*>([\d:]+)<\/th>(.*?)<\/tr>/g)];
    expect(rows).toHaveLength(12);
    const last = rows.at(-1)?.[2]?.replace(/<[^>]*>/g, ' ');
    expect(last?.trim().split(/ +/)).toEqual(['2', '0', '1', '1']);
  });
});

describe('what a customer of our own finds', () => {
  const served = 'El cliente de prueba hizo una guía y leyó su etiqueta hace';
  const failing =
    'El cliente de prueba no puede imprimir etiquetas por la dirección de los clientes desde hace';

  test('begins the page, beside a cause that explains it', async ({
    fleet,
    pageThat,
    pretendedCanary: canary,
  }) => {
    onTestFinished(() => void Object.assign(canary, { report: GOOD }));
    const text = await pageThat(/<h1>Todo bien<\/h1>/);
    expect(text).toMatch(new RegExp(`</h1> <p class="cliente ">${served} 2 s, en 400 ms</p>`));
    expect(text).toContain('Se miró: el cliente de prueba (1 entrada), api (1),');
    canary.report = cannot('print');
    const list = /<h1>Hay un problema<\/h1> <ul> <li class="mal"> <span>([^<]*) \d+ s: 503 saturado<\/span>/;
    const named = await pageThat(list);
    expect([list.exec(named)?.[1], named.split(failing).length]).toEqual([failing, 3]); // once as a name of its link
    expect(named).toContain('href="/runbook#customerscannot"');
    await fleet.remove('w-0');
    await pageThat(
      new RegExp(
        `<p class="cliente mal">${failing} \\d+ s: 503 saturado</p> <ul> <li class="mal"> <span>No hay ningún`,
      ),
    );
  });

  test('is what was heard last for 45 s; after that nobody tries', async ({
    pageThat,
    pretendedCanary: canary,
  }) => {
    onTestFinished(() => void Object.assign(canary, { report: GOOD }));
    await pageThat(new RegExp(`${served} 2 s`));
    // Another program answers at the address.
    Object.assign(canary, { report: { status: 'ok' } });
    passTime(20_000);
    await pageThat(new RegExp(`<h1>Todo bien.*${served} [2-4]\\d s`));
    passTime(120_000);
    await pageThat(/<h1>Hay un problema.*Nadie prueba desde hace 2 min: el servicio canary no responde/);
    canary.report = GOOD;
    await pageThat(new RegExp(`<h1>Todo bien.*${served} 2 s`));
  });

  test('is unknown to a dashboard that has heard nothing', async ({ prefix, startDashboard }) => {
    const { url } = await startDashboard({ REDIS_PREFIX: prefix, CANARY_URL: 'http://127.0.0.1:1' });
    const operator = await Visitor.operator(url);
    const text = await operator.statusThat(
      /<h1>Hay un problema.*Nadie prueba desde hace al menos [^:]*: el servicio canary no responde/,
    );
    expect(text).toContain('Se miró: api (1),');
  });
});

describe('a worker', () => {
  test('is shown with its Chromium while alive', async ({ jobs, pageThat, prefix, startLabelWorker }) => {
    const real = await startLabelWorker({ REDIS_PREFIX: prefix });
    const dropped = label({ number: '482913650737' }); // nobody has waited for it for a minute
    await jobs.waiting(dropped, { askedAt: Date.now() - 60_000 });
    // Of a label older than a second a worker looks whether somebody waits, however slow the machine is.
    await jobs.waiting(label(), { askedAt: Date.now() + 60_000 });
    const text = await pageThat(
      /label-worker \(2\) con su Chromium.*1 etiqueta de los últimos.*Etiquetas">1</,
    );
    expect(text).toMatch(/Memoria">\d\d+ MiB/);
    expect(text).toMatch(/Impresiones">\d+</);
    await real.server.close();
    await pageThat(/label-worker \(1\) con su Chromium/);
  });

  test('whose Chromium does not start is named', async ({ fleet, pageThat }) => {
    for (const [host, state, ms] of [
      ['otra-maquina', 'failed', 61_000],
      ['la-que-cuelga', 'starting', 125_000],
      ['la-que-empieza', 'starting', -60_000],
    ] as const) {
      const chromium = { state, since: Date.now() - ms, prints: 0 };
      await fleet.keepAlive(workerBeat(host, { host, chromium }));
    }
    await pageThat(/El Chromium de la-que-cuelga y de 1 más no arranca, desde hace 2 min/);
    await fleet.remove('otra-maquina');
    await pageThat(/El Chromium de la-que-cuelga está arrancando, desde hace 2 min/);
    await fleet.remove('la-que-cuelga');
    await pageThat(/<h1>Todo bien/);
  });
});

describe('the status page without workers', () => {
  test('says that no worker prints, and shows since when labels wait', async ({ fleet, jobs, pageThat }) => {
    await fleet.remove('w-0');
    await jobs.waiting(label(), { askedAt: Date.now() - 200_000 });
    await jobs.waiting(label({ kind: 'small' }));
    const text = await pageThat(/Hay un problema.*No hay ningún label-worker vivo: no se imprime nada/);
    expect(text).toMatch(/En espera<\/dt><dd>2</);
    expect(text).toMatch(/Espera más larga<\/dt><dd>3 min/);
    expect(text).toContain(`href="/runbook#noworkers"`);
    expect(text.indexOf('<h1')).toBeLessThan(text.indexOf('En espera'));
  });

  test('says when that has ended, also to a dashboard that was just started', async ({
    fleet,
    operator,
    pageThat,
    prefix,
    startDashboard,
  }) => {
    await fleet.remove('w-0');
    const seenFor = async () => {
      const text = await pageThat(
        /No hay ningún label-worker vivo: no se imprime nada<\/span> <small>desde las/,
      );
      const [begin, now] = [/desde las ([\d:]+)/, /id="hora">([\d:]+)/].map((time) => time.exec(text)?.[1]);
      return Math.abs(Date.parse(`2026-11-24T${now}Z`) - Date.parse(`2026-11-24T${begin}Z`));
    };
    // What one status alone had is not told afterwards.
    await expect.poll(seenFor).toBeGreaterThanOrEqual(2_000);
    await fleet.keepAlive(workerBeat('w-0'));
    const told = /Terminó a las \d\d:\d\d, desde las \d\d:\d\d: No hay ningún label-worker vivo[^<]*/;
    const [line = ''] = told.exec(await pageThat(told)) ?? [];
    const { url } = await startDashboard({ REDIS_PREFIX: prefix });
    const other = Object.assign(new Visitor(url), { cookie: operator.cookie });
    expect(await other.statusThat(told)).toContain(line);
  });
});
