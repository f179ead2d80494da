import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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
    const [, program] = /^sh local\/run\.sh node (\S+)$/.exec(script) ?? [];
    return program === undefined ? [] : [[name, program]];
  }),
);

const pages = repositoryFiles
  .filter((path) => path.endsWith('.md'))
  .map((path) => readFileSync(join(repoRoot, path), 'utf8'));
/** What the pages type, such as `admin -- privacy export --phone 5512345678`: script and words. */
const TYPED = pages
  .flatMap((page) => [...page.matchAll(/npm (?:run (?:--silent )?)?([\w:]+) -- ([^`\n#|>]+)/g)])
  .flatMap(([, name = '', words = '']) => (PROGRAMS.has(name) ? [[name, words.trim()] as const] : []));

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
