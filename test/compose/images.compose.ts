import { describe, expect, test } from 'vitest';
import { SERVICES } from '#test/ops/settings.ts';
import { ComposeProject } from './compose-project.ts';

/** What the images hold, and how large they are. */

const project = new ComposeProject('guias-test-images');
const MIB = 2 ** 20;

/** Returns the bytes of an image's own layers: those on top of the base image, which all images of a node share. */
async function ownBytes(image: string): Promise<number> {
  const history = await project.docker(
    'history',
    '--no-trunc',
    '--human=false',
    '--format',
    '{{.Size}}|{{.CreatedBy}}',
    image,
  );
  return history
    .split('\n')
    .filter((line) => /buildkit/.test(line))
    .reduce((sum, line) => sum + Number(line.split('|')[0]), 0);
}

/** The most of its own that an image may have, in MiB. Chromium is most of the label worker's. */
const LIMITS_MIB: Record<string, number> = {
  api: 65,
  branches: 40,
  webhooks: 40,
  canary: 60,
  dashboard: 60,
  'label-worker': 435,
  setup: 65,
};

test.each([...SERVICES, 'setup'])('the image %s is small', async (name) => {
  const own = (await ownBytes(`guias/${name}:local`)) / MIB;
  process.stdout.write(`guias/${name}: ${own.toFixed(0)} MiB on top of its base\n`);
  expect(own).toBeLessThan(LIMITS_MIB[name] ?? 0);
});

describe.each(SERVICES)('the image %s', (name) => {
  test('tells V8 of the container’s memory', async () => {
    const script = 'node -p "Math.round(require(\'v8\').getHeapStatistics().heap_size_limit / 2**20)"';
    const small = ['run', '--rm', '--network', 'none', '--entrypoint', 'sh', '--memory', '512m'];
    const heap = Number(await project.docker(...small, `guias/${name}:local`, '-c', script));
    const share = ['canary', 'label-worker'].includes(name) ? 0.3 : 0.65;
    expect(Math.abs(heap - 512 * share)).toBeLessThan(64);
  });
});
