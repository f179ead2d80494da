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
    const values = scraped.map(({ metadata }) => metadata.labels['app.kubernetes.io/name']);
    expect(spec).toMatchObject({
      jobLabel: 'app.kubernetes.io/name',
      selector: { matchExpressions: [{ values }] },
      podMetricsEndpoints: [{ port: 'http', relabelings: [{ targetLabel: 'instance' }] }],
    });
    for (const { spec } of scraped) expect(spec.containers[0]?.ports).toMatchObject([{ name: 'http' }]);
  });
});
