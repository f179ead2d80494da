import mongoose from 'mongoose';
import { describe, expect } from 'vitest';
import { parseMoment } from '#services/api/accounts/commands/audit-command.ts';
import { run } from '#services/api/cli.ts';
import { run as runBranches } from '#services/branches/cli.ts';
import { AUDIT, type AuditEvent, AuditStore, auditEvent } from '#shared/audit/audit-store.ts';
import { recordCommand } from '#shared/audit/record-command.ts';
import { createIndexes } from '#shared/stores/collection.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';
import { test as stores } from '#test/fixtures/stores.ts';

const HOUR = 3_600_000;

const test = stores
  .extend('trail', { scope: 'file' }, async ({ stores }) => {
    await createIndexes(stores.mongo, AUDIT);
    return new AuditStore(stores.mongo);
  })
  /** Runs `npm run admin -- …` as this operator. */
  .extend(
    'admin',
    { scope: 'file' },
    ({ stores }) =>
      (args: string[], { input = '', ...env } = {} as Record<string, string>) => {
        return runCommand(run, args, { input, env: { MONGODB_URI: stores.mongoUri, ...env } });
      },
  )
  /** Runs `npm run branches -- …`. */
  .extend('csv', { scope: 'file' }, ({ stores }) => (...args: string[]) => {
    return runCommand(runBranches, args, { env: { MONGODB_URI: stores.mongoUri, OPERATOR: 'carla' } });
  });

const past = (hours: number, event: Partial<AuditEvent>) => ({
  ...auditEvent({ action: 'login', actor: 'demo', service: 'api', outcome: 'ok', ...event }),
  at: new Date(Date.now() - hours * HOUR),
});

describe("an operator's command", () => {
  test('is recorded with its operator, what it changed and how it ended', async ({ admin, trail }) => {
    const operator = { OPERATOR: 'ana', SSH_CONNECTION: '192.0.2.7 50000 192.0.2.1 22' };
    const password = 'una clave muy larga';
    await admin(['create', 'bodega', '--permissions', 'guias.read'], { ...operator, input: password });
    await admin(['grant', 'bodega', 'guias.create', 'colas.admin'], operator);
    await admin(['disable', 'fantasma-77'], operator);
    const events = await trail.find({ user: 'ana' }, 10);
    expect(events).toMatchObject([
      { action: 'admin.disable', subject: 'fantasma-77', outcome: 'failed' },
      {
        action: 'admin.grant',
        subject: 'bodega',
        outcome: 'ok',
        details: { arguments: 'guias.create colas.admin' },
      },
      {
        actor: 'ana',
        action: 'admin.create',
        subject: 'bodega',
        service: 'admin',
        address: '192.0.2.7',
        outcome: 'ok',
        details: { permissions: 'guias.read' },
      },
    ]);
    expect(JSON.stringify(events)).not.toContain(password);
  });

  test("is the system user's, or with sudo that of who called it", async ({ admin, trail }) => {
    await admin(['enable', 'demo'], { SUDO_USER: 'beto' });
    expect(await trail.find({ user: 'beto' }, 10)).toMatchObject([
      { action: 'admin.enable', subject: 'demo' },
    ]);
    const before = (await trail.find({ action: 'admin.enable' }, 10)).length;
    await admin(['enable', 'demo']);
    const events = await trail.find({ action: 'admin.enable' }, 10);
    expect(events).toHaveLength(before + 1);
    expect(events[0]?.actor).toMatch(/./);
    expect(events[0]?.actor).not.toBe('beto');
  });

  test('on branches and coverage is recorded too', async ({ csv, trail }) => {
    await csv('export', '/dev/null');
    await csv('coverage', 'import', 'no-hay.csv');
    expect(await trail.find({ user: 'carla' }, 10)).toMatchObject([
      { action: 'coverage.import', outcome: 'failed', details: { file: 'no-hay.csv' }, service: 'branches' },
      { action: 'branches.export', outcome: 'ok', details: { file: 'null', rows: 6 } },
    ]);
  });

  test('that the trail does not keep says so, and does not end as done', async ({ stores }) => {
    const mongo = await mongoose.createConnection(stores.mongoUri).asPromise();
    const event = { action: 'admin.disable', service: 'admin', env: {} } as const;
    const done = recordCommand(new AuditStore(mongo), event, async () => {
      await mongo.close();
      return { text: 'Usuario deshabilitado: demo' };
    });
    await expect(done).rejects.toThrow(
      'Usuario deshabilitado: demo\nSe hizo, pero no se pudo anotar en la bitacora (coleccion audit)',
    );
  });
});

