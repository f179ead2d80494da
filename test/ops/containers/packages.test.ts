import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { runtimeImports } from '#test/fixtures/imports.ts';
import { SERVICES } from '../settings.ts';

/** Each service's package.json decides what its image holds: all that the service runs with, and no more. */

const SHARED = '@shipping-guides/shared';
const lock: object = JSON.parse(readFileSync(join(repoRoot, 'package-lock.json'), 'utf8')).packages;

const dependenciesOf = (service: string): Record<string, string> =>
  JSON.parse(readFileSync(join(repoRoot, `services/${service}/package.json`), 'utf8')).dependencies;

/** The programs, and the commands of rooms, which `cli.ts` of the api imports by their names. */
const entriesOf = (service: string) =>
  globSync(`services/${service}/{main,cli,tariffs-cli,*/commands}.ts`, { cwd: repoRoot });

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

it('one copy of Bull Board is installed: its adapter and the dashboard share it', () => {
  const paths = Object.keys(lock).filter((path) => path.includes('node_modules/@bull-board/'));
  expect(paths).toEqual(['api', 'fastify', 'ui'].map((name) => `node_modules/@bull-board/${name}`));
});
