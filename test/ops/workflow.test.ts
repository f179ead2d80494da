import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { repoRoot } from '#local/folders.ts';
import { readTargets } from './dockerfile.ts';

type Step = { uses?: string; run?: string; with?: Record<string, unknown> };
type Job = {
  'timeout-minutes'?: number;
  permissions?: unknown;
  steps: Step[];
  strategy?: { matrix: { target: string[] } };
};

const workflow = parse(readFileSync(join(repoRoot, '.github/workflows/ci.yml'), 'utf8'));
const jobs: [string, Job][] = Object.entries(workflow.jobs);
const steps = jobs.flatMap(([, job]) => job.steps);

describe('the workflow', () => {
  it('can read the repository and do nothing else', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    expect(jobs.filter(([, job]) => job.permissions)).toEqual([]);
    // It would run the code of a stranger's pull request with this repository's rights.
    expect(Object.keys(workflow.on)).not.toContain('pull_request_target');
  });

  it('pins every action to a commit', () => {
    const actions = steps.flatMap(({ uses }) => uses ?? []);
    expect(actions.filter((uses) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(uses))).toEqual([]);
  });

  it('leaves no token behind in the checkout', () => {
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts).toHaveLength(jobs.length);
    for (const each of checkouts) expect(each.with?.['persist-credentials']).toBe(false);
  });

  it('has a time limit, and is cancelled by the next run', () => {
    expect(workflow.concurrency['cancel-in-progress']).toBe(true);
    for (const [name, job] of jobs) expect(job['timeout-minutes'], name).toBeLessThanOrEqual(90);
  });

  it('checks, tests and builds every image without publishing one', () => {
    const commands = steps.flatMap(({ run }) => run ?? []);
    expect(commands).toEqual(
      expect.arrayContaining(['npm run check', 'npm audit --omit=dev --audit-level=high', 'bash .ci/run']),
    );
    const made = workflow.jobs.images.strategy.matrix.target;
    const stages = [...readTargets().keys()].filter(
      (name) => !/^(manifests|.+-packages|service)$/.test(name),
    );
    expect([...made].sort()).toEqual(stages.sort());
    const builds = steps.filter(({ uses }) => uses?.startsWith('docker/build-push-action@'));
    expect(builds.map((each) => each.with?.push)).toEqual([false]);
  });
});
