import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, vi } from 'vitest';
import { parse } from 'yaml';
import { DEMO_TARIFF } from '#local/demo-data.ts';
import { freePort } from '#local/process/free-port.ts';
import { startProcess } from '#local/process/owned-process.ts';
import { waitUntilReady } from '#local/process/wait-until-ready.ts';
import { ApiConfig } from '#services/api/config.ts';
import { readTariffFolder } from '#services/api/quotes/tariffs/tariff-files.ts';
import { TariffStore } from '#services/api/quotes/tariffs/tariff-store.ts';
import { BranchesConfig } from '#services/branches/config.ts';
import { CanaryConfig } from '#services/canary/config.ts';
import { DashboardConfig } from '#services/dashboard/config.ts';
import { LabelWorkerConfig } from '#services/label-worker/config.ts';
import { WebhooksConfig } from '#services/webhooks/config.ts';
import { ACTIONS, USER_ACTIONS } from '#shared/rooms.ts';
import { pathOf, put } from '#test/api/evidence/fixture.ts';
import { startPretendedBucket } from '#test/api/evidence/pretended-bucket.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { event } from '#test/fixtures/events.ts';
import type { Running } from '#test/fixtures/services.ts';
import { test as webhooksTest } from '#test/fixtures/webhooks.ts';
import { readObjects } from './kubernetes/kubernetes.ts';
import { alerts, monitoring, panelQueries, RULE_FILES, readMonitoring, rulesOf } from './rules.ts';

type RuleTest = { alert_rule_test?: { alertname: string; exp_alerts: unknown[] }[] };

/** Those that need no more than our services. */
const rules = rulesOf('alerts.yml');
/** What KEDA asks for the label workers. */
const triggerQueries = readObjects('production/scaling.yaml').flatMap(({ spec }) =>
  (spec.triggers ?? []).map(({ metadata }) => metadata.query),
);
const TEST_FILES = readdirSync(monitoring).filter((name) => name.endsWith('.test.yml'));
const promtool = async (...args: string[]) =>
  (await promisify(execFile)('promtool', args, { cwd: monitoring })).stdout;

