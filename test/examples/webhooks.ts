import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { freePort } from '#local/process/free-port.ts';
import { type Message, signedHeaders } from '#services/webhooks/message.ts';
import { newSecret } from '#shared/stores/webhook-store.ts';

export const MESSAGE: Message = {
  id: 'msg_1',
  body: JSON.stringify({
    type: 'guias.eventos',
    data: { Eventos: [{ Id: 'E1', SEND_GUIA: '390458235877', SEND_ESTATUS: 'Entregado', Nota: 'ñ' }] },
  }),
};
const SECRET = newSecret();
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);
/** Messages, and whether they are authentic. */
export const CASES: [name: string, headers: Record<string, string>, body: string, authentic: boolean][] = [
  ['ours', signedHeaders(MESSAGE, [SECRET], ago(0)), MESSAGE.body, true],
  ['with two signatures', signedHeaders(MESSAGE, [newSecret(), SECRET], ago(200)), MESSAGE.body, true],
  ['of another secret', signedHeaders(MESSAGE, [newSecret()], ago(0)), MESSAGE.body, false],
  ['with another body', signedHeaders(MESSAGE, [SECRET], ago(0)), `${MESSAGE.body} `, false],
  ['that is old', signedHeaders(MESSAGE, [SECRET], ago(400)), MESSAGE.body, false],
  ['without a signature', {}, MESSAGE.body, false],
];
export const PROGRAMS = join(repoRoot, 'examples');

/** Runs a receiver, sends it each message, and checks that it takes those that are authentic and no other. */
export async function expectReceives(command: (port: number) => [string, ...string[]]): Promise<void> {
  const port = await freePort();
  const [program, ...args] = command(port);
  const env = { ...process.env, SECRETO: SECRET, PUERTO: String(port) };
  const child = spawn(program, args, { cwd: PROGRAMS, env, stdio: ['ignore', 'pipe', 'ignore'] });
  let written = '';
  child.stdout.on('data', (text) => {
    written += text;
  });
  onTestFinished(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  const post = (headers: Record<string, string>, body: string) =>
    fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body });
  await expect
    .poll(() =>
      post({}, '')
        .then(() => true)
        .catch(() => false),
    )
    .toBe(true);
  for (const [name, headers, body, authentic] of CASES) {
    const { status } = await post(headers, body);
    expect([name, status]).toEqual([name, authentic ? 204 : 401]);
  }
  await expect.poll(() => written.match(/^E1 390458235877 Entregado$/gm)?.length).toBe(2);
}

/** Checks that the page for integrators shows the function of this example as it stands there. */
export function expectOnPage(example: string, begins: string): void {
  const page = readFileSync(join(repoRoot, 'services/api/docs/webhooks.md'), 'utf8');
  const block = page.split('```').find((each) => each.startsWith(`\n${begins}`));
  expect(readFileSync(join(PROGRAMS, example), 'utf8')).toContain(block ?? 'no such function on the page');
}

export { SECRET };
