import { globSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type BuildOptions, build, type Metafile } from 'esbuild';

const FOLDER = import.meta.dirname;

/** Files have the hash of their content in their names: browsers keep them for good. */
const OPTIONS = {
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'eof',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  metafile: true,
  absWorkingDir: FOLDER,
} satisfies BuildOptions;

/** Bundles the program, the style and the workers of the page, and compresses each file. */
export async function buildCounter(folder: string): Promise<void> {
  // A worker's address is known once it is built, and the program has it as a word of its own.
  const workers = await build({
    ...OPTIONS,
    entryPoints: globSync('browser/**/*.worker.ts', { cwd: FOLDER }),
    outdir: folder,
  });
  const program = await build({
    ...OPTIONS,
    entryPoints: ['browser/main.tsx', 'mostrador.css'],
    outdir: folder,
    splitting: true,
    define: { WORKERS: JSON.stringify(namesIn(workers.metafile)) },
  });
  const sources = [workers, program].flatMap(({ metafile }) => Object.keys(metafile.inputs));
  await writeFile(join(folder, 'licencias.txt'), await licencesOf(sources));
  await Promise.all((await readdir(folder)).map((name) => compress(join(folder, name))));
}

/** Returns the licences of the packages in the program: each must go wherever a copy of its package goes. */
async function licencesOf(sources: string[]): Promise<string> {
  const packages = sources.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []);
  const texts = [...new Set(packages)].map(async (path) => {
    const { name, version, license } = JSON.parse(await readFile(join(FOLDER, path, 'package.json'), 'utf8'));
    const [file] = globSync('LICEN[CS]E*', { cwd: join(FOLDER, path) });
    const text = file === undefined ? '' : await readFile(join(FOLDER, path, file), 'utf8');
    return `${name} ${version}, ${license}\n\n${text}`;
  });
  return (await Promise.all(texts)).join('\n');
}

/** Returns the names of the workers' files by those of their sources, without what follows the first dot. */
function namesIn({ outputs }: Metafile): Record<string, string> {
  const entries = Object.entries(outputs).flatMap(([path, { entryPoint }]) =>
    entryPoint === undefined ? [] : [[basename(entryPoint, '.worker.ts'), basename(path)]],
  );
  return Object.fromEntries(entries);
}

async function compress(path: string): Promise<void> {
  await writeFile(`${path}.gz`, await promisify(gzip)(await readFile(path), { level: 9 }));
}
