import { expect } from 'vitest';
import { Client, logIn, minimalGuide } from '#test/fixtures/client.ts';
import { test } from './project.ts';

/** What `down` keeps and what `down --volumes` forgets. */

test('down and up keep guides and tokens', async ({ project, url }) => {
  const demo = await Client.login(url);
  const [guide] = await demo.created(minimalGuide());
  await project.compose('down');
  await project.compose('up', '--wait', '--detach', '--no-build');
  const label = await demo.pdf(`/api/guias/etiqueta/${guide?.SEND_GUIA}`); // the token is still valid
  expect(label.status).toBe(200);
});

test('where MongoDB does not know its administrator, mongo-users says what to do', async ({
  project,
  url,
}) => {
  expect(url).toBeTruthy();
  const wrong = ['-e', 'MONGODB_ADMIN_PASSWORD=wrong', '-e', 'MONGODB_ADMIN_PASSWORD_FILE='];
  await expect(project.compose('run', '--rm', '-T', ...wrong, 'mongo-users')).rejects.toThrow(
    /MongoDB refuses its administrator.*docker volume rm guias_mongo/,
  );
});

test('without DEMO, no demo user may log in', async ({ project, ports, url }) => {
  await project.with({ DEMO: '' }).compose('up', '--wait', '--detach', '--no-build');
  const answer = await logIn(`http://127.0.0.1:${ports.API_PORT}`, 'demo', 'demo1234');
  expect([url.length > 0, answer.status]).toEqual([true, 401]);
});

test('down --volumes leaves nothing', async ({ project, url }) => {
  expect(url).toBeTruthy();
  await project.compose('down', '--volumes');
  expect(await project.remains()).toEqual([]);
});
