import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { parse } from 'yaml';
import { freePort } from '#local/process/free-port.ts';
import { startProcess } from '#local/process/owned-process.ts';
import { waitUntilReady } from '#local/process/wait-until-ready.ts';
import { findProgram } from '#local/programs/ensure-programs.ts';
import { test as folderTest } from '#test/fixtures/folder.ts';
import { startReceiver } from '#test/fixtures/receiver.ts';
import { alerts, readMonitoring, rules } from './rules.ts';

/**
 * One cause, one page: the alerts that fire in each fault of k8s/monitoring/faults.test.yml (where promtool proves them) go to
 * a real Alertmanager with k8s/monitoring/alertmanager.yml, whose receivers are a server of the test.
 */

type Labels = Record<string, string>;
type Fault = { name: string; promql_expr_test: { eval_time: string; exp_samples: { labels: string }[] }[] };

/** Of what each fault pages, by the alerts in one page, and of what the others are told. */
const FAULTS: Readonly<Record<string, { pages: string[]; notices?: string[] }>> = {
  'the label worker is frozen': { pages: ['NoWorkers'], notices: ['ErrorBudgetShrinks'] },
  "the queue's Redis is away": { pages: ['RedisDown'], notices: ['ErrorBudgetShrinks'] },
  "the labels' Redis is away": { pages: ['RedisDown'], notices: ['ErrorBudgetShrinks'] },
  'MongoDB is away, and webhooks catch up afterwards': {
    pages: ['MongoDown'],
    notices: ['ErrorBudgetShrinks'],
  },
  'branches is frozen': { pages: ['BranchesDown'], notices: ['ErrorBudgetShrinks'] },
  'the api is frozen': { pages: ['CustomersCannot'] },
  'the receiver of a customer answers 500': { pages: [], notices: ['WebhooksBehind'] },
  "one account's flood is refused with 429": { pages: [], notices: ['WorkersFull'] },
  'an operator pauses the queue': { pages: ['QueuePaused'], notices: ['ErrorBudgetShrinks'] },
  'MongoDB is away, and in another cell printing fails': {
    pages: ['CustomersCannot', 'MongoDown'],
    notices: ['ErrorBudgetShrinks', 'ErrorBudgetShrinks'],
  },
  'creations fail, and nobody knows why': { pages: ['CustomersCannot'], notices: ['ErrorBudgetShrinks'] },
  'most that some customers do fails, and of what the canary does only prices fail, and the tracking page is late':
    {
      pages: ['CreationsFail CustomersCannot EventsFail ManifestsFail WebhooksFail', 'CustomersCannot'],
      notices: ['CustomersCannot', 'ErrorBudgetShrinks'],
    },
  'MongoDB answers, and refuses writes': { pages: ['MongoDown'], notices: ['ErrorBudgetShrinks'] },
  'more labels are asked for than are printed': { pages: ['LabelsRefused'] },
  'the api has another INTERNAL_TOKEN than branches': {
    pages: ['CustomersCannot', 'CustomersCannot QuotesFail'],
    notices: ['ErrorBudgetShrinks'],
  },
  'an api has another JWT_SECRET, and its clock is two hours ahead': {
    pages: ['ClocksDiffer', 'SecretsDiffer'],
  },
  'no message to webhooks gets out': { pages: ['CustomersCannot'] },
  'the canary is away, and creations fail': { pages: ['CreationsFail', 'CustomersCannot'] },
  'the bucket of evidence is away': { pages: ['EvidenceBucketDown'] },
};

const faults: Fault[] = parse(readMonitoring('faults.test.yml')).tests;
const config = parse(readMonitoring('alertmanager.yml'));
/** Every fault is in cells of its own, so that all happen at once. */
const cellOf = (fault: number, namespace: string) => `${namespace}-of-fault-${fault}`;
const LATER = '2100-01-01T00:00:00Z';

