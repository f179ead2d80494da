import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allImports, importsOf, specifiersOf } from '#test/fixtures/imports.ts';
import { repositoryFiles } from '#test/fixtures/repository.ts';

/** The rules of the house (CONTRIBUTING.md): where a file may live, and what it may import. */

const sources = repositoryFiles.filter((path) => path.endsWith('.ts'));
/** Returns the sources in a folder. @throws Error where it has none: a rule about nothing would hold. */
function within(folder: string): string[] {
  const found = sources.filter((path) => path.startsWith(`${folder}/`));
  if (found.length === 0) throw new Error(`${folder} has no source`);
  return found;
}
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
    expect(arrows(sources, (to) => !repositoryFiles.includes(to))).toEqual([]);
  });

  it('closes no circle, types included', () => {
    expect(circles(sources, (path) => [...importsOf(path).files])).toEqual([]);
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

/** What each room may import from the other rooms of its service, or of `shared`. The files beside the rooms are free. */
const ROOMS: Record<string, Record<string, string[]>> = {
  'services/api': {
    accounts: [],
    commands: ['accounts', 'guides', 'privacy'],
    docs: ['guides', 'openapi', 'webhooks'],
    guides: ['accounts'],
    hooks: ['accounts', 'guides', 'labels', 'plugins'],
    labels: ['accounts', 'guides'],
    openapi: ['guides'],
    plugins: ['accounts', 'guides', 'labels', 'privacy'],
    privacy: ['guides'],
    routes: ['guides', 'hooks', 'labels', 'openapi', 'webhooks'],
    tracking: ['guides'],
    webhooks: ['guides'],
  },
  'services/label-worker': {
    batching: ['label', 'pdf'],
    browser: [],
    images: ['batching'],
    label: [],
    pdf: [],
    queue: ['batching', 'images'],
  },
  shared: {
    async: [],
    audit: ['async', 'auth', 'http', 'observability', 'stores'],
    auth: ['async', 'errors', 'observability', 'stores'],
    commands: [],
    config: [],
    contracts: [],
    errors: [],
    http: ['async', 'config', 'errors', 'observability', 'stores'],
    observability: ['async'],
    pages: [],
    pdf: [],
    stores: ['async', 'config', 'contracts', 'errors', 'http', 'observability'],
  },
};

/** Returns the room of a file: the folder in its service, or in `shared`. */
function roomOf(path: string): string | undefined {
  return /^(?:shared|services\/[^/]+)\/[^/]+(?=\/)/.exec(path)?.[0];
}
const rooms = [
  ...new Set([...within('services'), ...within('shared')].flatMap((path) => roomOf(path) ?? [])),
].toSorted();

describe('the rooms', () => {
  const declared = Object.entries(ROOMS).flatMap(([owner, its]) =>
    Object.entries(its).map(([name, others]) => ({
      room: `${owner}/${name}`,
      others: others.map((other) => `${owner}/${other}`),
    })),
  );

  it('are all declared, and all there', () => {
    expect(declared.map(({ room }) => room).toSorted()).toEqual(rooms);
  });

  it.each(declared)(
    '$room imports from no other room than its arrows allow, and uses each arrow',
    ({ room, others }) => {
      const owner = dirname(room);
      const reached = within(room).flatMap((path) =>
        [...importsOf(path).files].flatMap((to) => roomOf(to) ?? []),
      );
      const own = new Set(reached.filter((other) => other !== room && dirname(other) === owner));
      expect([...own].toSorted()).toEqual(others.toSorted());
    },
  );

  it('stand one above the other, but for two of shared', () => {
    const arrowsOf = new Map(declared.map(({ room, others }) => [room, others]));
    // A store adds itself to the server's health checks, and the server asks which errors say that a store is away.
    expect(circles(rooms, (room) => arrowsOf.get(room) ?? [])).toEqual([
      'shared/stores → shared/http → shared/stores',
    ]);
  });
});

/**
 * Rooms at the edge, and those of `shared` that register their connections, counters and health checks with a server. All
 * others are use cases and stores: who asks, and over what, is not their affair.
 */
const KNOW_HTTP = [
  ...['commands', 'docs', 'hooks', 'openapi', 'plugins', 'routes', 'tracking'].map(
    (room) => `services/api/${room}`,
  ),
  ...['audit', 'http', 'observability', 'stores'].map((room) => `shared/${room}`),
];

it('HTTP is known at the edge alone', () => {
  expect(rooms.filter((room) => importsHttp(within(room)))).toEqual(KNOW_HTTP);
});

function importsHttp(paths: string[]): boolean {
  return paths.some((path) => {
    const { files, packages } = importsOf(path);
    return (
      [...files].some((to) => to.startsWith('shared/http/')) ||
      [...packages].some((name) => /fastify|undici/.test(name))
    );
  });
}

/** Circles of imports, each as the way from one of its files or rooms back to it. */
function circles(paths: string[], importedBy: (path: string) => string[]): string[] {
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
    importedBy(path).forEach(visit);
    way.pop();
    finished.add(path);
  };
  paths.forEach(visit);
  return found;
}
