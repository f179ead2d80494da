import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { repoRoot } from '#local/folders.ts';
import { startRedis } from '#local/programs/redis.ts';
import { test } from '#test/fixtures/folder.ts';
import { readOverlay } from './kubernetes/kubernetes.ts';
import { alerts, panels } from './rules.ts';

const read = (path: string) => readFileSync(join(repoRoot, path), 'utf8');
const runbook = read('k8s/runbook.md');
/** Its sections before those of the alerts. */
const INTRODUCTION = ['Por dónde empezar', 'Comandos', 'Practicar'];
const sections = new Map(
  runbook
    .split(/^## /m)
    .slice(1 + INTRODUCTION.length)
    .map((section) => [section.slice(0, section.indexOf('\n')), section]),
);

/** What no alert leads to, but other sections do. */
const PROCEDURES = [
  ...['AccountFloods', 'WorkersNeeded', 'IndexMissing', 'OwnData'],
  ...['FailoverRedis', 'ElectionMongo', 'Rollback'],
];
/** The dashboard's address: as the operator of Prometheus says, else as Compose and a port-forward have it. */
const DASHBOARD = '{{ or $externalLabels.guias_dashboard "http://127.0.0.1:3003" }}';
/** Lines that fit a screen, where a reader sees the commands of one way of running. */
const SCREEN = 40;
/** The ways of running. A block of commands for one of them begins with its name, and stands beside those of the others. */
const WAYS = ['Kubernetes', 'Compose', 'npm start'];
const GROUP = /(?:^```sh\n# (?:Kubernetes|Compose|npm start)\n(?:(?!```).*\n)*```\n\s*)+/gm;
const waysOf = (group: string) => [...group.matchAll(/^```sh\n# (.*)/gm)].map(([, way]) => way);
/** The page as who runs it in this way sees it. */
const shownFor = (way: string, page: string) =>
  page.replaceAll(GROUP, (group) =>
    group
      .split(/(?<=^```\n)\s*/m)
      .filter((block) => block.startsWith(`\`\`\`sh\n# ${way}\n`))
      .join(''),
  );
/** A command whose effect stays when its cause is gone. */
const STAYS =
  / (?:patch scaledobject|patch hpa|set env|set resources|annotate) |(?<!re)start (?:<servicio>|[\w-]+ \d)|--scale |CONFIG SET maxmemory \d|admin (?:limits <cuenta> -|disable|enable) /;

/** What the pages tell an operator to search the logs for: `logs api | grep '"The request failed"'`, `"msg":"request"`. */
function loggedTexts(page: string): string[] {
  const searched = [...page.matchAll(/^(?:failed\(\) \{ )?logs .*?grep (?:-E )?'([^']+)'/gm)].flatMap(
    ([, pattern = '']) => (/^"\w+":/.test(pattern) ? [] : pattern.split('|')),
  );
  const quoted = [...page.matchAll(/`"msg":("[^"]+")`/g)].map(([, text = '']) => text);
  return [...searched, ...quoted].map((text) => text.replace(/^"(.*)"$/, "'$1'"));
}

