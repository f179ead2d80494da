import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { expect } from 'vitest';
import { MailServer } from '#services/api/notices/mail-server.ts';
import { RefusesUs } from '#shared/stores/dependencies.ts';
import { test } from './fixture.ts';

/** What a process makes of its mail server. */

const MAIL = {
  from: 'avisos@guias.example',
  to: 'ana@correo.example',
  raw: Buffer.from('Subject: x\r\n\r\nx'),
};

test('a server that serves, and one that refuses the login or the sender', async ({ mailServer }) => {
  const server = new MailServer(mailServer.url);
  await server.check();
  await expect(new MailServer(mailServer.url.replace('a%3Ab', 'z')).check()).rejects.toThrow(RefusesUs);
  const connection = await server.connect();
  mailServer.answers.push({ at: 'MAIL FROM', code: 553 });
  expect(await connection.send(MAIL)).toMatchObject({ outcome: 'away' });
  expect(connection.isOpen).toBe(false);
  server.hold();
  await expect(server.check()).rejects.toThrow(RefusesUs);
});

test('one without TLS gets nothing, unless the address allows it', async ({ onTestFinished }) => {
  const server = new SMTPServer({ logger: false, disabledCommands: ['STARTTLS'], authOptional: true });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => new Promise<void>((resolve) => server.close(resolve)));
  const { port } = server.server.address() as AddressInfo;
  await expect(new MailServer(`smtp://0.0.0.0:${port}`).check()).rejects.toThrow('STARTTLS');
  await new MailServer(`smtp://0.0.0.0:${port}?tls=no`).check();
  await new MailServer(`smtp://127.0.0.1:${port}`).check();
});

test('one that says nothing is away after a while', async ({ onTestFinished }) => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  await expect(new MailServer(`smtp://127.0.0.1:${port}`).check()).rejects.toThrow();
  await expect(new MailServer('smtp://127.0.0.1:1').check()).rejects.toThrow('ECONNREFUSED');
});
