import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { runtimeImports } from '#test/fixtures/imports.ts';
import { SERVICES } from '../settings.ts';

/** Each service's package.json decides what its image holds: all that the service runs with, and no more. */

type Package = {
  version: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
};
const SHARED = '@shipping-guides/shared';
const lock: Record<string, Package> = JSON.parse(
  readFileSync(join(repoRoot, 'package-lock.json'), 'utf8'),
).packages;

const dependenciesOf = (service: string): Record<string, string> =>
  JSON.parse(readFileSync(join(repoRoot, `services/${service}/package.json`), 'utf8')).dependencies;

const entriesOf = (service: string) =>
  ['main.ts', 'cli.ts']
    .map((name) => `services/${service}/${name}`)
    .filter((path) => existsSync(join(repoRoot, path)));

/** The path in the lock of the package that `import 'name'` finds from the package at `path`. */
function locate(path: string, name: string): string | undefined {
  const found = join(path, 'node_modules', name);
  if (lock[found]) return found;
  return path ? locate(path.slice(0, Math.max(0, path.lastIndexOf('node_modules/') - 1)), name) : undefined;
}

/** The packages that `npm ci --omit=dev --workspace=services/<service>` installs, by their paths in the lock. */
function installed(service: string): Set<string> {
  const paths = new Set<string>();
  const visit = (path: string) => {
    if (paths.has(path)) return;
    paths.add(path);
    const {
      dependencies,
      optionalDependencies,
      peerDependencies = {},
      peerDependenciesMeta,
    } = lock[path] ?? {};
    const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta?.[name]?.optional);
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      const found = locate(path, name);
      if (found) visit(found);
    }
  };
  visit(`services/${service}`);
  return paths;
}

describe.each(SERVICES)('the packages of %s', (service) => {
  it('are those that its files and the shared ones import, none missing and none too many', () => {
    const { packages } = runtimeImports(entriesOf(service));
    const { [SHARED]: shared, ...named } = dependenciesOf(service);
    expect(shared).toBe('*');
    expect(Object.keys(named)).toEqual([...packages].sort());
  });

  it('are the same versions as in every other service', () => {
    for (const [name, range] of Object.entries(dependenciesOf(service))) {
      for (const other of SERVICES)
        expect([name, dependenciesOf(other)[name] ?? range]).toEqual([name, range]);
    }
    expect(Object.keys(lock).filter((path) => path.startsWith(`services/${service}/node_modules/`))).toEqual(
      [],
    );
  });
});

it.each([
  ['api', ['puppeteer-core', '@bull-board/api', 'csv-stringify']],
  ['branches', ['puppeteer-core', 'handlebars', '@fastify/jwt', '@node-rs/argon2']],
  ['label-worker', ['mongoose', 'mongodb', '@fastify/jwt', '@bull-board/api']],
  ['webhooks', ['puppeteer-core', 'handlebars', '@fastify/jwt', '@node-rs/argon2']],
  ['dashboard', ['puppeteer-core', '@cantoo/pdf-lib', 'typescript']],
])('the image of %s does not hold what others need', (service, others) => {
  const names = [...installed(service)].map((path) => path.replace(/^.*node_modules\//, ''));
  expect(names.length).toBeGreaterThan(100);
  expect(names).toContain('fastify');
  const locked = Object.keys(lock);
  expect(locked).toEqual(expect.arrayContaining(others.map((other) => `node_modules/${other}`)));
  expect(names.filter((name) => others.includes(name))).toEqual([]);
});

it('one copy of Bull Board is installed: its adapter and the dashboard share it', () => {
  const paths = Object.keys(lock).filter((path) => path.includes('node_modules/@bull-board/'));
  expect(paths).toEqual(['api', 'fastify', 'ui'].map((name) => `node_modules/@bull-board/${name}`));
});
