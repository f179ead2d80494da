import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { test as base, expect } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { freePort } from '#local/process/free-port.ts';
import { minimalGuide } from '#test/fixtures/client.ts';
import { ComposeProject } from './compose-project.ts';
import { standIns } from './stand-ins.ts';

/** docker-compose.yml with the profiles tls and backup, and the loss of its machine. */

const API = 'guias.localhost';
const DASHBOARD = 'dashboard.guias.localhost';

const test = base
  .extend('folder', { scope: 'file' }, async ({}, { onCleanup }) => {
    const local = join(repoRoot, '.local');
    mkdirSync(local, { recursive: true });
    const folder = mkdtempSync(join(local, 'production-')); // an engine may mount the project's folder alone
    onCleanup(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, 'backups'));
    const subject = ['-subj', '/CN=backups', '-days', '36500'];
    const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'backups.pem')];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-noenc', ...subject, ...files], {
      stdio: 'pipe',
    });
    return folder;
  })
  .extend('httpsPort', { scope: 'file' }, async () => `${await freePort()}`)
  .extend('project', { scope: 'file' }, async ({ folder, httpsPort }, { onCleanup }) => {
    const project = new ComposeProject(`guias-test-production-${process.pid}`, {
      API_PORT: `${await freePort()}`,
      DASHBOARD_PORT: `${await freePort()}`,
      PROMETHEUS_PORT: `${await freePort()}`,
      GRAFANA_PORT: `${await freePort()}`,
      HTTP_PORT: `${await freePort()}`,
      HTTPS_PORT: httpsPort,
      BACKUPS: join(folder, 'backups'),
      BACKUP_CERTIFICATE: join(folder, 'backups.pem'),
      DEMO: '1',
      DOMAIN: API,
    });
    const file = await standIns(project, folder);
    const files = [process.env.COMPOSE_FILE ?? join(repoRoot, 'docker-compose.yml'), ...(file ? [file] : [])];
    const all = project.with({ COMPOSE_FILE: files.join(delimiter) });
    onCleanup(async () => void (await all.compose('--profile', '*', 'down', '--volumes')));
    return all;
  })
  .extend('up', { scope: 'file' }, ({ project }) => async () => {
    const profiles = ['--profile', 'tls', '--profile', 'backup'];
    await project.compose(...profiles, 'up', '--wait', '--detach', '--no-build');
  })
  /** Asks by https with curl, which trusts Caddy's authority alone, and returns the head and the body. */
  .extend('ask', { scope: 'file' }, ({ project, folder, httpsPort }) => {
    return async (host: string, path: string, ...args: string[]) => {
      const authority = join(folder, 'authority.pem');
      await project.compose('cp', 'caddy:/data/caddy/pki/authorities/local/root.crt', authority);
      const to = ['--connect-to', `${host}:443:127.0.0.1:${httpsPort}`, '--cacert', authority];
      const all = ['--silent', '--show-error', '--include', ...to, ...args, `https://${host}${path}`];
      const { stdout } = await promisify(execFile)('curl', all, { maxBuffer: 2 ** 24, encoding: 'latin1' });
      const end = stdout.indexOf('\r\n\r\n');
      return { head: stdout.slice(0, end), body: Buffer.from(stdout.slice(end + 4), 'latin1').toString() };
    };
  });

const login = ['--header', 'X-Username: demo', '--header', 'X-Password: demo1234', '--request', 'POST'];
type Ask = (host: string, path: string, ...args: string[]) => Promise<{ head: string; body: string }>;

async function bearer(ask: Ask): Promise<string[]> {
  const { body } = await ask(API, '/api/auth/login', ...login);
  return ['--header', `Authorization: Bearer ${JSON.parse(body).data.access_token}`];
}