describe('the runbook', () => {
  it.each(alerts)('has a section for $alert', ({ alert, annotations }) => {
    expect(annotations.runbook_url).toBe(`${DASHBOARD}/runbook#${alert.toLowerCase()}`);
    expect(sections.has(alert)).toBe(true);
  });

  it.each([...sections])(
    'says in the section %s what it means, what to look at and what to do, on a screen',
    (_, text) => {
      const [, meaning = '', ...rest] = text.trimEnd().split('\n\n');
      expect(meaning).toMatch(/^[A-Z].*\.$/s);
      expect(rest.join('\n')).toMatch(/\*\*Mirar\*\*[\s\S]*\*\*Hacer\*\*/);
      for (const way of WAYS)
        expect(shownFor(way, text).trimEnd().split('\n').length, way).toBeLessThanOrEqual(SCREEN);
    },
  );

  it.each([...sections])('undoes in the section %s what would stay', (_, text) => {
    const [what = '', undo = ''] = text.split('**Deshacer**');
    expect(STAYS.test(undo)).toBe(STAYS.test(what));
  });

  it('is about the alerts, the problems on the dashboard and the procedures, and nothing else', () => {
    const source = globSync(['services/dashboard/diagnoses/*.ts', 'shared/*/room.ts'], { cwd: repoRoot })
      .map(read)
      .join('\n');
    const linked = [...source.matchAll(/(?:(?:grave|warning|note|level)\([^,]+, |section: )'(\w+)'/g)].map(
      ([, section]) => section,
    );
    expect(linked).toContain('labelsfail');
    const titles = [...sections.keys()];
    const named = [...new Set(alerts.map(({ alert }) => alert)), ...PROCEDURES];
    expect(titles.toSorted()).toEqual(named.toSorted());
    expect(titles.map((title) => title.toLowerCase())).toEqual(expect.arrayContaining(linked));
  });

  it('names panels that the board has', () => {
    const titles = panels.map(({ title }) => title);
    const named = [...runbook.matchAll(/[Pp]anel\s+"([^"]+)"/g)].map(([, title]) => title);
    expect(named.length).toBeGreaterThan(5);
    expect(titles).toEqual(expect.arrayContaining(named));
  });
});

describe('the commands of the runbook', () => {
  const filled = runbook.replaceAll(/<[^>\n]+>/g, 'x');
  const blocks = [...filled.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = '']) => block);
  const objects = [...readOverlay('small'), ...readOverlay('production')];

  it('are there for every way of running, wherever they differ', () => {
    const groups = [...runbook.matchAll(GROUP)].map(([group]) => waysOf(group));
    expect(groups.length).toBeGreaterThan(15);
    for (const ways of groups) expect(ways).toEqual(WAYS);
    // Outside of these blocks no command is of one way alone, but for notes that say of which.
    const common = runbook.replaceAll(GROUP, '');
    const blocks = [...common.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) => block);
    expect(blocks.filter((block) => /kubectl|docker|npm start/.test(block ?? ''))).toEqual([]);
  });

  it('are shell', () => {
    expect(blocks.length).toBeGreaterThan(30);
    for (const block of blocks) execFileSync('bash', ['-n'], { input: block });
  });

  it('name services and objects that there are', () => {
    const { services } = parse(read('docker-compose.yml'), { merge: true, maxAliasCount: 200 });
    const known = ['x', ...Object.keys(services), ...objects.map(({ metadata }) => metadata.name)];
    const named = [
      ...filled.matchAll(/\b(?:deploy|statefulset)\/([\w-]+)/g),
      ...filled.matchAll(/\b(?:patch|annotate) (?:scaledobject|hpa) ([\w-]+)/g),
      ...filled.matchAll(/(?:^|`)(?:pods|logs|restart|ready) ([\w-]+)/gm),
      ...filled.matchAll(/docker compose (?:restart|unpause|exec -T) ([\w-]+)/g),
    ].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter((name = '') => !known.includes(name))).toEqual([]);
  });

  it('bring back, where they undo, what the manifests say', () => {
    const undo = filled
      .split('**Deshacer**')
      .slice(1)
      .map((text) => text.split(/^## /m)[0]);
    const patches = [...undo.join().matchAll(/ patch (\w+) ([\w-]+) .* '(.+)'/g)];
    expect(patches.length).toBeGreaterThan(2);
    for (const [, kind = '', name = '', json = ''] of patches) {
      const isPatched = { scaledobject: 'ScaledObject', hpa: 'HorizontalPodAutoscaler' }[kind];
      const object = objects.find((one) => one.kind === isPatched && one.metadata.name === name);
      expect(object?.spec, `${kind} ${name}`).toMatchObject(JSON.parse(json).spec);
    }
  });

  test('that are for Redis are commands of Redis', async ({ folder }) => {
    vi.stubEnv('REDIS_URL', ''); // a Redis of our own, to be changed
    const own = await startRedis({ folder, durable: true, log: () => {} });
    vi.unstubAllEnvs();
    const client = new Redis(own.url);
    const typed = [...filled.matchAll(/(?:^|`)redis ([A-Z][^`\n#|]+)/gm)];
    const lines = [...new Set(typed.map(([, line = '']) => line.trim()))];
    expect(lines.length).toBeGreaterThan(15);
    for (const line of lines) {
      const [command = '', ...args] = line.split(/ +/).map((word) => word.replaceAll("'", ''));
      await expect(client.call(command, ...args), line).resolves.toBeDefined();
    }
    client.disconnect();
    await own.close();
  });
});

/** The commands that the runbook uses, as each installation has them. */
const ON_CALL = ['k8s/on-call.sh', 'local/compose/on-call.sh', 'local/start/on-call.sh'];

it('the logs are searched for what is logged', () => {
  const sources = globSync('{services,shared}/**/*.ts', { cwd: repoRoot }).map(read).join('\n');
  const texts = ['k8s/runbook.md', 'k8s/operations.md', ...ON_CALL].map(read).flatMap(loggedTexts);
  expect(texts.length).toBeGreaterThan(10);
  expect(texts.filter((text) => !sources.includes(text))).toEqual([]);
});

it('the commands on call have the same names in Kubernetes, with Compose and with npm start', () => {
  const [kubernetes, compose, start] = ON_CALL.map((file) =>
    [...read(file).matchAll(/^(\w+)\(\)/gm)].map(([, name]) => name),
  );
  expect(compose).toEqual(expect.arrayContaining(['failed', 'admin']));
  expect(kubernetes).toEqual(expect.arrayContaining(compose ?? []));
  expect(start).toEqual(expect.arrayContaining(compose ?? []));
});
