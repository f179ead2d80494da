import type { FastifyRequest } from 'fastify';
import { expect, vi } from 'vitest';
import { auditForeignReads } from '#services/api/accounts/hooks/audit.ts';
import type { AuditLog } from '#shared/audit/audit-log.ts';
import { AuditStore } from '#shared/audit/audit-store.ts';
import { Client } from '#test/fixtures/client.ts';
import { test } from '#test/fixtures/services.ts';

test.for([
  // Whoever has the label already needs no printer.
  ['label.read-other', '/api/guias/etiqueta/', 304],
  ['guide.read-other', '/api/guias/', 200],
] as const)(
  '%s: of another account is recorded with who read it; of the own account not',
  async ([action, path, status], { api, demo, number, stores }) => {
    const trail = new AuditStore(stores.mongo);
    const read = (client: Client, id: string) =>
      client.get(path + number, { 'if-none-match': '*', 'x-request-id': id });
    expect((await read(demo, 'propia')).status).toBe(status);
    expect((await read(await Client.login(api.url, 'operaciones'), 'ajena')).status).toBe(status);
    expect((await read(await Client.login(api.url, 'otro'), 'prohibida')).status).toBe(404);
    const found = () => trail.find({ action }, 10);
    await expect.poll(found).not.toEqual([]);
    const who = { actor: 'operaciones', account: 'operaciones', address: '127.0.0.1', service: 'api' };
    const what = { subject: 'demo', requestId: 'ajena', outcome: 'ok', details: { guide: number } };
    expect(await found()).toMatchObject([{ ...who, ...what }]);
  },
);

test('guides of other accounts are recorded among guides of the own one', () => {
  const record = vi.fn();
  const apiUser = { username: 'operaciones', account: 'operaciones' };
  const request = { apiUser, ip: '127.0.0.1', id: 'mezcla' };
  const auditLog = { record } as unknown as AuditLog;
  const guides = ['operaciones', 'demo', 'otro'].map((account, i) => ({ account, _id: `${i}` }));
  auditForeignReads({ auditLog }, request as unknown as FastifyRequest, 'label.read-other', guides);
  expect(record.mock.calls.map(([{ subject, details }]) => [subject, details])).toEqual([
    ['demo', { guide: '1' }],
    ['otro', { guide: '2' }],
  ]);
});
