import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { Client } from '#test/fixtures/client.ts';
import { printingTest } from '#test/fixtures/services.ts';

const execute = promisify(execFile);
/** Longest that a generator, a compiler or a client takes, in ms. */
const TIMEOUT_MS = 80_000;

/** Tests with `document`, the file that clients are generated from. */
export const test = printingTest.extend('document', { scope: 'file' }, async ({ api, folder }) => {
  const file = join(folder, 'openapi.json');
  await writeFile(file, await (await fetch(`${api.url}/api/openapi.json`)).text());
  return file;
});

/** Runs a program of this repository's tests to its end; what it says is in the error where it fails. */
export async function run(program: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = {}) {
  return execute(program, args, { cwd, env: { ...process.env, ...env }, timeout: TIMEOUT_MS }).catch(
    (error) => {
      throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`);
    },
  );
}

/** Makes a folder with a program that uses a generated client, which is to be put beside it. */
export async function programFolder(folder: string, program: string, as: string): Promise<string> {
  const into = join(folder, program);
  await mkdir(into, { recursive: true });
  await copyFile(join(import.meta.dirname, 'programs', program), join(into, as));
  return into;
}

/** Compiles the programs of a folder, with what it imports, to JavaScript. @param strictness more options of the compiler. */
export async function compile(folder: string, strictness: Record<string, boolean> = {}): Promise<void> {
  const compilerOptions = {
    ...{ strict: true, target: 'es2024', module: 'nodenext', skipLibCheck: true, noEmitOnError: true },
    ...{ outDir: 'made', types: ['node'], typeRoots: [join(repoRoot, 'node_modules/@types')] },
    ...strictness,
  };
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  await run(join(repoRoot, 'node_modules/.bin/tsc'), ['-p', '.'], folder);
}

/** Runs a program that creates a guide and saves its label, as a user or by a key, and checks the label. */
export async function expectLabel(folder: string, url: string, program: string, ...args: string[]) {
  const pdf = join(folder, 'guia.pdf');
  const key = await (await Client.login(url)).newKey();
  await run(program, args, folder, { API_URL: url, PDF: pdf, LLAVE: key });
  expect((await readFile(pdf)).subarray(0, 5).toString()).toBe('%PDF-');
}
