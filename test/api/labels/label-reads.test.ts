import { expect, vi } from 'vitest';
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
    await vi.waitFor(async () => expect(await found()).not.toEqual([]), 5_000);
    expect(await found()).toMatchObject([
      {
        actor: 'operaciones',
        account: 'operaciones',
        subject: 'demo',
        address: '127.0.0.1',
        requestId: 'ajena',
        service: 'api',
        outcome: 'ok',
        details: { guide: number },
      },
    ]);
  },
);