const test = webhooksTest
  .extend('printing', { scope: 'file', auto: true }, ({ labelWorker }) => labelWorker)
  /** A tariff that is in force tomorrow. */
  .extend('nextTariff', { scope: 'file', auto: true }, async ({ stores }) => {
    const store = new TariffStore(stores.mongo);
    const last = (await store.entries()).at(-1)?._id ?? 0;
    const from = new Date(Date.now() + 86_400_000);
    return store.add(last, { folder: await readTariffFolder(DEMO_TARIFF), from, by: 'ana' });
  })
  /** Somebody who receives events. */
  .extend('subscriber', { scope: 'file' }, ({ newCustomer }) => newCustomer())
  /** An api that waits for no label, so that labels and requests fail, keeps guides for a year, and has a bucket and a mail server that is away. */
  .extend('hasty', { scope: 'file' }, async ({ startApi, stores }, { onCleanup }) => {
    const bucket = await startPretendedBucket();
    onCleanup(() => bucket.close());
    const settings = { LABEL_CACHE_URL: stores.redisUrls.api, RETENTION_DAYS: '365' };
    const mail = {
      ...{
        SMTP_URL: 'smtp://127.0.0.1:1',
        MAIL_FROM: 'avisos@guias.example',
        NOTICES_SECRET: randomBytes(32).toString('hex'),
      },
      ...{ PUBLIC_URL: 'https://guias.example', PRIVACY_NOTICE_URL: 'https://guias.example/privacidad' },
    };
    return startApi({ ...settings, ...mail, EVIDENCE_BUCKET: bucket.address }, { label: 1 });
  })
  /** The address of a Prometheus that scrapes the services. */
  .extend(
    'prometheus',
    { scope: 'file' },
    async ({ api, hasty, branches, canary, labelWorker, webhooks, folder }, { onCleanup }) => {
      const job = (name: string, ...services: Running[]) => ({
        job_name: name,
        static_configs: [
          { targets: services.map(({ url }) => new URL(url).host), labels: { namespace: 'guias' } },
        ],
      });
      const config = {
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: [join(monitoring, 'alerts.yml')],
        scrape_configs: [
          job('api', api, hasty),
          job('branches', branches),
          job('canary', canary),
          job('label-worker', labelWorker),
          job('webhooks', webhooks),
        ],
      };
      writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      const files = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/tsdb`];
      const server = startProcess({
        name: 'Prometheus',
        command: ['prometheus', ...files, `--web.listen-address=127.0.0.1:${port}`],
        logFile: join(folder, 'prometheus.log'),
      });
      onCleanup(() => server.stop());
      await waitUntilReady(server, async () => (await fetch(`${url}/-/ready`)).ok, 20_000);
      return url;
    },
  )
  /** Asks Prometheus. @throws with what it says when it refuses. */
  .extend('ask', { scope: 'file' }, ({ prometheus }) => async <T>(path: string): Promise<T> => {
    const answer = await fetch(`${prometheus}/api/v1/${path}`, { signal: AbortSignal.timeout(20_000) });
    const { data, error } = (await answer.json()) as { data: T; error?: string };
    if (error) throw new Error(`${decodeURIComponent(path)}: ${error}`);
    return data;
  })
  /** The values that an expression has now. */
  .extend('query', { scope: 'file' }, ({ ask }) => async (expr: string): Promise<number[]> => {
    type Vector = { result: { value: [time: number, value: string] }[] };
    const { result } = await ask<Vector>(`query?query=${encodeURIComponent(expr)}`);
    return result.map(({ value }) => Number(value[1]));
  })
  /** Causes a bit of everything that the services do. */
  .extend('traffic', { scope: 'file' }, ({ stores, demo, hasty, subscriber }) => async () => {
    const [guide, late] = await demo.created(minimalGuide(), minimalGuide());
    for (const _ of ['printed', 'cache'])
      expect((await demo.pdf(`/api/guias/etiqueta/${guide?.SEND_GUIA}`)).status).toBe(200);
    await fetch(`${demo.url}/rastreo/1`);
    await new Client(hasty.url, demo.token).pdf(`/api/guias/etiqueta/${late?.SEND_GUIA}`);
    await stores.redis.del(`${stores.prefix}:branches`);
    await Client.login(demo.url);
    const parcel = { Contenido: 'Libros', Peso: 2.5, Largo: 30, Alto: 20, Ancho: 15 };
    const shipment = { Destinatario: { CodigoPostal: '64000' }, Producto: parcel };
    const answers = [
      await demo.post('/api/guias/cotizar', { Guia: [shipment] }),
      await demo.get('/api/eventos'),
      await demo.post(`/api/guias/${late?.SEND_GUIA}/cancelar`, {}),
      await demo.post('/api/manifiestos', { Guias: [guide?.SEND_GUIA] }),
    ];
    const scanner = await Client.login(demo.url, 'escaner');
    const number = guide?.SEND_GUIA ?? '';
    answers.push(await scanner.post('/api/eventos', { Eventos: [event(number, 'Entregado', { Id: 'e1' })] }));
    answers.push(await put(scanner, pathOf(number, 'e1', 'firma')));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const next = (await subscriber.cursor()) + 1;
    await subscriber.append(next, next);
    await expect.poll(subscriber.cursor).toBe(next);
  });

describe('the alerts', () => {
  test('and the configuration are valid for Prometheus', async () => {
    expect(await promtool('check', 'config', 'prometheus.yml')).toContain(`${rules.length} rules found`);
    await promtool('check', 'rules', ...RULE_FILES);
    expect(parse(readMonitoring('kubernetes.yml')).rule_files).toEqual(RULE_FILES);
  });

  // A minute of CPU, which a busy machine makes several.
  test('fire when they should and only then', async () => {
    await promtool('test', 'rules', ...TEST_FILES);
  }, 480_000);

  const tests = TEST_FILES.flatMap((file): RuleTest[] => parse(readMonitoring(file)).tests);
  test.each(alerts.map(({ alert }) => alert))(
    '%s has a test in which it fires and one in which it does not',
    (alert) => {
      const cases = tests
        .flatMap(({ alert_rule_test = [] }) => alert_rule_test)
        .filter(({ alertname }) => alertname === alert);
      expect(cases.some(({ exp_alerts }) => exp_alerts.length > 0)).toBe(true);
      expect(cases.some(({ exp_alerts }) => exp_alerts.length === 0)).toBe(true);
    },
  );
});

describe('what users do', () => {
  // Some have no alert but RequestsFail, which looks at each route by itself.
  test.each(USER_ACTIONS.filter((action) => ACTIONS[action].section !== 'requestsfail'))(
    'has an alert for the action %s',
    (action) => {
      const ofAction = alerts.filter(({ expr }) =>
        expr.includes(`user_actions:failing{action="${action}"} > 0`),
      );
      expect(ofAction.map(({ labels }) => labels.severity)).toContain('critical');
    },
  );
});

test('Prometheus scrapes every service at its port', () => {
  type Job = { job_name: string; dns_sd_configs: [{ names: string[]; port: number }] };
  const jobs = parse(readMonitoring('prometheus.yml')).scrape_configs.map(
    ({ job_name, dns_sd_configs: [{ names, port }] }: Job) => [job_name, names, port],
  );
  const port = ({ properties }: { properties: { PORT: object } }) =>
    (properties.PORT as { default: number }).default;
  expect(jobs).toEqual([
    ['api', ['api'], port(ApiConfig)],
    ['branches', ['branches'], port(BranchesConfig)],
    ['label-worker', ['label-worker'], port(LabelWorkerConfig)],
    ['dashboard', ['dashboard'], port(DashboardConfig)],
    ['webhooks', ['webhooks'], port(WebhooksConfig)],
    ['canary', ['canary'], port(CanaryConfig)],
  ]);
});

/** Metrics that other applications may have too; the names of all others are ours alone. */
const COMMON =
  /^(up|nodejs_\w+|process_\w+|http_request_duration_seconds_count|login_failures_total|audit_events_dropped_total|dependency_\w+)$/;
/** Of these the route is ours. */
const OUR_ROUTE = /route=~?"\/api\/guias\//;

test('every rule names our jobs where another application may have the metric', () => {
  const selectors = rules.flatMap(({ expr }) => [...expr.matchAll(/\b([a-z_][a-z0-9_]*)(?:\{([^}]*)\})?/g)]);
  const common = selectors.filter(([, name = '']) => COMMON.test(name));
  expect(common.length).toBeGreaterThan(15);
  const nameless = common.filter(([, , labels = '']) => !labels.includes('job=') && !OUR_ROUTE.test(labels));
  expect(nameless.map(([text]) => text)).toEqual([]);
});

describe('on a real Prometheus that scrapes the running services', () => {
  test('every panel, every rule and every trigger has data', async ({ query, traffic }) => {
    // Without the thresholds, and without what holds an alert back.
    const compared = rules.map(({ expr }) =>
      expr.replaceAll(/\n +unless on .*/g, '').replaceAll(/ (>=?|==) [\d.]+/g, ''),
    );
    let missing = [...panelQueries, ...compared, ...triggerQueries].map((expr) =>
      expr.replaceAll('$__rate_interval', '1m').replaceAll('$job', '.+'),
    );
    expect(panelQueries.length).toBeGreaterThan(30);
    expect(triggerQueries).not.toEqual([]);
    await Promise.all(missing.map(query)); // one that is refused fails at once
    await vi.waitFor(
      async () => {
        await traffic();
        const values = await Promise.all(missing.map(query));
        missing = missing.filter((_, i) => !values[i]?.some(Number.isFinite));
        expect(missing).toEqual([]);
      },
      // Some rules look back by whole minutes of the clock.
      { timeout: 120_000, interval: 4_000 },
    );
  }, 150_000);
});
