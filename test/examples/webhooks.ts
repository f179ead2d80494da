import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { freePort } from '#local/process/free-port.ts';
import { type Message, signedHeaders } from '#services/webhooks/message.ts';
import { newSecret } from '#shared/webhooks/webhook-secrets.ts';

const message = (id: string, type: string, data: unknown): Message => ({
  id,
  body: JSON.stringify({ type, data }),
});
const event = (SEND_GUIA: string, Id: string, Tipo: string, SEND_ESTATUS: string) => ({
  ...{ SEND_GUIA, Id, Tipo, SEND_ESTATUS },
  CampoDeOtroDia: ['ñ'],
});
const MESSAGE = message('msg_1', 'guias.eventos', {
  Eventos: [event('390458235877', 'E1', 'Entregado', 'Entregado')],
});
/** What a receiver must take beside; every one of these events stands in it twice, and one of `MESSAGE`. */
const ONE_ID = [
  event('482913650724', 'E1', 'EnReparto', 'EnReparto'),
  event('482913650724', 'cancelacion', 'Cancelacion', 'Cancelado'),
  event('390458235877', 'cancelacion', 'Cancelacion', 'Cancelado'),
  event('390458235877', 'E2', 'TipoDeOtroDia', 'Entregado'),
];
const OTHERS: Message[] = [
  message('msg_2', 'guias.eventos', {
    Eventos: [event('390458235877', 'E1', 'Entregado', 'Entregado'), ...ONE_ID],
  }),
  message('msg_3', 'guias.eventos', { Eventos: ONE_ID }),
  message('msg_4', 'prueba', { Eventos: [] }),
  message('msg_5', 'tipo.de.otro.dia', null),
];
const WRITTEN = [
  'E1 390458235877 Entregado',
  'E1 482913650724 EnReparto',
  'E2 390458235877 Entregado',
  'cancelacion 390458235877 Cancelado',
  'cancelacion 482913650724 Cancelado',
];
const SECRET = newSecret();
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);
type Case = [name: string, headers: Record<string, string>, body: string, authentic: boolean];
/** Returns messages that are signed now, and whether they are authentic. */
export const newCases = (): Case[] => [
  ['ours', signedHeaders(MESSAGE, [SECRET], ago(0)), MESSAGE.body, true],
  ['with two signatures', signedHeaders(MESSAGE, [newSecret(), SECRET], ago(200)), MESSAGE.body, true],
  ['of another secret', signedHeaders(MESSAGE, [newSecret()], ago(0)), MESSAGE.body, false],
  ['with another body', signedHeaders(MESSAGE, [SECRET], ago(0)), `${MESSAGE.body} `, false],
  ['that is old', signedHeaders(MESSAGE, [SECRET], ago(400)), MESSAGE.body, false],
  ['without a signature', {}, MESSAGE.body, false],
];
export const PROGRAMS = join(repoRoot, 'examples');

/**
 * Runs a receiver and sends it each message. It takes those that are authentic and no other, asks for what it cannot keep
 * again, outlives every error, and writes each event once.
 *
 * @param kept the folder in which it keeps events.
 */
export async function expectReceives(
  command: (port: number) => [string, ...string[]],
  kept: string,
): Promise<void> {
  const port = await freePort();
  const [program, ...args] = command(port);
  const env = { ...process.env, SECRETO: SECRET, PUERTO: String(port), CARPETA: kept };
  await writeFile(kept, 'A file where the folder belongs: no event can be kept.');
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
  for (const { id, body } of [MESSAGE, { id: 'msg_0', body: 'no JSON' }]) {
    expect([id, (await post(signedHeaders({ id, body }, [SECRET], ago(0)), body)).status]).toEqual([id, 500]);
  }
  await rm(kept);
  for (const [name, headers, body, authentic] of newCases()) {
    const { status } = await post(headers, body);
    expect([name, status]).toEqual([name, authentic ? 204 : 401]);
  }
  await breakOff(port);
  for (const { id, body } of OTHERS) {
    const { status } = await post(signedHeaders({ id, body }, [SECRET], ago(0)), body);
    expect([id, status]).toEqual([id, 204]);
  }
  await expect.poll(() => written.trim().split('\n').sort()).toEqual(WRITTEN);
}

/** Sends half of a message, and closes the connection. */
async function breakOff(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  await new Promise((sent) =>
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{', sent),
  );
  socket.destroy();
}

export { SECRET };
