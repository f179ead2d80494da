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
  it('has no source beside its modules', () => {
    expect(within('shared').filter((path) => !moduleOf(path))).toEqual([]);
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

/** What each module may import from the others of its service, or of `shared`. Files beside the modules are free. */
const MODULES: Record<string, Record<string, string[]>> = {
  'services/api': {
    accounts: [],
    calculator: ['hooks', 'public-pages', 'quotes', 'requests', 'tariffs'],
    commands: ['accounts', 'customers', 'guides', 'manifests', 'privacy', 'quotes', 'tariffs', 'usage'],
    customers: ['accounts', 'guides'],
    docs: ['accounts', 'guides', 'openapi', 'webhooks'],
    guides: ['accounts', 'postal-codes', 'quotes', 'requests'],
    hooks: ['accounts', 'plugins'],
    labels: ['accounts', 'guides', 'requests'],
    manifests: ['accounts', 'guides', 'labels', 'requests'],
    openapi: ['guides', 'requests', 'webhooks'],
    plugins: [
      ...['accounts', 'guides', 'labels', 'manifests', 'postal-codes', 'privacy', 'quotes', 'tariffs'],
      'usage',
    ],
    'postal-codes': ['requests'],
    privacy: ['guides'],
    'public-pages': [],
    quotes: ['requests', 'tariffs'],
    requests: ['accounts'],
    routes: [
      ...['accounts', 'guides', 'hooks', 'labels', 'manifests', 'openapi', 'quotes', 'requests'],
      'webhooks',
    ],
    'tariff-commands': ['commands', 'tariffs'],
    tariffs: [],
    tracking: ['guides', 'public-pages'],
    usage: ['tariffs'],
    webhooks: ['guides', 'requests'],
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
    async: [],
    audit: ['async', 'auth', 'http', 'observability', 'stores'],
    auth: ['async', 'errors', 'observability', 'stores'],
    commands: ['audit', 'config', 'observability', 'stores'],
    config: [],
    contracts: [],
    errors: [],
    http: ['async', 'config', 'errors', 'observability', 'stores'],
    observability: ['async'],
    pages: [],
    pdf: [],
    stores: ['async', 'config', 'contracts', 'errors', 'observability'],
  },
};

/** Returns the module of a file: the folder in its service, or in `shared`. */
function moduleOf(path: string): string | undefined {
  return /^(?:shared|services\/[^/]+)\/[^/]+(?=\/)/.exec(path)?.[0];
}
const modules = [
  ...new Set([...within('services'), ...within('shared')].flatMap((path) => moduleOf(path) ?? [])),
].toSorted();

describe('the modules', () => {
  const declared = Object.entries(MODULES).flatMap(([owner, its]) =>
    Object.entries(its).map(([name, others]) => ({
      module: `${owner}/${name}`,
      others: others.map((other) => `${owner}/${other}`),
    })),
  );

  it('are all declared, and all there', () => {
    expect(declared.map(({ module }) => module).toSorted()).toEqual(modules);
  });

  it.each(declared)(
    '$module imports from no other module than its arrows allow, and uses each arrow',
    ({ module, others }) => {
      const owner = dirname(module);
      const reached = within(module).flatMap((path) =>
        [...importsOf(path).files].flatMap((to) => moduleOf(to) ?? []),
      );
      const own = new Set(reached.filter((other) => other !== module && dirname(other) === owner));
      expect([...own].toSorted()).toEqual(others.toSorted());
    },
  );

  it('stand one above the other', () => {
    const arrowsOf = new Map(declared.map(({ module, others }) => [module, others]));
    expect(circles(modules, (module) => arrowsOf.get(module) ?? [])).toEqual([]);
  });
});

/**
 * Modules at the edge, and those of `shared` that serve it. All others are use cases and stores: who asks, and over what, is not
 * their affair.
 */
const KNOW_HTTP = [
  ...[
    'calculator',
    'commands',
    'docs',
    'hooks',
    'openapi',
    'plugins',
    'public-pages',
    'routes',
    'tracking',
  ].map((module) => `services/api/${module}`),
  'services/dashboard/support',
  ...['audit', 'http', 'observability'].map((module) => `shared/${module}`),
];

it('HTTP is known at the edge alone', () => {
  expect(modules.filter((module) => importsHttp(within(module)))).toEqual(KNOW_HTTP);
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
