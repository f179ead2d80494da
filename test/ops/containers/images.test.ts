import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkout, environmentOf, last, readTargets } from '../dockerfile.ts';
import { SERVICES, unknownSettings } from '../settings.ts';

/** Images cannot be built where no Docker engine runs; what would make them useless can be seen all the same. */

const targets = readTargets();
const manifest = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));
const ignore = readFileSync(join(checkout, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line && !line.startsWith('#'));

const instructions = (name: string) => {
  const target = targets.get(name);
  if (!target) throw new Error(`services/Dockerfile has no target ${name}`);
  return target;
};

/** As Docker reads `.dockerignore`: the last line that fits decides. */
function inContext(path: string): boolean {
  const fits = (pattern: string) =>
    pattern === '*' || matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/**`);
  const decisive = ignore.findLast((line) => fits(line.replace('!', '')));
  return decisive?.startsWith('!') ?? true;
}

function inImage(target: string, path: string): boolean {
  const copied = instructions(target)
    .filter(({ word, rest }) => word === 'COPY' && !rest.startsWith('--from'))
    .flatMap(({ rest }) => rest.split(' ').slice(0, -1));
  return inContext(path) && copied.some((each) => path === each || path.startsWith(`${each}/`));
}

/** Every file that `entry` imports, and they in turn, and every package that one of them imports. */
function importsOf(entry: string): { files: Set<string>; packages: Set<string> } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (path: string) => {
    if (files.has(path)) return;
    files.add(path);
    const text = readFileSync(join(checkout, path), 'utf8').replaceAll(/^import type .*?;$/gms, '');
    for (const [, name = ''] of text.matchAll(/\b(?:from |import |import\()'([\w@./:-]+)'/g)) {
      if (name.startsWith('.')) visit(relative(checkout, join(checkout, dirname(path), name)));
      else if (!name.startsWith('node:')) packages.add(name.match(/^(@[^/]+\/)?[^/]+/)?.[0] ?? name);
    }
  };
  visit(entry);
  return { files, packages };
}

describe.each([
  ...SERVICES.map((name) => [name, `services/${name}/main.ts`]),
  ['api', 'services/api/cli.ts'],
  ['branches', 'services/branches/cli.ts'],
  ['setup', 'local/compose/secrets.ts'],
  ['setup', 'local/compose/demo.ts'],
] as [string, string][])('the image %s can run %s', (target, entry) => {
  const { files, packages } = importsOf(entry);

  it('has every file that it imports', () => {
    expect([...files].filter((path) => !inImage(target, path))).toEqual([]);
  });

  it('needs no development package', () => {
    expect([...packages].filter((name) => !manifest.dependencies[name])).toEqual([]);
  });
});

describe.each(SERVICES)('the image of %s', (name) => {
  const target = instructions(name);

  it('starts the service, and is not root while it does', () => {
    expect(last(target, 'CMD')).toBe(`["node", "services/${name}/main.ts"]`);
    expect(last(target, 'ENTRYPOINT')).toBe('["tini", "--"]');
    expect(last(target, 'USER')).toBe('1000:1000');
  });

  it('listens where it says, to others too, and is asked for its health there', () => {
    const { NODE_ENV, ...env } = environmentOf(target);
    expect(NODE_ENV).toBe('production');
    expect(env).toMatchObject({ HOST: '0.0.0.0', PORT: last(target, 'EXPOSE') });
    expect(unknownSettings(name, env)).toEqual([]);
    expect(last(target, 'HEALTHCHECK')).toMatch(/127\.0\.0\.1:\$\{process\.env\.PORT\}\/health\/live/);
  });

  it('has the templates, fonts and pages of its folder', () => {
    const kept = ['templates', 'fonts', 'assets'].map((folder) => `services/${name}/${folder}`);
    for (const folder of kept.filter((path) => existsSync(join(checkout, path)))) {
      expect(inImage(name, `${folder}/any.file`)).toBe(true);
    }
  });
});

it('no image is made with development packages or install scripts', () => {
  const installs = instructions('dependencies').filter(({ rest }) => rest.includes('npm '));
  expect(installs.map(({ rest }) => rest)).toEqual([
    expect.stringMatching(/^npm ci --omit=dev --ignore-scripts /),
  ]);
});

it('no file of this machine enters a build', () => {
  for (const path of ['.git/config', '.local/secrets.json', '.env', 'node_modules/x/y.js', 'test/x.ts']) {
    expect(inContext(path), path).toBe(false);
  }
});
