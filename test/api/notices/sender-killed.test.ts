import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { freePort } from '#local/process/free-port.ts';
import { startProcess } from '#local/process/owned-process.ts';
import { requireReady } from '#local/system.ts';
import { NoticeAccounts } from '#services/api/notices/account-store.ts';
import { Part } from '#test/faults/system/part.ts';
import { event } from '#test/fixtures/events.ts';
import { test as notices } from './fixture.ts';

/** The process that sends dies by SIGKILL. */

// Nothing is timed by it: on a busy machine a service takes half a minute to start.
vi.setConfig({ testTimeout: 240_000 });

const test = notices
  // The test's own api sends nothing.
  .extend('settings', { scope: 'file' }, () => ({}))
  .extend('sender', async ({ branches, env, folder, mailServer, noticeSettings, stores }, { onCleanup }) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const own = {
      ...{ REDIS_URL: stores.redisUrls.api, LABEL_CACHE_URL: stores.labelCacheUrls.api },
      ...{ BRANCHES_URL: branches.url, NODE_EXTRA_CA_CERTS: mailServer.authority },
    };
    const program = startProcess({
      name: 'sender',
      command: [process.execPath, join(repoRoot, 'services/api/main.ts')],
      env: { ...process.env, ...env, ...noticeSettings, ...own, PORT: String(port) },
      logFile: join(folder, 'sender.log'),
    });
    const sender = new Part([program], () => requireReady(url), url);
    onCleanup(() => sender.end());
    return sender;
  });

test('a mail that was begun when its process is killed is sent once at most, one that waited is sent', async ({
  mailServer: { answers, mails },
  newParcel,
  noticesOf,
  register,
  sender,
  stores: { mongo },
}) => {
  await new NoticeAccounts(mongo).choose('demo', { active: true, states: ['EnReparto'] }, 'demo', 0);
  // An account has two mails under way: one is killed before the server has it, one before its answer is stored.
  answers.push({ at: 'MAIL FROM', code: 'none' }, { at: 'DATA', code: 'none' });
  const parcels = [await newParcel(), await newParcel(), await newParcel()];
  for (const { number } of parcels) await register(event(number, 'EnReparto'));
  const results = () => Promise.all(parcels.map(({ number }) => noticesOf(number)));
  await sender.start();
  await expect.poll(() => answers).toEqual([]);
  await sender.kill();
  expect(mails).toHaveLength(1);

  await sender.start();
  await expect
    .poll(async () => (await results()).flat().toSorted())
    .toEqual(['EnReparto enviado', ...Array(2).fill('EnReparto sin_respuesta')]);
  expect(new Set(mails.flatMap(({ to }) => to)).size).toBe(2);
  expect(mails).toHaveLength(2);
});
