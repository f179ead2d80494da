import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import type { OpenApiDocument } from './api-model.ts';
import { typeScriptSources } from './typescript-source.ts';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
const SOURCES = join(REPOSITORY, 'examples/clients/typescript');
/** For all files, so that the same sources are the same bytes. */
const WRITTEN = new Date(0);

const COMPILER_OPTIONS = {
  ...{ target: 'es2022', module: 'nodenext', types: ['node'], declaration: true },
  ...{ rootDir: 'src', outDir: 'dist', strict: true, noUncheckedIndexedAccess: true, skipLibCheck: true },
  exactOptionalPropertyTypes: true,
};

/** Makes the tarball that npm installs. */
export async function typeScriptPackage(
  document: OpenApiDocument,
): Promise<{ name: string; content: Uint8Array }> {
  const folder = await mkdtemp(join(tmpdir(), 'guias-de-envio-'));
  try {
    await compile(document, folder);
    const { version } = document.info;
    const about = JSON.parse(await readFile(join(SOURCES, 'package.json'), 'utf8'));
    const files: [string, string][] = [
      ['package.json', `${JSON.stringify({ ...about, version }, null, 2)}\n`],
      ['README.md', await readFile(join(SOURCES, 'README.md'), 'utf8')],
      ['LICENSE', await readFile(join(REPOSITORY, 'LICENSE'), 'utf8')],
    ];
    for (const file of (await readdir(join(folder, 'dist'))).toSorted()) {
      files.push([`dist/${file}`, await readFile(join(folder, 'dist', file), 'utf8')]);
    }
    const entries = files.map(([name, text]) => ({
      header: { name: `package/${name}`, size: Buffer.byteLength(text), mtime: WRITTEN },
      body: text,
    }));
    const content = gzipSync(await packTar(entries), { level: 9 });
    return { name: `guias-de-envio-${version}.tgz`, content };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function compile(document: OpenApiDocument, folder: string): Promise<void> {
  await mkdir(join(folder, 'src'));
  await cp(join(SOURCES, 'src'), join(folder, 'src'), { recursive: true });
  for (const [file, text] of Object.entries(typeScriptSources(document))) {
    await writeFile(join(folder, 'src', file), text);
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS }));
  await symlink(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'));
  const compiler = fileURLToPath(
    import.meta.resolve('typescript/package.json').replace(/package\.json$/, 'bin/tsc'),
  );
  await promisify(execFile)(process.execPath, [compiler, '-p', folder]).catch((error) => {
    throw new Error(`The client for TypeScript does not compile:\n${error.stdout}`, { cause: error });
  });
}
