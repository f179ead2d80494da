import { copyFile, cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { repoRoot } from '#local/folders.ts';
import { clientTools } from '#test/clients/tools/client-tools.ts';
import { run } from './clients.ts';

/** The packages of examples/clients, built as a release has them. */

const SOURCES = join(repoRoot, 'examples/clients');
/** Keeps the packages that were tested: `.github/workflows/release.yml` publishes these very files. */
const BUILT = join(repoRoot, '.local/clients');

/** @param document file of the OpenAPI document. @returns the tarball. */
export async function buildTypeScript(document: string, folder: string): Promise<string> {
  const own = await sourcesOf('typescript', folder);
  await symlink(join(repoRoot, 'node_modules'), join(own, 'node_modules'));
  const generator = join(clientTools.nodeModules, '.bin/openapi-typescript');
  await run(generator, [document, '-o', 'src/openapi.mts'], own);
  await run(join(repoRoot, 'node_modules/.bin/tsc'), ['-p', '.'], own);
  await setVersion(join(own, 'package.json'), '"version": "', document);
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', own], own);
  return keep(join(own, stdout.trim()));
}

/** @param document file of the OpenAPI document. @returns the wheel. */
export async function buildPython(document: string, folder: string): Promise<string> {
  const own = await sourcesOf('python', folder);
  const read = JSON.parse(await readFile(document, 'utf8'));
  await writeFile(join(own, 'openapi.json'), JSON.stringify(withoutValuesOfAnswers(read)));
  const options = ['--meta', 'none', '--output-path', 'guias_de_envio/generado', '--config', 'generar.yml'];
  const generator = ['-m', 'openapi_python_client', 'generate', '--path', 'openapi.json'];
  await run(clientTools.python, [...generator, ...options], own);
  const version = await setVersion(join(own, 'pyproject.toml'), 'version = "', document);
  const alone = ['--no-build-isolation', '--no-deps', '--no-cache-dir'];
  await run(clientTools.python, ['-m', 'pip', 'wheel', ...alone, '--wheel-dir', '.', '.'], own);
  return keep(join(own, `guias_de_envio-${version}-py3-none-any.whl`));
}

type Schemas = Record<string, unknown>;
type Document = { paths: Record<string, Record<string, object>>; components: { schemas: Schemas } };

/**
 * Leaves out which values a text of an answer may have. A later release may have more of them, such as a new state, and a
 * model that `openapi-python-client` makes refuses an answer with a value that it does not know.
 */
function withoutValuesOfAnswers(document: Document): Document {
  const { schemas } = document.components;
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const sent = new Set<string>();
  const follow = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (sent.has(name)) continue;
      sent.add(name);
      follow(schemas[name]);
    }
  };
  for (const operation of operations) follow((operation as { requestBody?: object }).requestBody);
  const answered = Object.entries(schemas).map(([name, schema]) => [
    name,
    sent.has(name) ? schema : withoutEnum(schema),
  ]);
  return { ...document, components: { ...document.components, schemas: Object.fromEntries(answered) } };
}

function withoutEnum(part: unknown): unknown {
  return JSON.parse(JSON.stringify(part), (name, value) =>
    name === 'enum' && Array.isArray(value) ? undefined : value,
  );
}

/** Installs a tarball as a customer does, into an empty folder. */
export async function installTarball(tarball: string, into: string): Promise<void> {
  await mkdir(into);
  await writeFile(join(into, 'package.json'), '{ "type": "module" }');
  await run('npm', ['install', '--ignore-scripts', tarball], into);
}

/** Installs a wheel as a customer does, into an environment of its own. @returns that environment's Python. */
export async function installWheel(wheel: string, into: string): Promise<string> {
  await run(clientTools.python, ['-m', 'venv', '--without-pip', into], join(into, '..'));
  const python = join(into, 'bin/python3');
  const install = ['install', '--constraint', clientTools.requirements, wheel];
  await run(clientTools.python, ['-m', 'pip', '--python', python, ...install], into);
  return python;
}

/** Copies the sources of a package into a folder, with the licence. */
async function sourcesOf(language: string, folder: string): Promise<string> {
  const own = join(folder, `${language}-package`);
  await cp(join(SOURCES, language), own, { recursive: true });
  await copyFile(join(repoRoot, 'LICENSE'), join(own, 'LICENSE'));
  return own;
}

/** Writes the version of the service where the file of a package has `0.0.0`. @returns the version. */
async function setVersion(file: string, before: string, document: string): Promise<string> {
  const { version } = JSON.parse(await readFile(document, 'utf8')).info;
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(`${before}0.0.0"`, `${before}${version}"`));
  return version;
}

async function keep(file: string): Promise<string> {
  const kept = join(BUILT, basename(file));
  await mkdir(BUILT, { recursive: true });
  await rm(kept, { force: true });
  await copyFile(file, kept);
  return kept;
}
