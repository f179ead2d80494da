import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { repoRoot } from '#local/folders.ts';

const read = (path: string) => readFileSync(join(repoRoot, path), 'utf8');
const runbook = read('k8s/runbook.md');
const sections = new Map(
  runbook
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section]),
);

type Rule = { alert: string; annotations: { runbook: string } };
const groups: { rules: Rule[] }[] = parse(read('k8s/monitoring/alerts.yml')).groups;
const rules = groups.flatMap((group) => group.rules);

/** What the pages tell an operator to search the logs for: `logs api | grep '"The request failed"'`, `"msg":"request"`. */
function loggedTexts(page: string): string[] {
  const searched = [...page.matchAll(/^logs .*?grep (?:-E )?'([^']+)'/gm)].flatMap(([, pattern = '']) =>
    /^"\w+":/.test(pattern) ? [] : pattern.split('|'),
  );
  const quoted = [...page.matchAll(/`"msg":("[^"]+")`/g)].map(([, text = '']) => text);
  return [...searched, ...quoted].map((text) => text.replace(/^"(.*)"$/, "'$1'"));
}

describe('the runbook', () => {
  it.each(rules)('says what to look at and what to do for $alert', ({ alert, annotations }) => {
    expect(annotations.runbook).toBe(`k8s/runbook.md#${alert.toLowerCase()}`);
    expect(sections.get(alert)).toContain('**Look**');
    expect(sections.get(alert)).toContain('**Do**');
  });

  it('is about the alerts and the problems on the dashboard, and nothing else', () => {
    const source = read('services/dashboard/status/diagnostics.ts');
    const linked = [...source.matchAll(/section: '(\w+)'/g)].map(([, section]) => section);
    const alerts = rules.map(({ alert }) => alert.toLowerCase());
    const titles = [...sections.keys()].map((title) => title.toLowerCase());
    expect(new Set(titles)).toEqual(new Set([...alerts, ...linked]));
  });

  it('links to sections that it has', () => {
    const links = [...runbook.matchAll(/\]\(#(\w+)\)/g)].map(([, section]) => section);
    const anchors = [...sections.keys()].map((title) => title.toLowerCase());
    expect(anchors).toEqual(expect.arrayContaining(links));
  });

  it('names panels that the board has', () => {
    const board = JSON.parse(read('k8s/monitoring/grafana/dashboards/guias.json'));
    const titles = board.panels.map(({ title }: { title: string }) => title);
    const named = [...runbook.matchAll(/[Pp]anel\s+"([^"]+)"/g)].map(([, title]) => title);
    expect(named.length).toBeGreaterThan(5);
    expect(titles).toEqual(expect.arrayContaining(named));
  });
});

it.each(['k8s/runbook.md', 'k8s/operations.md'])('%s searches the logs for what is logged', (page) => {
  const sources = globSync('{services,shared}/**/*.ts', { cwd: repoRoot }).map(read).join('\n');
  const texts = loggedTexts(read(page));
  expect(texts.length).toBeGreaterThan(2);
  expect(texts.filter((text) => !sources.includes(text))).toEqual([]);
});
