import { expect } from 'vitest';
import { GuideStore } from '#services/api/guides/guide-store.ts';
import { NoticeAccounts } from '#services/api/notices/account-store.ts';
import { NoticeStore } from '#services/api/notices/notice-store.ts';
import { recordNotices } from '#services/api/notices/record-notices.ts';
import { NOTICE_ACCOUNTS, NOTICES } from '#shared/notices/notice-model.ts';
import { modelOf } from '#shared/stores/collection.ts';
import { EventLog } from '#shared/tracking/event-log.ts';
import { event } from '#test/fixtures/events.ts';
import { test as notices } from './fixture.ts';

/** Processes die, or are of the release before: they have no mail server, and tell nobody. */

const test = notices.extend('settings', { scope: 'file' }, () => ({}));
const signal = new AbortController().signal;

test('after a crash a notice is recorded once, and one that was taken is not sent again', async ({
  mailServer,
  mailTo,
  newParcel,
  noticeSettings,
  noticesOf,
  register,
  startApi,
  stores: { mongo },
}) => {
  const accounts = new NoticeAccounts(mongo);
  const store = new NoticeStore(mongo);
  const counted: string[] = [];
  const deps = {
    accounts,
    notices: store,
    eventLog: new EventLog(mongo),
    guides: new GuideStore(mongo),
    perDay: 2,
    count: (result: string, times: number) => counted.push(...Array(times).fill(result)),
  };
  await accounts.choose('demo', { active: true, states: ['EnReparto'] }, 'demo', 0);
  const [taken, waiting, beyond, later] = [
    await newParcel(),
    await newParcel(),
    await newParcel(),
    await newParcel(),
  ];
  await register(event(taken.number, 'EnReparto'));
  // The log shows an append once it has ended.
  const recorded = () => modelOf(mongo, NOTICES).countDocuments({});
  const recordAgain = async () => {
    // The first time as if it had died before it noted how far it had read.
    await modelOf(mongo, NOTICE_ACCOUNTS).updateOne(
      { _id: 'demo' },
      { $set: { cursor: 0, lookAt: new Date() } },
    );
    await recordNotices(deps, signal);
    return recorded();
  };
  await expect.poll(recordAgain).toBe(1);
  await register(event(waiting.number, 'EnReparto'));
  await expect.poll(recordAgain).toBe(2);
  expect(await recordAgain()).toBe(2);
  await register(event(beyond.number, 'EnReparto'));
  await expect.poll(recordAgain).toBe(3);
  await recordAgain();
  expect(await noticesOf(beyond.number)).toEqual(['EnReparto limite']);
  expect(counted).toEqual(['overLimit']);
  expect(await store.take([])).toMatchObject({ guide: taken.number, tries: 1 });

  await register(event(later.number, 'EnReparto'));
  await accounts.wake('demo');
  await startApi({ ...noticeSettings, NOTICES_PER_DAY_PER_ACCOUNT: '100' });
  await mailTo(waiting.Email);
  await mailTo(later.Email);
  const told = mailServer.mails.flatMap(({ to }) => to);
  for (const { Email } of [taken, beyond]) expect(told).not.toContain(Email);
  expect(await noticesOf(taken.number)).toEqual(['EnReparto sin_respuesta']);
});

test('settings that lack something beside a mail server say what', async ({ noticeSettings, startApi }) => {
  const { PUBLIC_URL, PRIVACY_NOTICE_URL, ...settings } = noticeSettings;
  expect([PUBLIC_URL, PRIVACY_NOTICE_URL]).toEqual([expect.any(String), expect.any(String)]);
  await expect(startApi(settings)).rejects.toThrow(
    'Notices by SMTP_URL also need PUBLIC_URL, PRIVACY_NOTICE_URL',
  );
});
