import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COLLECTIONS } from '#local/access/mongo-roles.ts';
import { repoRoot } from '#local/folders.ts';
import { ROOMS } from '#services/api/app.ts';
import type { ApiError } from '#services/api/http/errors.ts';
import { errorsOf, type Room } from '#services/api/http/room.ts';
import { ROOMS_DATA } from '#shared/rooms.ts';
import { allImports, importsOf, specifiersOf } from '#test/fixtures/imports.ts';
import { repositoryFiles } from '#test/fixtures/repository.ts';

/** The rules of the house (CONTRIBUTING.md): where a file may live, and what it may import. */

const sources = repositoryFiles.filter((path) => /\.tsx?$/.test(path));
/** Returns the sources in a folder. @throws Error where it has none: a rule about nothing would hold. */
function within(folder: string): string[] {
  const found = sources.filter((path) => path.startsWith(`${folder}/`));
  if (found.length === 0) throw new Error(`${folder} has no source`);
  return found;
}
/** The data of the api's rooms, and what a room must say. */
const ROOM_LIST = ['shared/room-data.ts', 'shared/rooms.ts'];
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
  it('has no source beside its modules but the list of rooms', () => {
    expect(within('shared').filter((path) => !moduleOf(path))).toEqual(ROOM_LIST);
  });

  it("has a room's data where its list of rooms alone imports them, and the room itself", () => {
    const isData = (to: string) => /^shared\/[\w-]+\/room\.ts$/.test(to);
    const roomOf = (path: string) => /^(?:services\/api|shared)\/([\w-]+)\//.exec(path)?.[1];
    const foreign = (to: string, from: string) =>
      isData(to) && from !== 'shared/rooms.ts' && roomOf(from) !== roomOf(to);
    expect(arrows([...within('services'), ...within('shared')], foreign)).toEqual([]);
  });

  it('imports from itself alone', () => {
    expect(arrows(within('shared'), (to) => !to.startsWith('shared/'))).toEqual([]);
  });

  it('holds only what two services or more reach', () => {
    const reached = services.map((service) => allImports(within(`services/${service}`)).files);
    const lonely = within('shared').filter((path) => reached.filter((all) => all.has(path)).length < 2);
    expect(lonely).toEqual([]);
  });
});