const test = folderTest
  .extend('receiver', { scope: 'file' }, async ({}, { onCleanup }) => {
    const receiver = await startReceiver();
    onCleanup(() => receiver.close());
    return receiver;
  })
  /** Hands alerts to an Alertmanager, and waits until it has told of all that it tells of. */
  .extend('alert', { scope: 'file' }, async ({ folder, receiver }, { onCleanup }) => {
    const file = join(folder, 'alertmanager.yml');
    const receivers = config.receivers.map(({ name }: { name: string }) => ({
      name,
      webhook_configs: [{ url: `${receiver.url}${name}`, send_resolved: false }],
    }));
    const route = { ...config.route, group_wait: '1s', group_interval: '1s' };
    writeFileSync(file, JSON.stringify({ ...config, receivers, route }));
    const url = `http://127.0.0.1:${await freePort()}`;
    const program = findProgram('prometheus-alertmanager', 'alertmanager') as string;
    const places = [`--config.file=${file}`, `--storage.path=${folder}/alertmanager`];
    const listen = [`--web.listen-address=${new URL(url).host}`, '--cluster.listen-address='];
    const server = startProcess({
      name: 'Alertmanager',
      command: [program, ...places, ...listen],
      logFile: join(folder, 'alertmanager.log'),
    });
    onCleanup(() => server.stop());
    await waitUntilReady(server, async () => (await fetch(`${url}/-/ready`)).ok, 20_000);
    let markers = 0;
    return async (all: { labels: Labels; endsAt: string }[]) => {
      const post = async (body: object[]) => {
        const headers = { 'content-type': 'application/json' };
        const answer = await fetch(`${url}/api/v2/alerts`, {
          ...{ method: 'POST', headers },
          body: JSON.stringify(body),
        });
        expect(await answer.text()).toBe('');
      };
      await post(all);
      // Later groups wait as long: when this one has come, all others have.
      for (const severity of ['critical', 'warning']) {
        markers += 1;
        const alertname = `Marker${markers}`;
        await post([{ labels: { alertname, severity }, endsAt: LATER }]);
        await vi.waitFor(
          () => expect(receiver.received.some(({ body }) => body.includes(alertname))).toBe(true),
          { timeout: 20_000, interval: 100 },
        );
      }
    };
  });

/** Reads `{alertname="MongoDown",job="api"}`. */
const labelsOf = (text: string): Labels =>
  Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));

test('every fault pages once, for its cause, until its last effect has ended', async ({
  alert,
  receiver,
}) => {
  expect(faults.map(({ name }) => name)).toEqual(Object.keys(FAULTS));
  const seen = new Map<string, Labels>();
  for (const [moment] of faults[0]?.promql_expr_test.entries() ?? []) {
    const firing = faults.flatMap(({ promql_expr_test }, fault) =>
      (promql_expr_test[moment]?.exp_samples ?? []).map(({ labels }) => {
        const { namespace = '', ...others } = labelsOf(labels);
        return { ...others, namespace: cellOf(fault, namespace) } as Labels;
      }),
    );
    for (const labels of firing) seen.set(JSON.stringify(labels), labels);
    const now = new Set(firing.map((labels) => JSON.stringify(labels)));
    const ended = new Date().toISOString();
    await alert([...seen].map(([key, labels]) => ({ labels, endsAt: now.has(key) ? LATER : ended })));
  }
  expect(seen.size).toBeGreaterThan(50);

  const told = receiver.received.map(({ path, body }) => {
    const { groupLabels, alerts }: { groupLabels: Labels; alerts: { labels: Labels }[] } = JSON.parse(body);
    const names = new Set(alerts.map(({ labels }) => labels.alertname));
    return { path, namespace: groupLabels.namespace, names: [...names].toSorted().join(' ') };
  });
  for (const [fault, { name }] of faults.entries()) {
    const of = (path: string) =>
      told
        .filter((each) => each.path === path && each.namespace?.endsWith(`-of-fault-${fault}`))
        .map(({ names }) => names)
        .toSorted();
    const { pages, notices = [] } = FAULTS[name] ?? { pages: [] };
    expect({ name, pages: of('/pages'), notices: of('/notices') }).toEqual({ name, pages, notices });
  }
}, 120_000);

// A name that no alert has holds back nothing, and nobody would say so.
test('inhibitions name alerts that there are, in one installation', () => {
  const inhibitions: { source_matchers: string[]; target_matchers: string[]; equal: string[] }[] =
    config.inhibit_rules;
  const matchers = inhibitions.flatMap(({ source_matchers, target_matchers }) => [
    ...source_matchers,
    ...target_matchers,
  ]);
  const inRules = rules.flatMap(({ expr }) =>
    [...expr.matchAll(/alertname=~"[^"]*"/g)].map(([text]) => text),
  );
  expect(inRules).not.toEqual([]);
  const named = [...matchers, ...inRules].flatMap((text) => {
    const [, names = ''] = /^alertname=~?"(.*)"$/.exec(text) ?? [];
    return names.split('|').filter(Boolean);
  });
  expect(alerts.map(({ alert }) => alert)).toEqual(expect.arrayContaining(named));
  for (const { equal } of inhibitions) expect(equal).toContain('namespace');
});
