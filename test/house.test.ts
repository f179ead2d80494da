import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { allImports, importsOf, specifiersOf } from '#test/fixtures/imports.ts';

/** The rules of the house (CONTRIBUTING.md): where a file may live, and what it may import. */

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: repoRoot,
  encoding: 'utf8',
});
const files = listed.split('\n').filter((path) => path && existsSync(join(repoRoot, path)));
const sources = files.filter((path) => path.endsWith('.ts'));
const within = (folder: string) => sources.filter((path) => path.startsWith(`${folder}/`));
const services = [...new Set(within('services').map((path) => path.split('/')[1] ?? ''))];

/** Imports between files, as `from → to`, of those for which `forbidden` says so. */
function arrows(from: string[], forbidden: (to: string, from: string) => boolean): string[] {
  return from.flatMap((path) =>
    [...importsOf(path).files].filter((to) => forbidden(to, path)).map((to) => `${path} → ${to}`),
  );
}

describe('an import', () => {
  it('crosses top-level folders by its `#` name', () => {
    const crossing = sources.flatMap((path) =>
      specifiersOf(path)
        .filter((specifier) => specifier.startsWith('.'))
        .filter((specifier) => join(dirname(path), specifier).split('/')[0] !== path.split('/')[0])
        .map((specifier) => `${path}: ${specifier}`),
    );
    expect(crossing).toEqual([]);
  });

  it('leads to a file that exists', () => {
    expect(arrows(sources, (to) => !existsSync(join(repoRoot, to)))).toEqual([]);
  });

  it('closes no circle, types included', () => {
    expect(circles(sources)).toEqual([]);
  });
});

describe.each(services)('the service %s', (service) => {
  it('imports from itself and from shared alone', () => {
    const own = `services/${service}/`;
    expect(
      arrows(within(`services/${service}`), (to) => !to.startsWith(own) && !to.startsWith('shared/')),
    ).toEqual([]);
  });
});

describe('shared', () => {
  it('imports from itself alone', () => {
    expect(arrows(within('shared'), (to) => !to.startsWith('shared/'))).toEqual([]);
  });

  it('holds only what two services or more reach', () => {
    const reached = services.map((service) => allImports(within(`services/${service}`)).files);
    const lonely = within('shared').filter((path) => reached.filter((all) => all.has(path)).length < 2);
    expect(lonely).toEqual([]);
  });
});

/** What each room of a service may import from the service's other rooms. */
const ROOMS: Record<string, Record<string, string[]>> = {
  api: {
    accounts: [],
    commands: ['accounts', 'guides', 'privacy'],
    guides: ['accounts'],
    labels: ['accounts', 'guides'],
    privacy: ['guides'],
    tracking: ['guides'],
    webhooks: ['guides'],
    plugins: ['accounts', 'guides', 'labels', 'privacy'],
    routes: ['accounts', 'docs', 'guides', 'labels', 'plugins', 'tracking', 'webhooks'],
  },
  'label-worker': {
    queue: ['batching', 'images'],
    batching: ['label', 'pdf'],
    label: ['codes'],
    codes: [],
    pdf: [],
    browser: [],
    images: ['batching'],
  },
};

describe.each(Object.entries(ROOMS))('in %s', (service, rooms) => {
  const roomOf = (path: string) => {
    const [, owner, room = ''] = path.split('/');
    return owner === service && room !== basename(path) ? room : undefined;
  };

  it.each(Object.entries(rooms))('%s imports from no other room than its arrows allow', (room, allowed) => {
    const may = [room, ...allowed, undefined];
    expect(arrows(within(`services/${service}/${room}`), (to) => !may.includes(roomOf(to)))).toEqual([]);
  });
});

/** Rooms of use cases and stores: who asks, and over what, is not their affair. */
const NO_HTTP = [
  ...['guides', 'labels', 'accounts', 'privacy', 'tracking', 'webhooks'].map(
    (room) => `services/api/${room}`,
  ),
  ...['batching', 'browser', 'codes', 'images', 'label', 'pdf'].map(
    (room) => `services/label-worker/${room}`,
  ),
];

describe.each(NO_HTTP)('%s', (room) => {
  it('knows no HTTP', () => {
    expect(arrows(within(room), (to) => to.startsWith('shared/http/'))).toEqual([]);
    const packages = within(room).flatMap((path) => [...importsOf(path).packages]);
    expect(packages.filter((name) => /fastify|undici/.test(name))).toEqual([]);
  });
});

/** Circles of imports, each as the way from one of its files back to it. */
function circles(paths: string[]): string[] {
  const found: string[] = [];
  const finished = new Set<string>();
  const way: string[] = [];
  const visit = (path: string) => {
    if (finished.has(path)) return;
    const start = way.indexOf(path);
    if (start >= 0) {
      found.push([...way.slice(start), path].join(' → '));
      return;
    }
    way.push(path);
    importsOf(path).files.forEach(visit);
    way.pop();
    finished.add(path);
  };
  paths.forEach(visit);
  return found;
}
