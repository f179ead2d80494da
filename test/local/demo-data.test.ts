import { expect } from 'vitest';
import { seedDemoData } from '#local/demo-data.ts';
import { hashPassword } from '#shared/auth/passwords.ts';
import { test } from '#test/fixtures/stores.ts';

test('demo users of an earlier release get the permissions that they lack, and nobody else does', async ({
  stores,
}) => {
  const users = stores.mongo.collection<{ _id: string; permissions: string[] }>('users');
  const permissionsOf = async (name: string) => (await users.findOne({ _id: name }))?.permissions;
  const former = ['guias.create', 'guias.read'];
  // Release 1.1 did not mark its demo users.
  await users.updateOne({ _id: 'demo' }, { $set: { permissions: former }, $unset: { demo: 1 } });
  const passwordHash = await hashPassword('another password than everybody knows');
  await users.updateOne({ _id: 'otro' }, { $set: { permissions: former, passwordHash } });
  expect(await seedDemoData(stores.mongoUri)).toBe(false);
  expect(await permissionsOf('demo')).toEqual([...former, 'guias.cancel']);
  expect(await permissionsOf('otro')).toEqual(former);
  expect(await permissionsOf('lectura')).toEqual(['guias.read']);
});