describe('admin audit', () => {
  test.beforeAll(async ({ trail }) => {
    await trail.insert(past(1, { actor: 'unknown', address: '198.51.100.9', outcome: 'refused' }));
    await trail.insert(past(30, { actor: 'nocturno', address: '198.51.100.9', outcome: 'refused' }));
    const pause = {
      actor: 'nocturno',
      action: 'queue.pause',
      subject: 'trabajo-1',
      service: 'dashboard',
    } as const;
    await trail.insert(past(2, pause));
  });

  test('shows a table, the newest first', async ({ admin }) => {
    const { code, out } = await admin(['audit', '--user', 'nocturno']);
    expect(code).toBe(0);
    const [heading, ...rows] = out.trimEnd().split('\n');
    expect(heading).toMatch(/^FECHA \(UTC\) +ACCION +USUARIO +DESDE +RESULTADO +SOBRE +DETALLES$/);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d +queue\.pause +nocturno +- +ok +trabajo-1 +-$/);
    expect(rows[1]).toMatch(/login +nocturno +198\.51\.100\.9 +refused/);
  });

  test.for<[string, string[], number]>([
    ['address', ['--address', '198.51.100.9'], 2],
    ['address and time', ['--address', '198.51.100.9', '--since', '24h'], 1],
    ['action', ['--action', 'queue.pause'], 1],
  ])('finds by %s', async ([_, options, count], { admin }) => {
    const { out } = await admin(['audit', '--json', ...options]);
    expect(JSON.parse(out)).toHaveLength(count);
  });

  test('shows a number of them, and says when there are more', async ({ admin }) => {
    const { out, err } = await admin(['audit', '--address', '198.51.100.9', '--json', '--limit', '1']);
    expect(JSON.parse(out)).toHaveLength(1);
    expect(err).toBe('Hay mas de 1: use --limit, --since o --until\n');
  });

  test('shows no control characters of a client to the terminal', async ({ admin, trail }) => {
    await trail.insert(past(1, { actor: 'esc\u001b[2J', address: '203.0.113.5' }));
    expect((await admin(['audit', '--address', '203.0.113.5'])).out).toContain('esc?[2J');
  });

  test.for([
    ['--limit', '0', '--limit debe ser un entero de 1 a 10000'],
    ['--until', '2026-13-01', '--until debe ser YYYY-MM-DD'],
  ] as const)('refuses %s %s', async ([option, value, message], { admin }) => {
    const { code, err } = await admin(['audit', option, value]);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  test('reads moments as days, as times in UTC and as how long ago', () => {
    const now = Date.UTC(2026, 10, 22, 12);
    const iso = (option: 'since' | 'until', text: string) => parseMoment(option, text, now).toISOString();
    expect(iso('since', '2026-11-20')).toBe('2026-11-20T00:00:00.000Z');
    expect(iso('until', '2026-11-20')).toBe('2026-11-21T00:00:00.000Z');
    expect(iso('until', '2026-11-20T10:30')).toBe('2026-11-20T10:30:00.000Z');
    expect(iso('since', '36h')).toBe('2026-11-21T00:00:00.000Z');
    expect(iso('since', '15m')).toBe('2026-11-22T11:45:00.000Z');
  });
});

test('events are removed after 400 days, by the database', async ({ stores, trail }) => {
  await trail.insert(past(1, {}));
  const indexes = await stores.mongo.collection('audit').indexes();
  const ttl = indexes.find(({ expireAfterSeconds }) => expireAfterSeconds !== undefined);
  expect(ttl).toMatchObject({ key: { at: 1 }, expireAfterSeconds: 400 * 24 * 3_600 });
});
