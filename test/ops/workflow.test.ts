import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { repoRoot } from '#local/folders.ts';
import { PACKAGES } from '#test/fixtures/global-programs.ts';
import { readTargets } from './dockerfile.ts';

type Step = { uses?: string; run?: string; with?: Record<string, unknown> };
type Job = {
  'timeout-minutes'?: number;
  permissions?: Record<string, string>;
  needs?: string | string[];
  uses?: string;
  steps?: Step[];
  strategy?: { matrix: { target: string[]; platform: string[] } };
};

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

  it('pins every action to a commit', () => {
    const actions = steps.flatMap(({ uses }) => uses ?? []);
    expect(actions.length).toBeGreaterThan(5);
    expect(actions.filter((uses) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(uses))).toEqual([]);
  });

  it('leaves no token behind in a checkout', () => {
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts.length).toBeGreaterThan(2);
    for (const each of checkouts) expect(each.with?.['persist-credentials']).toBe(false);
  });

  it('has a time limit', () => {
    const own = jobsOf(name).filter(([, { uses }]) => !uses);
    expect(own.length).toBeGreaterThan(1);
    for (const [job, { 'timeout-minutes': minutes }] of own) expect(minutes, job).toBeLessThanOrEqual(90);
  });

  it('runs commands that exist', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const names = steps.flatMap(({ run = '' }) =>
      [...run.matchAll(/npm run (\S+)/g)].map(([, each]) => each),
    );
    expect(names).not.toEqual([]);
    expect(names.filter((each) => !scripts[each as string])).toEqual([]);
  });

  it('expands no expression inside a script, where it would be code', () => {
    expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([]);
  });
});

describe('the workflow of every change', () => {
  const { on, permissions, concurrency, jobs } = workflows.ci;

  it('can read the repository and do nothing else', () => {
    expect(permissions).toEqual({ contents: 'read' });
    expect(jobsOf('ci').filter(([, job]) => job.permissions)).toEqual([]);
    // It would run the code of a stranger's pull request with this repository's rights.
    expect(Object.keys(on)).not.toContain('pull_request_target');
  });

  it('is cancelled by the next run', () => {
    expect(concurrency['cancel-in-progress']).toBe(true);
  });

  it('checks, tests and builds every image without publishing one', () => {
    const commands = stepsOf('ci').flatMap(({ run }) => run ?? []);
    expect(commands).toEqual(
      expect.arrayContaining(['npm run check', 'npm audit --omit=dev --audit-level=high', 'bash .ci/run']),
    );
    expect([...jobs.images.strategy.matrix.target].sort()).toEqual(images);
    const builds = stepsOf('ci').filter(({ uses }) => uses?.startsWith('docker/build-push-action@'));
    expect(builds.map((each) => each.with?.push)).toEqual([false]);
  });
});

describe('the workflow of a release', () => {
  const { on, permissions, concurrency } = workflows.release;
  const jobs = Object.fromEntries(jobsOf('release'));
  const runOf = (job: string) => jobs[job]?.steps?.map(({ run }) => run ?? '').join('\n') ?? '';

  /** The jobs that must have succeeded before this one starts. */
  const prerequisites = (job: string): string[] =>
    [jobs[job]?.needs ?? []].flat().flatMap((each) => [each, ...prerequisites(each)]);

  it('starts with the tag of a version, and is not cancelled', () => {
    expect(on).toEqual({ push: { tags: ['v[0-9]+.[0-9]+.[0-9]+'] } });
    expect(concurrency['cancel-in-progress']).toBe(false);
    expect(runOf('version')).toContain('test "$GITHUB_REF_NAME" = "v$version"');
    expect(runOf('version')).toContain('git merge-base --is-ancestor "$GITHUB_SHA" origin/main');
  });

  it('pushes nothing before every test has passed', () => {
    for (const job of ['build', 'publish', 'announce']) {
      expect(prerequisites(job), job).toEqual(
        expect.arrayContaining(['version', 'ci', 'compose', 'kubernetes']),
      );
    }
    expect(jobs.ci?.uses).toBe('./.github/workflows/ci.yml');
    expect(runOf('compose')).toContain('npm run test:compose');
    expect(runOf('kubernetes')).toContain('npm run test:k8s');
  });

  // Tests install what is missing as root alone.
  it('installs all programs of the tests where it runs them', () => {
    const installed = stepsOf('release').flatMap(
      ({ run = '' }) => /apt-get install (?:--\S+ )*(.*)/.exec(run)?.[1] ?? [],
    );
    expect(installed).toEqual(['compose', 'kubernetes'].map(() => Object.keys(PACKAGES).join(' ')));
  });

  it('gives each job the rights that it uses, and code of packages none to write', () => {
    const rights = Object.entries(jobs).map(([job, each]) => [job, each.permissions]);
    expect(permissions).toEqual({});
    expect(Object.fromEntries(rights)).toEqual({
      version: { contents: 'read' },
      ci: { contents: 'read' },
      compose: { contents: 'read' },
      kubernetes: { contents: 'read' },
      build: { contents: 'read', packages: 'write' },
      publish: { packages: 'write', 'id-token': 'write' },
      announce: { contents: 'write' },
    });
    for (const job of ['build', 'publish', 'announce']) expect(runOf(job)).not.toMatch(/\b(npm|npx|node)\b/);
  });

  it('builds every image for both architectures, with SBOM and provenance, by digest and without a cache', () => {
    const { matrix } = jobs.build?.strategy ?? {};
    expect([...(matrix?.target ?? [])].sort()).toEqual(images);
    expect(matrix?.platform).toEqual(['amd64', 'arm64']);
    const build = jobs.build?.steps?.find(({ uses }) => uses?.startsWith('docker/build-push-action@'))?.with;
    expect(build).toMatchObject({ sbom: true, provenance: 'mode=max', 'no-cache': true });
    expect(build).not.toHaveProperty('cache-from');
    expect(build).not.toHaveProperty('tags');
    expect(build?.outputs).toContain('push-by-digest=true');
  });

  it('scans what it built, and signs what it tags, by digest', () => {
    const scan = jobs.build?.steps?.find(({ uses }) => uses?.startsWith('anchore/scan-action@'))?.with;
    expect(scan?.image).toMatch(/@\$\{\{ steps\.build\.outputs\.digest \}\}$/);
    expect(scan?.['fail-build']).not.toBe(false);
    expect(runOf('publish')).toContain(`for target in ${images.join(' ')}; do`);
    expect(runOf('publish')).toMatch(
      /imagetools create[\s\S]+cosign sign [^\n]*@\$digest[\s\S]+cosign verify [^\n]*@\$digest/,
    );
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
