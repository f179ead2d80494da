import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { repoRoot } from '#local/folders.ts';
import { readKustomization, readObjects, readOverlay, templateOf, workloads } from './kubernetes.ts';

/** What the Prometheus Operator and Grafana's sidecar are given: `k8s/monitoring` as a component, and `components/alerts`. */

const monitoring = join(repoRoot, 'k8s/monitoring');
const read = (name: string) => readFileSync(join(monitoring, name), 'utf8');

/** The files of rules, each with the PrometheusRule that has its groups. */
const RULES = [
  { source: 'alerts.yml', file: 'prometheus-rule.yaml', name: 'guias' },
  { source: 'alerts-kubernetes.yml', file: 'prometheus-rule-kubernetes.yaml', name: 'guias-kubernetes' },
];
const head = (source: string, name: string) =>
  `# Generated from ${source}: UPDATE_DOCS=1 npm test -- test/ops/kubernetes/prometheus-operator
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: ${name}
spec:
`;

type Inhibition = { source_matchers: string[]; target_matchers: string[]; equal: string[] };
type Route = {
  group_by?: string[];
  repeat_interval: string;
  receiver: string;
  matchers: string[];
  routes: Route[];
};
type Root = Route & { group_by: string[]; group_wait: string; group_interval: string };

/** Writes matchers of alertmanager.yml, such as `job=~"api|"`, as the operator wants them. */
const matchers = (texts: string[]) =>
  texts
    .map((text) => /^(\w+)(=~|=)"(.*)"$/.exec(text) ?? [])
    .map(([, name, type, value]) => `{ name: ${name}, matchType: '${type}', value: '${value}' }`)
    .join(', ');

/** The AlertmanagerConfig that says the same as alertmanager.yml. */
function alertmanagerConfig(): string {
  const { route, receivers, inhibit_rules: rules } = parse(read('alertmanager.yml'));
  const { receiver, group_by, group_wait, group_interval, repeat_interval, routes }: Root = route;
  const lines = [
    '# Generated from ../../monitoring/alertmanager.yml: UPDATE_DOCS=1 npm test -- test/ops/kubernetes/prometheus-operator',
    'apiVersion: monitoring.coreos.com/v1alpha1',
    'kind: AlertmanagerConfig',
    'metadata:',
    '  name: guias',
    'spec:',
    '  route:',
    `    receiver: ${receiver}`,
    `    groupBy: [${group_by.join(', ')}]`,
    `    groupWait: ${group_wait}`,
    `    groupInterval: ${group_interval}`,
    `    repeatInterval: ${repeat_interval}`,
    '    routes:',
    ...routes.flatMap((each) => [
      `      - receiver: ${each.receiver}`,
      `        matchers: [${matchers(each.matchers)}]`,
      ...(each.group_by ? [`        groupBy: [${each.group_by.join(', ')}]`] : []),
      `        repeatInterval: ${each.repeat_interval}`,
    ]),
    '  receivers:',
    ...receivers.flatMap(({ name }: { name: string }) => [
      `    - name: ${name}`,
      `      webhookConfigs: [{ urlSecret: { name: guias-alerts, key: ${name} } }]`,
    ]),
    '  inhibitRules:',
    ...rules.flatMap(({ source_matchers, target_matchers, equal }: Inhibition) => [
      `    - sourceMatch: [${matchers(source_matchers)}]`,
      `      targetMatch: [${matchers(target_matchers)}]`,
      `      equal: [${equal.join(', ')}]`,
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

describe('the component alerts', () => {
  it('routes and inhibits as alertmanager.yml does', () => {
    const file = join(repoRoot, 'k8s/components/alerts/alertmanager-config.yaml');
    if (process.env.UPDATE_DOCS) writeFileSync(file, alertmanagerConfig());
    else expect(readFileSync(file, 'utf8')).toBe(alertmanagerConfig());
  });
});

describe('the component monitoring', () => {
  it.each(RULES)('has the rules of $source as a PrometheusRule', ({ source, file, name }) => {
    const lines = read(source).trimEnd().split('\n');
    const rule = `${head(source, name)}${lines.map((line) => (line ? `  ${line}\n` : '\n')).join('')}`;
    expect(parse(rule).spec).toEqual(parse(read(source)));
    expect(readKustomization('monitoring').resources).toContain(file);
    if (process.env.UPDATE_DOCS) writeFileSync(join(monitoring, file), rule);
    else expect(read(file)).toBe(rule);
  });

  it('scrapes the pods that say so, at a port that they have, with the labels that the alerts rely on', () => {
    const [{ spec } = { spec: undefined }] = readObjects('monitoring/pod-monitor.yaml');
    const pods = workloads(readOverlay('small')).map(templateOf);
    const scraped = pods.filter(({ metadata }) => metadata.annotations?.['prometheus.io/scrape'] === 'true');
    const values = scraped.map(({ metadata }) => metadata.labels['app.kubernetes.io/name']);
    expect(spec).toMatchObject({
      jobLabel: 'app.kubernetes.io/name',
      selector: { matchExpressions: [{ values }] },
      podMetricsEndpoints: [{ port: 'http', relabelings: [{ targetLabel: 'instance' }] }],
    });
    for (const { spec } of scraped) expect(spec.containers[0]?.ports).toMatchObject([{ name: 'http' }]);
  });
});
