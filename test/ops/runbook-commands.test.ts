import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, vi } from 'vitest';
import { parse } from 'yaml';
import { repoRoot } from '#local/folders.ts';
import { provideRedis } from '#local/programs/redis.ts';
import { run } from '#services/api/cli.ts';
import { test } from '#test/fixtures/folder.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';
import { readOverlay } from './kubernetes/kubernetes.ts';

/** The commands of the runbook, as far as they can be tried without a cluster. */

const runbook = readFileSync(join(repoRoot, 'k8s/runbook.md'), 'utf8');
const blocks = [...runbook.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = '']) => block);
/** Single commands, also those within a sentence, without what they are piped to; `<what to fill in>` is filled in. */
const commands = [
  ...blocks.flatMap((block) => block.split('\n')),
  ...[...runbook.matchAll(/`((?:kubectl|docker|redis|admin|restart|ready) [^`\n]+)`/g)].map(
    ([, command = '']) => command,
  ),
].map((line) => line.replace(/\s+(?:#|\||>).*$/, '').replaceAll(/<[^>]+>/g, 'x'));
const starting = (program: string) => [...new Set(commands.filter((line) => line.startsWith(`${program} `)))];

const objects = [...readOverlay('small'), ...readOverlay('production')];
const namesOf = (kind: string) =>
  objects.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name);
const KINDS: Readonly<Record<string, string>> = {
  deploy: 'Deployment',
  statefulset: 'StatefulSet',
  scaledobject: 'ScaledObject',
  hpa: 'HorizontalPodAutoscaler',
};

/** The words of a command, as a shell would read them. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, one, two, three]) => one ?? two ?? three ?? '',
  );
}

test('the blocks of commands are shell', () => {
  expect(blocks.length).toBeGreaterThan(30);
  for (const block of blocks) execFileSync('bash', ['-n'], { input: block.replaceAll(/<[^>\n]+>/g, 'x') });
});

describe('every command', () => {
  test('of Redis is one', async ({ folder }) => {
    vi.stubEnv('REDIS_URL', ''); // a Redis of our own, to be changed
    const own = await provideRedis({ folder, durable: true, log: () => {} });
    vi.unstubAllEnvs();
    const redis = new Redis(own.url);
    const lines = starting('redis').filter((line) => !line.includes(' --'));
    expect(lines.length).toBeGreaterThan(15);
    for (const line of lines) {
      const [, command = '', ...args] = wordsOf(line);
      await redis.call(command, ...args).catch((error: Error) => {
        throw new Error(`${line}: ${error.message}`);
      });
    }
    redis.disconnect();
    await own.close();
  });

  test.for([...Map.groupBy(starting('admin').map(wordsOf), ([, name = '']) => name)])(
    'is one of the operators: admin %s',
    async ([name, uses]) => {
      const { out: help } = await runCommand(run, [name, '--help'], { env: {} });
      expect(help).toContain(`admin -- ${name}`);
      for (const option of uses.flat().filter((word) => word.startsWith('--')))
        expect(help).toContain(option);
    },
  );

  test('of kubectl names what the manifests have', () => {
    const lines = starting('kubectl').filter((line) => line.includes('-n guias'));
    for (const line of lines) {
      for (const [, kind = '', name = ''] of line.matchAll(/ (deploy|statefulset)\/([\w-]+)/g)) {
        expect([...namesOf(KINDS[kind] as string), 'x'], line).toContain(name);
      }
      const [, label] = /name=([\w-]+)/.exec(line) ?? [];
      if (label) expect([...namesOf('Service'), ...namesOf('Deployment'), 'x'], line).toContain(label);
    }
  });

  test('of Compose names services, as do those that the first block defines', () => {
    const { services } = parse(readFileSync(join(repoRoot, 'docker-compose.yml'), 'utf8'), {
      merge: true,
      maxAliasCount: 200,
    });
    const named = commands.flatMap((line) => {
      const [, of = '', words = ''] = /^docker compose (up|restart|unpause|exec) (.*)/.exec(line) ?? [];
      const names = wordsOf(words).filter((word) => !word.startsWith('-'));
      const [, name = []] = /^(?:pods|logs|restart|ready) ([\w-]+)/.exec(line) ?? [];
      return [...(of === 'exec' ? names.slice(0, 1) : names), name].flat();
    });
    expect(named.length).toBeGreaterThan(30);
    for (const name of named) expect([...Object.keys(services), 'x']).toContain(name.replace(/=\d+$/, ''));
  });

  test('that patches says fields that the object has', () => {
    const patches = starting('kubectl').filter((line) => / patch (?:scaledobject|hpa) /.test(line));
    expect(patches.length).toBeGreaterThan(4);
    for (const line of patches) {
      const [, kind = '', name = ''] = / patch (\w+) ([\w-]+)/.exec(line) ?? [];
      const object = objects.find((one) => one.kind === KINDS[kind] && one.metadata.name === name);
      const { spec } = JSON.parse(wordsOf(line).at(-1) ?? '');
      expect(Object.keys(object?.spec ?? {}), line).toEqual(expect.arrayContaining(Object.keys(spec)));
    }
  });

  test('that undoes brings back what the manifests say', () => {
    const undo = [...runbook.matchAll(/\*\*Deshacer\*\*([\s\S]*?)(?=^## )/gm)]
      .map(([, text]) => text)
      .join('\n');
    const patches = [...undo.matchAll(/ patch (\w+) ([\w-]+) .* '(.+)'/g)];
    expect(patches.length).toBeGreaterThan(2);
    for (const [, kind = '', name = '', json = ''] of patches) {
      const object = objects.find((one) => one.kind === KINDS[kind] && one.metadata.name === name);
      expect(object?.spec, `${kind} ${name}`).toMatchObject(JSON.parse(json).spec);
    }
    const [, maxmemory] = /CONFIG SET maxmemory (\w+)/.exec(undo) ?? [];
    const redis = objects.find(({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === 'redis');
    expect(redis?.spec.template.spec.containers[0]?.args?.join(' ')).toContain(`--maxmemory ${maxmemory}`);
  });
});
