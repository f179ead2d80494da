import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { repoRoot } from '#local/folders.ts';

/** What Prometheus is told: the rules by their file, and the queries of the boards. */

export type Rule = { expr: string } & (
  | {
      alert: string;
      for?: string;
      labels: { severity: string };
      annotations: { summary: string; runbook_url: string };
      record?: never;
    }
  | { record: string; alert?: never }
);
type Alert = Extract<Rule, { alert: string }>;
export type Panel = { title: string; targets?: { expr: string }[] };

export const monitoring = join(repoRoot, 'k8s/monitoring');
export const readMonitoring = (name: string) => readFileSync(join(monitoring, name), 'utf8');

/** Returns the rules of a file. @throws Error where it has none: a test of each rule would pass. */
export function rulesOf(file: string): Rule[] {
  const found: Rule[] = parse(readMonitoring(file)).groups.flatMap(({ rules }: { rules: Rule[] }) => rules);
  if (found.length === 0) throw new Error(`${file} has no rule`);
  return found;
}

export const RULE_FILES = readdirSync(monitoring)
  .filter((name) => /^alerts.*(?<!\.test)\.yml$/.test(name))
  .toSorted()
  .toReversed();
export const rules = RULE_FILES.flatMap(rulesOf);
export const alerts = rules.filter((rule): rule is Alert => rule.alert !== undefined);

export const panels: Panel[] = readdirSync(join(monitoring, 'grafana/dashboards')).flatMap(
  (name) => JSON.parse(readMonitoring(`grafana/dashboards/${name}`)).panels,
);
export const panelQueries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
