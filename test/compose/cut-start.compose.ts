import { expect } from 'vitest';
import { Client } from '#test/fixtures/client.ts';
import { test } from './project.ts';

/**
 * A first start that ended after MongoDB had made its files and before it had its administrator, which the image mongo never
 * repairs: it creates users in an empty volume only.
 */

test('without its administrator, up fails, and its advice helps', async ({ project, ports }) => {
  const nobody = ['--env', 'MONGO_INITDB_ROOT_USERNAME=', '--env', 'MONGO_INITDB_ROOT_PASSWORD_FILE='];
  const id = await project.compose('run', '--detach', ...nobody, 'mongo');
  const listens = () =>
    project.docker('exec', id, 'bash', '-c', '</dev/tcp/127.0.0.1/27017').then(() => true);
  await expect.poll(listens).toBe(true);
  await project.docker('rm', '--force', id);

  const up = () => project.compose('up', '--wait', '--detach', '--no-build');
  await expect(up()).rejects.toThrow('mongo-users');
  expect(await project.compose('logs', '--no-log-prefix', 'mongo-users')).toMatch(
    /MongoDB refuses its administrator.* its first start ended before it created the administrator: .*docker compose down; docker volume rm guias_mongo/,
  );

  await project.compose('down');
  await project.docker('volume', 'rm', `${project.name}_mongo`);
  await up();
  const demo = await Client.login(`http://127.0.0.1:${ports.API_PORT}`);
  expect(demo.token).toBeTruthy();
});
