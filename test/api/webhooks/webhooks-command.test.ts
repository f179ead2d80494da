import { expect } from 'vitest';
import { run } from '#services/api/cli.ts';
import { appendEvents } from '#test/fixtures/event-log.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';
import { test as webhooks } from '#test/fixtures/webhooks.ts';

/** `npm run admin -- webhooks`. */

const test = webhooks.extend('admin', { scope: 'file' }, ({ stores }) => (...args: string[]) => {
  return runCommand(run, args, { env: { MONGODB_URI: stores.mongoUri } });
});

test('says when there is none', async ({ admin }) => {
  expect(await admin('webhooks')).toEqual({ code: 0, out: 'No hay webhooks\n', err: '' });
});

test('says whose webhook fails, since when and why, no secret', async ({ admin, newCustomer, stores }) => {
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 8, minute));
  const url = 'https://tienda.example:8443/camino-secreto?clave=tambien-secreta';
  const add = () => newCustomer(url);
  const [fine, behind, failing, off] = [await add(), await add(), await add(), await add()];
  const row = ({ account, id }: typeof fine, ...rest: string[]) => [
    account,
    id,
    'tienda.example:8443',
    ...rest,
  ];
  await appendEvents(stores.mongo, behind.account, 1, 3);
  await appendEvents(stores.mongo, failing.account, 1, 2);
  await failing.set({
    failures: 4,
    failingSince: at(1),
    lastFailure: { at: at(3), reason: 'Respondio 500' },
    dueAt: at(33),
  });
  await off.set({ active: false, off: { at: at(2), reason: 'Respondio 410: ya no existe' } });
  await fine.set({ lastFailure: { at: at(0), reason: 'No se pudo conectar' } }); // which is over

  const { code, out, err } = await admin('webhooks');
  expect([code, err]).toEqual([0, '']);
  expect(out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['CUENTA', 'ID', 'SERVIDOR', 'ESTADO', 'DESDE (UTC)', 'PROXIMO INTENTO', 'PENDIENTES', 'MOTIVO'],
    row(failing, 'falla', '2026-11-20T08:01:00', '2026-11-20T08:33:00', '2', 'Respondio 500'),
    row(off, 'apagado', '2026-11-20T08:02:00', '-', '0', 'Respondio 410: ya no existe'),
    row(behind, 'activo', '-', '-', '3', '-'),
    row(fine, 'activo', '-', '-', '0', '-'),
    [''],
  ]);
  expect(out).not.toContain('secret');
});
