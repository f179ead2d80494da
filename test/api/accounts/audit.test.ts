import { expect } from 'vitest';
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
