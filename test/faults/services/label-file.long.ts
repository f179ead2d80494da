import { expect } from 'vitest';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { readPages } from '#test/fixtures/labels/label-pixels.ts';
import { checkPdf } from '#test/fixtures/labels/pictures.ts';
import { signalChromium, standingJobs } from '../system/chromium.ts';
import type { Part } from '../system/part.ts';
import { test as faultTest } from '../system/system.ts';

const test = faultTest.override('wanted', { count: { 'label-worker': 2 } });

test('when a label worker is killed in the middle of a file, the file is whole', async ({ system }) => {
  const demo = await Client.login(system.url);
  const guides = await demo.created(...Array.from({ length: 40 }, () => minimalGuide()));
  const numbers = guides.map(({ SEND_GUIA }) => SEND_GUIA);
  const worker = system.workers[0] as Part;
  // Its prints stand still, so that it is killed with labels of the file in its hands.
  const chromium = signalChromium(worker, 'SIGSTOP');
  const file = demo.labelFile(numbers);
  await standingJobs(system.queue);
  await worker.kill();
  process.kill(-chromium, 'SIGKILL'); // standing still, it does not see that its worker has gone
  const { status, bytes } = await file;
  expect(status).toBe(200);
  await checkPdf(bytes);
  const { count, pages } = await readPages(bytes, [1, 17, 40]);
  expect(count).toBe(40);
  expect(pages.map(({ code128 }) => code128)).toEqual([[numbers[0]], [numbers[16]], [numbers[39]]]);
});