describe('a fixture', () => {
  it('is extended, and not changed for the files of the same process', () => {
    const changed = within('test').filter((path) =>
      /\b\w+\s*\.override\(/.test(readFileSync(join(repoRoot, path), 'utf8')),
    );
    expect(changed).toEqual([]);
  });
});

describe('the collections of MongoDB', () => {
  it('are all in the list that gives the services their rights', () => {
    const defined = [...within('services'), ...within('shared')].flatMap((path) => {
      const text = readFileSync(join(repoRoot, path), 'utf8');
      return [...text.matchAll(/\bdefineCollection\(\s*'(\w+)'/g)].map(([, name]) => name);
    });
    expect(COLLECTIONS.map(({ name }) => name).toSorted()).toEqual(defined.toSorted());
  });
});

/** What each module may import from the others of its service, or of `shared`. Files beside the modules are free. */
const MODULES: Record<string, Record<string, string[]>> = {
  // Its rooms say themselves what they need (docs/architecture.md "Rooms").
  'services/api': { platform: [], http: ['platform'] },
  'services/canary': {
    http: [],
    reading: [],
    rounds: ['http', 'reading', 'steps', 'webhook'],
    steps: ['http', 'reading', 'webhook'],
    webhook: ['http'],
  },
  'services/dashboard': { diagnoses: [], support: [] },
  'services/label-worker': {
    batching: ['label', 'pdf'],
    browser: [],
    images: ['batching'],
    label: [],
    pdf: [],
    queue: ['batching', 'images'],
  },
  shared: {
    actions: ['observability', 'stores'],
    async: [],
    audit: ['async', 'http', 'observability', 'stores'],
    commands: ['audit', 'config', 'observability', 'stores'],
    config: ['phones'],
    documents: [],
    errors: [],
    http: ['async', 'config', 'errors', 'observability', 'stores'],
    loads: ['audit', 'commands'],
    observability: ['async'],
    pages: [],
    pdf: [],
    phones: [],
    printing: ['documents', 'evidence', 'labels', 'manifests', 'pickups'],
    schemas: [],
    stores: ['async', 'config', 'errors', 'observability'],
  },
};

/** Returns the module of a file: the folder in its service, or in `shared`. */
function moduleOf(path: string): string | undefined {
  return /^(?:shared|services\/[^/]+)\/[^/]+(?=\/)/.exec(path)?.[0];
}
const modules = [
  ...new Set([...within('services'), ...within('shared')].flatMap((path) => moduleOf(path) ?? [])),
].toSorted();

/** Returns the other modules of its service, or of `shared`, that some files of a module import. */
function reachedFrom(module: string, files = within(module)): Set<string> {
  const reached = files.flatMap((path) => [...importsOf(path).files].flatMap((to) => moduleOf(to) ?? []));
  return new Set(reached.filter((other) => other !== module && dirname(other) === dirname(module)));
}

/** Returns the folder of a room's code. */
function folderOf({ data }: Room): string {
  return `services/api/${data.name}`;
}

/** Returns the folder of a room's data, and of what other processes need of the room. */
function dataOf({ data }: Room): string {
  return `shared/${data.name}`;
}

/** Returns the rooms on which a room stands, those below them included. */
function below({ needs }: Room): Room[] {
  return needs.flatMap((need) => [need, ...below(need)]);
}

describe('the modules', () => {
  const declared = Object.entries(MODULES).flatMap(([owner, its]) =>
    Object.entries(its).map(([name, others]) => ({
      module: `${owner}/${name}`,
      others: others.map((other) => `${owner}/${other}`),
    })),
  );

  it('are all declared, and all there', () => {
    const all = [
      ...declared.map(({ module }) => module),
      ...ROOMS.flatMap((room) => [folderOf(room), dataOf(room)]),
    ];
    expect(all.toSorted()).toEqual(modules);
  });

  it.each(declared)(
    '$module imports from no other module than its arrows allow, and uses each arrow',
    ({ module, others }) => {
      expect([...reachedFrom(module)].toSorted()).toEqual(others.toSorted());
    },
  );

  it('stand one above the other', () => {
    const arrowsOf = new Map(declared.map(({ module, others }) => [module, others]));
    expect(circles(modules, (module) => arrowsOf.get(module) ?? [])).toEqual([]);
  });
});

/** What every room may import. */
const PLATFORM = [
  ...['services/api/http', 'services/api/platform'],
  ...[
    'shared/actions',
    'shared/async',
    'shared/audit',
    'shared/commands',
    'shared/config',
    'shared/documents',
  ],
  ...[
    'shared/errors',
    'shared/http',
    'shared/observability',
    'shared/pages',
    'shared/pdf',
    'shared/phones',
    'shared/schemas',
    'shared/stores',
  ],
];

it('the two lists of rooms are the same', () => {
  expect(ROOMS.map(({ data }) => data)).toEqual(ROOMS_DATA);
});

describe.each(ROOMS)('the room $data.name', (room) => {
  const folder = folderOf(room);
  const needs = room.needs.map(folderOf);

  it('imports from no other room than it needs', () => {
    const rooms = [...reachedFrom(folder)].filter((module) => !PLATFORM.includes(module));
    expect(rooms.filter((other) => !needs.includes(other))).toEqual([]);
  });

  it('has data that import from no other room than it stands on', () => {
    const rooms = [...reachedFrom(dataOf(room))].filter((module) => !PLATFORM.includes(module));
    expect(rooms.filter((other) => !below(room).map(dataOf).includes(other))).toEqual([]);
  });

  it('uses each room that it needs', () => {
    // `room.ts` names the rooms that it needs, and an `open.ts` with a context what they provide, whether it is used or not.
    const namesAll = (path: string) =>
      path.endsWith('/room.ts') || /type \w+Context = /.test(readFileSync(join(repoRoot, path), 'utf8'));
    const using = within(folder).filter((path) => !namesAll(path));
    const used = reachedFrom(folder, using);
    expect(needs.filter((need) => !used.has(need))).toEqual([]);
  });
});

/** Returns what code and answers call the errors of rooms, and of every request. */
function namesOfErrors(rooms: Room[]): Set<string> {
  const errors = [errorsOf([]), ...rooms.map(({ errors }) => errors)].flatMap(Object.entries<ApiError>);
  return new Set(errors.flatMap(([code, { codigo }]) => [code, codigo ?? code]));
}

// TypeScript does not see it: it adds up the errors of all rooms that it compiles.
it.each(ROOMS)('the room $data.name names no error of a room that it does not stand on', (room) => {
  const [all, known] = [namesOfErrors([...ROOMS]), namesOfErrors([room, ...below(room)])];
  const named = within(folderOf(room)).flatMap((path) => {
    const texts = readFileSync(join(repoRoot, path), 'utf8').matchAll(/'([\w-]+)'/g);
    return [...texts].flatMap(([text, name = '']) =>
      all.has(name) && !known.has(name) ? [`${path}: ${text}`] : [],
    );
  });
  expect(named).toEqual([]);
});

it('the platform knows no room', () => {
  const isRoom = (path: string) => {
    const module = moduleOf(path);
    return module !== undefined && !PLATFORM.includes(module);
  };
  expect(arrows(PLATFORM.flatMap(within), isRoom)).toEqual([]);
});

/** Modules that know HTTP; of the others, only the files at the edge of their room do. */
const KNOW_HTTP = [
  'services/api/http',
  'services/api/platform',
  'services/dashboard/support',
  ...['audit', 'http', 'observability'].map((module) => `shared/${module}`),
];
/** Files at the edge of a room. All others are use cases and stores: who asks, and over what, is not their affair. */
const AT_THE_EDGE = [
  /\/(?:(?:[a-z-]+-)?(?:routes?|errors|room)|open(?:-[a-z]+)?)\.ts$/,
  /\/accounts\/hooks\//,
  /\/(?:label-request|guide-bodies|record-answers|branches-client|tracking\/commands|manual\/values)\.ts$/,
];

it('HTTP is known at the edge alone', () => {
  const within = sources.filter((path) => {
    const module = moduleOf(path);
    return module !== undefined && !KNOW_HTTP.includes(module);
  });
  const knowing = within.filter((path) => importsHttp(path) && !AT_THE_EDGE.some((edge) => edge.test(path)));
  expect(knowing).toEqual([]);
});

function importsHttp(path: string): boolean {
  const { files, packages } = importsOf(path);
  return (
    [...files].some((to) => to.startsWith('shared/http/')) ||
    [...packages].some((name) => /fastify|undici/.test(name))
  );
}

/** Circles of imports, each as the way from one of its files or modules back to it. */
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
