import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { GOOD_ROUND_MAX_AGE_MS } from '#shared/canary/report.ts';
import { KINDS } from '#shared/labels/label-kinds.ts';
import {
  CHROMIUM_RESTARTS,
  CLOCKS_DIFFER,
  FAILING,
  REDIS_FULL,
  TARIFF_STALE,
  WEBHOOKS_BEHIND,
} from '#shared/observability/thresholds.ts';
import { duration } from '#shared/pages/format.ts';
import { alerts, rules } from './rules.ts';

/** "Estado", the alerts and the runbook go by the same numbers: those of shared/observability/thresholds.ts. */

const [window, recent] = [`${FAILING.windowMinutes}m`, `${FAILING.recentMinutes}m`];
/** The numbers and spans of each rule that measures what "Estado" measures too, in their order. */
const RULES: Readonly<Record<string, (number | string)[]>> = {
  'user_actions:all': [window],
  'user_actions:bad': [window],
  'user_actions:bad_recently': [recent],
  'user_actions:failing': [FAILING.share, FAILING.least, 0],
  RequestsFail: [window, window, FAILING.share, window, FAILING.least, recent, 0],
  CustomersCannot: [1, 1, GOOD_ROUND_MAX_AGE_MS / 1_000, 1, 1],
  ChromiumRestarts: [`${CHROMIUM_RESTARTS.windowMinutes}m`, CHROMIUM_RESTARTS.failures],
  ClocksDiffer: [CLOCKS_DIFFER.ms / 1_000],
  TariffStale: [TARIFF_STALE.ageMs / 1_000],
  RedisFull: [REDIS_FULL.share],
};
/** The alerts with a threshold on what "Estado" does not measure, or that only tells two alerts apart. */
const OTHERS = [
  ...['CertificateExpires', 'ErrorBudgetBurns', 'ErrorBudgetShrinks', 'EventLoopBlocked'],
  ...['LabelsFail', 'LabelsRefused', 'NoticesRefused', 'RetentionStale', 'VolumeNearlyFull', 'WorkersFull'],
];

it.each(Object.values(KINDS))('the objectives count the requests for labels at $path', ({ path }) => {
  const routes = rules.flatMap(({ expr }) =>
    [...expr.matchAll(/route=~"([^"]*etiqueta[^"]*)"/g)].map(([, route = '']) => new RegExp(`^${route}$`)),
  );
  expect(routes.length).toBeGreaterThan(1);
  for (const route of routes) expect(`/api/guias/${path}/:guia`).toMatch(route);
});

it.each(Object.entries(RULES))('the rule %s goes by the table', (name, numbers) => {
  const { expr = '' } = rules.find(({ alert, record }) => (alert ?? record) === name) ?? {};
  const found = expr.replaceAll(/"[^"]*"/g, '').match(/\b\d[\d.]*m?\b/g) ?? [];
  expect(found.map((text) => (text.endsWith('m') ? text : Number(text)))).toEqual(numbers);
});

it('no other alert has a threshold that the table should have', () => {
  const isThreshold = /[<>]=? (?![01](?![.\d]))\d/;
  const others = alerts.filter(({ alert, expr }) => !(alert in RULES) && isThreshold.test(expr));
  expect(others.map(({ alert }) => alert).toSorted()).toEqual(OTHERS);
});

const { failures, windowMinutes } = CHROMIUM_RESTARTS;
const behind = `esperan desde hace más de ${duration(WEBHOOKS_BEHIND.ageMs)}`;
it.each([
  [
    'Por dónde empezar',
    `en ${FAILING.windowMinutes} minutos fallan al menos ${FAILING.least}, y al menos el ${100 * FAILING.share} %`,
  ],
  ['ChromiumRestarts', `más de ${failures} veces en ${windowMinutes} minutos`],
  ['RedisFull', `más del ${100 * REDIS_FULL.share} %`],
  ['WebhooksBehind', behind],
])('the section %s of the runbook says: %s', (section, says) => {
  const runbook = readFileSync(join(repoRoot, 'k8s/runbook.md'), 'utf8');
  const [, text = ''] = runbook.split(`## ${section}\n`);
  expect(text.split('\n## ')[0]?.replaceAll('\n', ' ')).toContain(says);
});

it('a summary says what the metric counts', () => {
  const summary = alerts.find(({ alert }) => alert === 'WebhooksBehind')?.annotations.summary;
  expect(summary).toContain(behind);
});