test('after the loss of its machine, an encrypted dump brings everything back', async ({
  project,
  up,
  ask,
  folder,
}) => {
  await up();
  for (const { id, service } of await project.containers('caddy', 'backup')) {
    const health = await project.inspect({ id }, '{{.State.Health.Status}}');
    expect([service, health]).toEqual([service, 'healthy']);
  }

  // TLS
  const token = await bearer(ask);
  const { head } = await ask(API, '/api/docs');
  expect(head).toMatch(/^HTTP\/2 200/);
  expect(head.match(/strict-transport-security: max-age=31536000/gi)).toHaveLength(1);
  for (const path of ['/metrics', '//metrics', '/health/ready']) {
    expect((await ask(API, path, '--path-as-is')).head, path).toMatch(/^HTTP\/2 404/);
    expect((await ask(DASHBOARD, path, '--path-as-is')).head, path).toMatch(/^HTTP\/2 404/);
  }
  const credentials = [
    '--data',
    'usuario=operaciones&contrasena=demo1234',
    '--header',
    `Origin: https://${DASHBOARD}`,
  ];
  const entered = await ask(DASHBOARD, '/entrar', ...credentials);
  expect(entered.head).toMatch(/set-cookie: __Host-sesion=.*Secure/i);
  const large = join(folder, 'large');
  execFileSync('sh', ['-c', `head -c 5000000 /dev/zero | tr '\\0' ' ' > ${large}`]);
  const json = ['--header', 'Content-Type: application/json'];
  const refused = await ask(API, '/api/guias/crear', ...token, ...json, '--data-binary', `@${large}`);
  expect([refused.head.split('\r\n')[0]?.trim(), JSON.parse(refused.body).response]).toEqual([
    'HTTP/2 413',
    'ERROR',
  ]);

  // The canary comes to this domain without leaving the machine. It does not know Caddy's own authority.
  const script =
    "fetch('http://127.0.0.1:3006/health/rounds').then(async (answer) => console.log(await answer.text()))";
  const report = async () => JSON.parse(await project.compose('exec', '-T', 'canary', 'node', '-e', script));
  await expect
    .poll(async () => (await report()).ways[0])
    .toMatchObject({ way: 'customers', host: API, fault: { answer: 'el certificado TLS no es válido' } });

  // A guide, a label, and a webhook whose secret is encrypted.
  const body = JSON.stringify({ TipoServicio: 'Domicilio', Guia: [minimalGuide()] });
  const created = await ask(API, '/api/guias/crear', ...token, ...json, '--data', body);
  const guide = JSON.parse(created.body).data[0].SEND_GUIA as string;
  const label = `/api/guias/etiqueta/${guide}`;
  expect((await ask(API, label, ...token)).body).toMatch(/^%PDF-/);
  const keysOf = () => project.compose('exec', '-T', 'api', 'cat', '/run/secrets/webhook-secrets');
  const key = await keysOf();

  // A dump, which nobody reads without the private key.
  await project.compose('exec', '-T', 'backup', 'bash', '/scripts/backup.sh');
  const dump = readdirSync(join(folder, 'backups')).sort().at(-1) ?? '';
  const pieces = readdirSync(join(folder, 'backups', dump));
  expect(pieces).toEqual([
    'SHA256SUMS',
    'creations.gz.00000.cms',
    'guias.gz.00000.cms',
    'keys.json.00000.cms',
  ]);
  for (const piece of pieces.slice(1)) {
    expect(readFileSync(join(folder, 'backups', dump, piece), 'latin1')).not.toContain(key);
  }

  // The machine is lost.
  await project.compose('--profile', '*', 'down', '--volumes');
  expect(await project.remains()).toEqual([]);
  await expect(restore(project, '')).rejects.toThrow('needs the private key');
  expect(await restore(project, readFileSync(join(folder, 'key.pem'), 'utf8'))).toContain(
    `Restored ${dump}.`,
  );
  await up();
  expect((await ask(API, label, ...(await bearer(ask)))).body).toMatch(/^%PDF-/);
  expect(await keysOf()).toBe(key);
});

/** Runs the command of the operator, with `key` on standard input. @throws Error with what it printed. */
async function restore(project: ComposeProject, key: string): Promise<string> {
  const args = ['compose', '--progress', 'quiet', 'run', '--rm', '-T', 'restore'];
  const child = spawn('docker', args, { cwd: repoRoot, env: project.env });
  child.stdin.end(key);
  const ended = once(child, 'close');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await ended;
  if (code !== 0) throw new Error(err);
  return out;
}
