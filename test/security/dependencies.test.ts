import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { repositoryFiles as files } from '#test/fixtures/repository.ts';

/**
 * What is installed is what was locked, runs nothing while it is installed, may be used, and is no version that is
 * known to be bad. `npm audit` asks the registry for what is known today, and is the workflow's; this holds offline.
 */

type Package = {
  version: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  license?: string;
  hasInstallScript?: boolean;
  dev?: boolean;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
};
const WORKSPACES = files.flatMap((file) => /^(shared|services\/[^/]+)\/package\.json$/.exec(file)?.[1] ?? []);
/** The packages that a lock names, but for our own: the workspaces and the links to them. */
const packagesOf = (lock: string): [string, Package][] =>
  Object.entries<Package>(JSON.parse(readFileSync(lock, 'utf8')).packages).filter(
    ([path, { link, resolved = '' }]) =>
      path.includes('node_modules/') && !(link && WORKSPACES.includes(resolved)),
  );
const LOCKS = files.filter((file) => /(^|\/)package-lock\.json$/.test(file));
const manifests = ['.', ...WORKSPACES].map(
  (folder) => JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Package,
);
const packages = packagesOf('package-lock.json');

it('every lock and every workspace is looked at', () => {
  expect(LOCKS).toEqual([
    'package-lock.json',
    'test/bench/peers/package-lock.json',
    'test/clients/tools/npm/package-lock.json',
    'test/mutants/tools/package-lock.json',
  ]);
  const links = Object.values<Package>(JSON.parse(readFileSync('package-lock.json', 'utf8')).packages);
  const linked = links.flatMap(({ link, resolved = '' }) => (link ? resolved : []));
  expect(WORKSPACES.toSorted()).toEqual(linked.toSorted());
});

describe.each(LOCKS)('%s', (lock) => {
  const locked = packagesOf(lock);

  it('has the hash of every package, and takes none from elsewhere than the registry', () => {
    expect(locked.length).toBeGreaterThan(30);
    for (const [path, { integrity, resolved, link }] of locked) {
      expect([path, integrity]).toEqual([path, expect.stringMatching(/^sha512-[\w+/]{86}==$/)]);
      expect([path, resolved ?? 'registry', link ?? false]).toEqual([
        path,
        expect.stringMatching(/^(registry$|https:\/\/registry\.npmjs\.org\/)/),
        false,
      ]);
    }
  });
});

describe('install scripts', () => {
  /** Why each of those that have one does without: what is installed works, as all other tests show. */
  const HAVE_ONE = {
    'node_modules/esbuild':
      'checks, and makes quicker to start, the program that comes in a package for each platform',
    'node_modules/protobufjs': 'only compares version numbers',
    'node_modules/msgpackr-extract': 'compiles what comes ready in a package for each platform',
    'node_modules/ssh2': 'compiles what makes it faster (containers of the tests)',
    'node_modules/cpu-features': 'compiles what makes ssh2 faster',
  };

  it('exist in few packages, all of which are listed here', () => {
    const paths = packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path);
    expect(paths.toSorted()).toEqual(Object.keys(HAVE_ONE).toSorted());
  });

  it('are switched off wherever this repository installs packages', () => {
    const INSTALLS = /^(?!\s*#).*\bnpm['", [\]]+(ci|i|install)\b.*$/gm;
    const commands = files
      .filter((file) => /\.(sh|ts|ya?ml|json)$|Dockerfile$|^\.ci\//.test(file))
      .filter((file) => !/package-lock\.json$|^test\/(ops|security)\//.test(file))
      .flatMap((file) =>
        [...readFileSync(file, 'utf8').matchAll(INSTALLS)].map(([command]) => `${file}: ${command}`),
      );
    expect(commands.length).toBeGreaterThan(3);
    for (const command of commands) expect(command).toContain('--ignore-scripts');
  });
});

describe('licences', () => {
  /** May be used in a product that is not published, and ask for their text to be kept. */
  const ALLOWED = [
    'MIT',
    'MIT-0', // MIT without the duty to keep its text
    'ISC',
    'Apache-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    '0BSD',
    'BlueOak-1.0.0',
    'MIT OR Apache-2.0',
    '(MIT OR CC0-1.0)',
  ];

  /** Of tools that are run as they are, and shipped to nobody. */
  const ALLOWED_TOOLS: Record<string, string> = { 'axe-core': 'MPL-2.0' };

  it('of all shipped packages are allowed', () => {
    const shipped = packages.filter(([, { dev }]) => !dev);
    expect(shipped.length).toBeGreaterThan(100);
    for (const [path, { license }] of shipped) {
      expect([path, ALLOWED.includes(license ?? '') || license]).toEqual([path, true]);
    }
  });

  it('of all direct dependencies are allowed', () => {
    const named = manifests.flatMap(({ dependencies, devDependencies }) =>
      Object.keys({ ...dependencies, ...devDependencies }),
    );
    expect(named).toEqual(expect.arrayContaining(Object.keys(ALLOWED_TOOLS)));
    expect(named.length).toBeGreaterThan(50);
    for (const name of named.filter((each) => !each.startsWith('@shipping-guides/'))) {
      const license = packages.find(([path]) => path === `node_modules/${name}`)?.[1].license;
      const isAllowed = ALLOWED.includes(license ?? '') || ALLOWED_TOOLS[name] === license;
      expect([name, isAllowed || license]).toEqual([name, true]);
    }
  });
});
