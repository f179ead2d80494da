import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { repoRoot } from '#local/folders.ts';
import { readKustomization, readObjects, readOverlay, templateOf, workloads } from './kubernetes.ts';

/** What the Prometheus Operator and Grafana's sidecar are given: `k8s/monitoring` as a component. */

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
    expect(spec).toEqual({
      jobLabel: 'app.kubernetes.io/name',
      selector: {
        matchExpressions: [
          {
            key: 'app.kubernetes.io/name',
            operator: 'In',
            values: scraped.map(({ metadata }) => metadata.labels['app.kubernetes.io/name']),
          },
        ],
      },
      podMetricsEndpoints: [
        {
          port: 'http',
          interval: '5s',
          relabelings: [{ sourceLabels: ['__meta_kubernetes_pod_name'], targetLabel: 'instance' }],
        },
      ],
    });
    for (const { spec } of scraped) expect(spec.containers[0]?.ports).toMatchObject([{ name: 'http' }]);
  });

  it('has every board, where the sidecar of Grafana finds it', () => {
    expect(readKustomization('monitoring').configMapGenerator).toEqual([
      {
        name: 'guias-board',
        files: ['grafana/dashboards/guias.json'],
        options: { disableNameSuffixHash: true, labels: { grafana_dashboard: '1' } },
      },
    ]);
    const { title } = JSON.parse(read('grafana/dashboards/guias.json'));
    expect(title).toBeTruthy();
  });
});

it('lets a Prometheus list pods, and read nothing else', () => {
  const roles = readOverlay('production').filter(({ kind }) => kind === 'Role');
  expect(roles).toMatchObject([
    { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] }] },
  ]);
});
