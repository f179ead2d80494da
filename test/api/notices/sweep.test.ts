import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { GuideStore } from '#services/api/guides/guide-store.ts';
import { NoticeAccounts } from '#services/api/notices/account-store.ts';
import { MailServer } from '#services/api/notices/mail-server.ts';
import { NoticeStore } from '#services/api/notices/notice-store.ts';
import { recordNotices } from '#services/api/notices/record-notices.ts';
import { Refusals } from '#services/api/notices/refusals.ts';
import { sendNotices } from '#services/api/notices/send-notices.ts';

import { createLogger } from '#shared/observability/logger.ts';
import { EventLog } from '#shared/tracking/event-log.ts';
import { event } from '#test/fixtures/events.ts';
import { test as notices } from './fixture.ts';

/** One sweep over the notices that are due. */

const { signal } = new AbortController();
const RAW = Buffer.from('Subject: Su paquete\r\n\r\nLlegó\r\n');

const test = notices
  // The test's own api sends nothing.
  .extend('settings', { scope: 'file' }, () => ({}))
  /** Makes due notices of some parcels of `demo`, and returns what they are sent with. */
  .extend('due', { scope: 'file' }, ({ mailServer, newParcel, noticesOf, register, stores: { mongo } }) => {
    const accounts = new NoticeAccounts(mongo);
    const stored = { accounts, notices: new NoticeStore(mongo), eventLog: new EventLog(mongo) };
    const deps = {
      ...{ ...stored, guides: new GuideStore(mongo), perDay: 100, count: () => {} },
      ...{ refusals: new Refusals(mongo, 'x'.repeat(32)), mailServer: new MailServer(mailServer.url) },
      mayGet: async () => true,
      ...{ from: 'avisos@guias.example', log: createLogger('test', 'silent'), onAway: () => {} },
    };
    return async (count: number) => {
      await accounts.choose('demo', { active: true, states: ['EnReparto'] }, 'demo', 0);
      const parcels = await Promise.all(Array.from({ length: count }, () => newParcel()));
      await register(...parcels.map(({ number }) => event(number, 'EnReparto')));
      const results = async () =>
        (await Promise.all(parcels.map(({ number }) => noticesOf(number)))).flat().toSorted();
      const record = async () => {
        await accounts.wake('demo');
        await recordNotices(deps, signal);
        return (await results()).length;
      };
      await expect.poll(record).toBe(count);
      return { deps, results };
    };
  });

test('a mail that fails lets those under way end first', async ({ due }) => {
  const { deps, results } = await due(2);
  let isFirst = true;
  const write = async () => {
    if (!isFirst) return RAW;
    isFirst = false;
    throw new Error('No mail');
  };
  await expect(sendNotices({ ...deps, write }, signal)).rejects.toThrow('No mail');
  expect(await results()).toEqual(['EnReparto enviado', 'EnReparto sin_respuesta']);
});

test('ends within seconds though more is due, so that new events of other accounts are looked at', async ({
  due,
}) => {
  const { deps, results } = await due(20);
  // An account has two mails under way: all together take 5 s.
  const write = () => delay(500, RAW);
  await sendNotices({ ...deps, write }, signal);
  expect(await results()).toContain('EnReparto pendiente');
});
