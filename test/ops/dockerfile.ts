import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoRoot } from '#local/folders.ts';

export type Instruction = { word: string; rest: string };

/** The instructions of each target of `services/Dockerfile`, those of the stages it is made from first. */
export function readTargets(): Map<string, Instruction[]> {
  const text = readFileSync(join(repoRoot, 'services/Dockerfile'), 'utf8');
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter(Boolean);
  const stages = new Map<string, Instruction[]>();
  let current: Instruction[] = [];
  for (const line of lines) {
    const [word = '', ...words] = line.split(' ');
    const rest = words.join(' ');
    if (word === 'FROM') {
      const [base = '', , name = ''] = words;
      current = [...(stages.get(base) ?? []), { word, rest }];
      stages.set(name, current);
    } else current.push({ word, rest });
  }
  return stages;
}

/** What is in the environment of a container of this target before anybody sets anything. */
export function environmentOf(target: Instruction[]): Record<string, string> {
  const pairs = target.filter(({ word }) => word === 'ENV').flatMap(({ rest }) => rest.split(' '));
  return Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/, 2) as [string, string]));
}

/** The last instruction of its kind: the one that counts. */
export function last(target: Instruction[], word: string): string | undefined {
  return target.findLast((each) => each.word === word)?.rest;
}
