import mongoose from 'mongoose';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect } from 'vitest';
import { AuditLog } from '#shared/audit/audit-log.ts';
import { AuditStore } from '#shared/audit/audit-store.ts';
import { test as stores } from '#test/fixtures/stores.ts';

/** A trail, its log, and its own connection to MongoDB, which a test may close. */
const test = stores.extend('own', async ({ stores }, { onCleanup }) => {
  const mongo = await mongoose.createConnection(stores.mongoUri).asPromise();
  onCleanup(() => mongo.close());
  const lines: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) });
  const metrics = new Registry();
  const auditLog = new AuditLog({ service: 'api', store: new AuditStore(mongo), log, metrics });
  return { mongo, lines, metrics, auditLog };
});
const event = (actor: string) => ({ action: 'login', actor, outcome: 'refused' }) as const;

test('an event is logged at once, and awaited in store', async ({ own: { lines, auditLog }, stores }) => {
  const stored = auditLog.record({
    ...event('pronto'),
    address: '192.0.2.1',
    requestId: 'p-1',
    details: { guide: '1' },
  });
  expect(lines).toMatchObject([
    {
      msg: 'The audit log records the action login of pronto: refused',
      audit: { action: 'login', actor: 'pronto', address: '192.0.2.1', outcome: 'refused' },
      requestId: 'p-1',
    },
  ]);
  expect(JSON.stringify(lines)).not.toContain('guide');
  await stored;
  const store = new AuditStore(stores.mongo);
  expect(await store.find({ user: 'pronto' }, 10)).toMatchObject([
    { service: 'api', details: { guide: '1' } },
  ]);
});

test('closing stores what waits, each event once', async ({ own: { auditLog }, stores }) => {
  for (let count = 0; count < 500; count++) auditLog.record(event('ultimo'));
  await Promise.all([auditLog.close(), auditLog.close()]);
  expect(await new AuditStore(stores.mongo).find({ user: 'ultimo' }, 1_000)).toHaveLength(500);
});

test('while the database is away, losses are told', async ({ own: { mongo, lines, metrics, auditLog } }) => {
  await mongo.close();
  for (let count = 0; count < 3; count++) auditLog.record(event('perdido'));
  await auditLog.close();
  const lost = lines.filter(({ msg }) => msg === 'The audit log lost an event');
  expect(lost).toMatchObject([1, 2, 3].map(() => ({ action: 'login' })));
  expect(await metrics.metrics()).toContain('audit_events_dropped_total 3');
});

test('while the database is away, at most a thousand wait', async ({ own: { mongo, metrics, auditLog } }) => {
  await mongo.close();
  for (let count = 0; count < 1_003; count++) auditLog.record(event('muchos'));
  await expect.poll(() => metrics.metrics(), { timeout: 4_000 }).toMatch(/^audit_events_dropped_total 3$/m);
  await auditLog.close();
});
