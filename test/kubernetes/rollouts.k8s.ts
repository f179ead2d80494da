import { expect, inject, test } from 'vitest';
import { Load } from '#test/faults/clients/load.ts';
import { describeOutcome, expectRight } from '#test/faults/clients/load-outcome.ts';
import { Kubectl } from './kubectl.ts';

/** Each deployment is replaced, pod by pod, while customers create guides and ask for labels: no request fails. */

const kubectl = new Kubectl('guias');
/** Answers of a service that is there; 400 is the one to a postal code without coverage. */
const SERVED = [200, 400];

test.for(['api', 'branches', 'dashboard', 'label-worker', 'webhooks'])(
  '%s is replaced without a failed request',
  async (name) => {
    const load = await Load.start(inject('url'), { customers: 4, token: inject('token') });
    await load.waitForStatus('label', 200, 20);
    const started = performance.now();
    await kubectl.run('rollout', 'restart', `deployment/${name}`);
    await kubectl.rolledOut('deployment', name);
    const seconds = (performance.now() - started) / 1_000;
    await load.waitForStatus('create', 200, 20);
    await load.waitForStatus('label', 200, 20);
    await load.stop();

    const failed = load.answers.filter(({ status }) => !(SERVED as unknown[]).includes(status)).length;
    process.stdout.write(
      `${name} replaced in ${seconds.toFixed(0)} s: ${load.answers.length} answers, ${failed} failed: ${describeOutcome(load, started)}\n`,
    );
    expectRight(load, SERVED);
    expect(failed).toBe(0);
  },
);
