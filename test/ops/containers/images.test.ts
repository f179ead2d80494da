import { globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { repoRoot } from '#local/folders.ts';
import { allImports, runtimeImports } from '#test/fixtures/imports.ts';
import { environmentOf, last, readTargets } from '../dockerfile.ts';
import { SERVICES, unknownSettings } from '../settings.ts';

/** What would make the images useless can be seen without an engine; `npm run test:compose` builds them. */

const targets = readTargets();
const ignore = readFileSync(join(repoRoot, '.dockerignore'), 'utf8')
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

it('the image api has the chapters and examples of the guide for integrators', () => {
  const chapters = globSync(
    ['services/api/*/*.{hbs,md,css,js}', 'services/api/*/pictures/*.png', 'examples/*.{mjs,php,py,sh}'],
    {
      cwd: repoRoot,
    },
  );
  expect(chapters.length).toBeGreaterThan(20);
  expect(chapters.filter((path) => !inImage('api', path))).toEqual([]);
});

it('the image api has what its rooms build, by tools that it has not', () => {
  const built = instructions('api-built').map(({ rest }) => rest);
  expect(built).toContain('node services/api/build.ts');
  const copied = instructions('api').map(({ rest }) => rest);
  expect(copied).toContain('--from=api-built /app/services/api/built services/api/built');
  expect(inContext('services/api/built/counter/main.js')).toBe(false);
});

it('the image dashboard has the runbook', () => {
  expect(inImage('dashboard', 'k8s/runbook.md')).toBe(true);
});

it('the image setup has the demo data', () => {
  const files = globSync('local/demo-*/*.csv', { cwd: repoRoot });
  expect(files.length).toBeGreaterThan(4);
  expect([...files, 'local/demo-branches.csv'].filter((path) => !inImage('setup', path))).toEqual([]);
});

describe.each([
  ...SERVICES.map((name) => [name, `services/${name}/main.ts`]),
  ['api', 'services/api/cli.ts'],
  ['api', 'services/api/tariffs-cli.ts'],
  ['branches', 'services/branches/cli.ts'],
  ['setup', 'local/compose/secrets.ts'],
  ['setup', 'local/compose/demo.ts'],
  ['setup', 'local/access/mongo-users.ts'],
] as [string, string][])('the image %s can run %s', (target, entry) => {
  const { files, packages } = runtimeImports([entry]);

  it('has every file that it imports', () => {
    expect([...files].filter((path) => !inImage(target, path))).toEqual([]);
  });

  it('has every package that it imports', () => {
    const [manifest] = instructions(target).flatMap(
      ({ rest }) => /--from=(\S+)-packages/.exec(rest)?.[1] ?? [],
    );
    const { dependencies } = JSON.parse(
      readFileSync(join(repoRoot, `services/${manifest}/package.json`), 'utf8'),
    );
    expect([...packages].filter((name) => !dependencies[name])).toEqual([]);
  });
});

it.each(['ci', 'release'])('the workflow %s builds every image', (workflow) => {
  const text = readFileSync(join(repoRoot, `.github/workflows/${workflow}.yml`), 'utf8');
  const images = [...targets.keys()]
    .filter((name) => !/^(manifests|.+-packages|.+-built|service)$/.test(name))
    .sort();
  const { build, images: tried = build } = parse(text).jobs;
  expect(tried.strategy.matrix.target.toSorted()).toEqual(images);
  if (workflow === 'release') expect(text).toContain(`for target in ${images.join(' ')}; do`);
});

it('every service has an image', () => {
  const folders = globSync('services/*/main.ts', { cwd: repoRoot }).map((path) => path.split('/')[1]);
  expect(folders.toSorted()).toEqual(SERVICES.toSorted());
});

describe.each(SERVICES)('the image of %s', (name) => {
  it('knows the settings that it sets, and is not root', () => {
    const { NODE_ENV, NODE_OPTIONS, ...env } = environmentOf(instructions(name));
    expect(unknownSettings(name, env)).toEqual([]);
    expect(last(instructions(name), 'USER')).toBe('1000:1000');
  });

  it('has all of its folder but what only people look at', () => {
    const files = globSync(`services/${name}/**/*.*`, { cwd: repoRoot });
    expect(files).toContain(`services/${name}/main.ts`);
    // What is built is copied from a stage of its own.
    const absent = files.filter((path) => !path.includes('/built/') && !inImage(name, path));
    expect(absent.filter((path) => !/\/pictures\/|\.md$/.test(path))).toEqual([]);
  });

  it('has no program but those that it runs', () => {
    // What stands in `browser` is built, and runs in browsers.
    const programs = globSync(`services/${name}/**/*.ts`, { cwd: repoRoot }).filter(
      (path) => inImage(name, path) && !path.includes('/browser/'),
    );
    expect(programs).toContain(`services/${name}/main.ts`);
    // A file of types alone is no program, as long as one of the service's files needs it.
    const { files } = allImports(
      programs.filter((path) => /\/(main|cli|tariffs-cli|commands|build)\.ts$/.test(path)),
    );
    expect(programs.filter((path) => !files.has(path))).toEqual([]);
  });
});

it('no file of this machine enters a build', () => {
  for (const path of ['.git/config', '.local/secrets.json', '.env', 'node_modules/x/y.js', 'test/x.ts']) {
    expect(inContext(path), path).toBe(false);
  }
});
