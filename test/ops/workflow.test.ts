import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { repoRoot } from '#local/folders.ts';
import { PACKAGES } from '#test/fixtures/global-programs.ts';
import { readTargets } from './dockerfile.ts';

type Step = { uses?: string; run?: string; with?: Record<string, unknown> };
type Job = { needs?: string | string[]; steps?: Step[]; strategy?: { matrix: { target: string[] } } };

/** Both workflows together; actionlint and zizmor know each alone. */

const read = (path: string) => readFileSync(join(repoRoot, path), 'utf8');
const workflows = {
  ci: parse(read('.github/workflows/ci.yml')),
  release: parse(read('.github/workflows/release.yml')),
};
const jobsOf = (name: keyof typeof workflows): [string, Job][] => Object.entries(workflows[name].jobs);
const stepsOf = (name: keyof typeof workflows) => jobsOf(name).flatMap(([, { steps = [] }]) => steps);
const images = [...readTargets().keys()]
  .filter((name) => !/^(manifests|.+-packages|service)$/.test(name))
  .sort();

describe.each(['ci', 'release'] as const)('the workflow %s', (name) => {
  const steps = stepsOf(name);

  it('runs commands that exist', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const names = steps.flatMap(({ run = '' }) =>
      [...run.matchAll(/npm run (\S+)/g)].map(([, each]) => each),
    );
    expect(names).not.toEqual([]);
    expect(names.filter((each) => !scripts[each as string])).toEqual([]);
  });
});

it('every change builds all images, and publishes none', () => {
  expect([...workflows.ci.jobs.images.strategy.matrix.target].sort()).toEqual(images);
  const builds = stepsOf('ci').filter(({ uses }) => uses?.startsWith('docker/build-push-action@'));
  expect(builds.map((each) => each.with?.push)).toEqual([false]);
});

describe('a release', () => {
  const jobs = Object.fromEntries(jobsOf('release'));
  const runOf = (job: string) => jobs[job]?.steps?.map(({ run }) => run ?? '').join('\n') ?? '';

  /** The jobs that must have succeeded before this one starts. */
  const prerequisites = (job: string): string[] =>
    [jobs[job]?.needs ?? []].flat().flatMap((each) => [each, ...prerequisites(each)]);

  it.each(['build', 'publish', 'announce'])(
    'runs every test before %s, which runs no code of packages',
    (job) => {
      const tests = ['version', 'ci', 'compose', 'kubernetes'];
      expect(prerequisites(job)).toEqual(expect.arrayContaining(tests));
      expect(runOf(job)).not.toMatch(/\b(npm|npx|node)\b/);
    },
  );

  // Tests install what is missing as root alone.
  it('installs all programs of the tests where it runs them', () => {
    const installed = stepsOf('release').flatMap(
      ({ run = '' }) => /apt-get install (?:--\S+ )*(.*)/.exec(run)?.[1] ?? [],
    );
    expect(installed).toEqual(['compose', 'kubernetes'].map(() => Object.keys(PACKAGES).join(' ')));
  });

  it('builds, tags and signs every image', () => {
    expect([...(jobs.build?.strategy?.matrix.target ?? [])].sort()).toEqual(images);
    expect(runOf('publish')).toContain(`for target in ${images.join(' ')}; do`);
  });

  it('takes its notes from the changelog', () => {
    const { version } = JSON.parse(read('package.json'));
    const notes = (of: string) =>
      execFileSync('sh', [join(repoRoot, '.github/release-notes.sh'), of], {
        encoding: 'utf8',
        stdio: 'pipe',
      });
    expect(notes(version)).toMatch(/^- /m);
    expect(notes(version)).not.toMatch(/^## /m);
    expect(() => notes('0.0.1')).toThrow('CHANGELOG.md says nothing of 0.0.1.');
    expect(runOf('announce')).toContain('sh .github/release-notes.sh "$VERSION"');
  });
});
