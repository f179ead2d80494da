import { describe, expect } from 'vitest';
import { printingTest as services } from '#test/fixtures/services.ts';
import { panelQueries, type Rule, rules } from './rules.ts';

/** Metrics of other programs that the rules name, with the program that has them. */
const EXTERNAL: Readonly<Record<string, string>> = {
  up: 'Prometheus',
  kube_horizontalpodautoscaler_status_current_replicas: 'kube-state-metrics',
  kube_horizontalpodautoscaler_spec_max_replicas: 'kube-state-metrics',
  kube_pod_container_status_restarts_total: 'kube-state-metrics',
  kube_pod_container_status_last_terminated_reason: 'kube-state-metrics',
  container_oom_events_total: 'cAdvisor of the kubelet',
  kubelet_volume_stats_available_bytes: 'kubelet',
  kubelet_volume_stats_capacity_bytes: 'kubelet',
  certmanager_certificate_expiration_timestamp_seconds: 'cert-manager',
  probe_ssl_earliest_cert_expiry: 'blackbox exporter',
};
const RESERVED = ['and', 'or', 'unless', 'bool', 'offset'];

/** Returns the metrics that an expression names: its words but for functions, operators and what stands in brackets. */
function metricsIn(expr: string): string[] {
  const bare = expr
    .replaceAll(/"(?:\\.|[^"])*"/g, '""')
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, '')
    .replaceAll(/\b(?:by|on|without|ignoring|group_left|group_right)\s*\([^)]*\)/g, '');
  return [...bare.matchAll(/[a-z_][\w:]*(?!\w|\s*\()/gi)]
    .map(([word]) => word)
    .filter((word) => !RESERVED.includes(word));
}

const test = services
  /** The names of all metrics of all services. */
  .extend('exposed', { scope: 'file' }, async ({ api, branches, labelWorker, dashboard, webhooks }) => {
    const pages = [api, branches, labelWorker, dashboard, webhooks].map(async ({ url }) =>
      (await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(20_000) })).text(),
    );
    const types = (await Promise.all(pages)).join('\n').matchAll(/^# TYPE (\w+) (\w+)$/gm);
    return new Set([...types].flatMap(([, name = '', type = '']) => seriesOf(name, type)));
  });

function seriesOf(name: string, type: string): string[] {
  return type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}

const recorded = rules.flatMap(({ record }) => record ?? []);

describe('every metric exists', () => {
  test.for(rules)('that the rule $alert$record names', ({ expr }: Rule, { exposed }) => {
    const names = metricsIn(expr);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !exposed.has(name) && !recorded.includes(name) && !EXTERNAL[name])).toEqual(
      [],
    );
  });

  test('that a panel of the board names', ({ exposed }) => {
    const names = panelQueries.flatMap(metricsIn);
    expect(names.filter((name) => !exposed.has(name) && !recorded.includes(name) && !EXTERNAL[name])).toEqual(
      [],
    );
  });

  test('among those of other programs only where a rule names it', () => {
    const named = rules.flatMap(({ expr }) => metricsIn(expr));
    expect(Object.keys(EXTERNAL).filter((name) => !named.includes(name))).toEqual([]);
  });
});
