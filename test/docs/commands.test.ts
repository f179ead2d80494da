import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { run as runAdmin } from '#services/api/cli.ts';
import { run as runTariffs } from '#services/api/tariffs-cli.ts';
import { run as runBranches } from '#services/branches/cli.ts';
import { runCommand, runProgram } from '#test/fixtures/operators/command.ts';
import { repositoryFiles } from '#test/fixtures/repository.ts';

/** Our own commands: each answers `--help`, which names all that the pages type. */

const { scripts } = JSON.parse(readFileSync(join(repoRoot, 'package.json'), 'utf8'));
/** The program of each script that is one of ours: those of Vitest and the compiler have their own help. */
const PROGRAMS = new Map(
  Object.entries<string>(scripts).flatMap(([name, script]) => {
    const [, program] = /^sh local\/run\.sh node (?:--import \S+ )?(\S+)$/.exec(script) ?? [];
    return program === undefined ? [] : [[name, program]];
  }),
);

/** `<what to fill in>` is filled in. */
const read = (path: string) => readFileSync(join(repoRoot, path), 'utf8').replaceAll(/<[^>\n]+>/g, 'x');
const pages = repositoryFiles.filter((path) => path.endsWith('.md')).map(read);
/** What the pages type, such as `admin -- privacy export --phone 5512345678`: script and words. The runbook has functions for it. */
const TYPED = [
  ...pages.flatMap((page) => [...page.matchAll(/npm (?:run (?:--silent )?)?([\w:]+) -- ([^`\n#|>]+)/g)]),
  ...read('k8s/runbook.md').matchAll(/(?:^|`)(admin|tariffs) ([a-z][^`\n#|]+)/gm),
].flatMap(([, name = '', words = '']) => (PROGRAMS.has(name) ? [[name, words.trim()] as const] : []));

/** The commands with commands of their own, each of which has its own help. */
const CLIS: Readonly<Record<string, typeof runAdmin>> = {
  admin: runAdmin,
  branches: runBranches,
  tariffs: runTariffs,
};

/** Runs a command with `--help`, and returns what it prints. */
async function helpOf(name: string, words: string[]): Promise<string> {
  const cli = CLIS[name];
  const { code, out, err } = cli
    ? await runCommand(cli, [...words, '--help'], { env: {} })
    : await runProgram([join(repoRoot, PROGRAMS.get(name) ?? ''), '--help'], { env: {} });
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^(Usage|Uso): /);
  return out;
}

/** Runs a program whose output nobody reads, as after `head` has seen enough. */
async function unread(program: string, words: string[]) {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const options = { env: { PATH, NODE_COMPILE_CACHE }, stdio: 'pipe' } as const;
  const child = spawn(process.execPath, [join(repoRoot, program), ...words], options);
  child.stdout.destroy();
  const ended = once(child, 'close');
  const err = await text(child.stderr);
  const [code] = await ended;
  return { code, err };
}

it('every script that a page or a workflow runs is one of package.json', () => {
  const workflows = repositoryFiles.filter((path) => path.startsWith('.github/workflows/')).map(read);
  const run = [...pages, ...workflows].flatMap((text) => [
    ...text.matchAll(/\bnpm run (?:--silent )?([\w:]+)/g),
  ]);
  expect(run.length).toBeGreaterThan(20);
  expect(run.map(([, name = '']) => name).filter((name) => !(name in scripts))).toEqual([]);
});

it.each([...PROGRAMS.values()])('%s ends in silence where nobody reads what it writes', async (program) => {
  expect(await unread(program, ['--help'])).toEqual({ code: 141, err: '' });
});

it.each(Object.keys(CLIS))('%s says in Spanish that it lacks the database', async (name) => {
  const words = { admin: ['list'], branches: ['postal-codes', 'status'], tariffs: ['list'] }[name] ?? [];
  expect(await runCommand(CLIS[name] as typeof runAdmin, words, { env: {} })).toEqual({
    code: 2,
    out: '',
    err: 'Falta la variable MONGODB_URI. Ejemplo: MONGODB_URI=mongodb://127.0.0.1:27017/guias\n',
  });
});

describe('--help', () => {
  it.each([...PROGRAMS.keys()])(
    'is what npm run %s answers, with the options that the pages type',
    async (name) => {
      const typed = TYPED.filter(([typed]) => typed === name).map(([, words]) => words.split(/\s+/));
      for (const words of name in CLIS ? typed : [typed.flat()]) {
        const help = await helpOf(
          name,
          words.filter((word) => word !== '--help'),
        );
        for (const option of words.filter((word) => word.startsWith('--'))) expect(help).toContain(option);
      }
    },
  );
});
