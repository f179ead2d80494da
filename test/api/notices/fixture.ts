import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { SMTPServer } from 'smtp-server';
import { expect } from 'vitest';
import { fullGuide } from '#test/fixtures/client.ts';
import { test as events } from '#test/fixtures/events.ts';

/** A mail as the server got it. */
type Mail = { from: string; to: string[]; secure: boolean; user: string; raw: string };
/** What the server answers to the next mails: a code for a sender, a recipient or a message, or nothing at all. */
type Answer = { at: 'RCPT TO' | 'DATA' | 'MAIL FROM'; code: number | 'none' };

type Refusal = Error & { responseCode: number };
const refusal = (code: number): Refusal => Object.assign(new Error('no'), { responseCode: code });

const LOGIN = { user: 'guias@tienda.example', pass: 'a:b/c?d#e@f' };

/** Tests with a mail server of their own, with STARTTLS by a certificate of an authority of its own, and a login. */
export const test = events
  .extend('mailServer', { scope: 'file' }, async ({ folder }, { onCleanup }) => {
    const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' });
    const request = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1'.split(' ');
    openssl(
      ...request,
      ...'-subj /CN=localhost -addext subjectAltName=DNS:localhost'.split(' '),
      ...'-keyout key.pem -out cert.pem'.split(' '),
    );
    const [key, cert] = ['key.pem', 'cert.pem'].map((file) => readFileSync(join(folder, file), 'utf8'));
    const usual = getCACertificates('default');
    setDefaultCACertificates([...usual, cert ?? '']);
    const mails: Mail[] = [];
    const answers: Answer[] = [];
    const answer = (at: Answer['at'], done: (error: Error | null) => void) => {
      const place = answers.findIndex((next) => next.at === at);
      const [next] = place < 0 ? [] : answers.splice(place, 1);
      if (next?.code !== 'none') done(next ? refusal(next.code) : null);
    };
    const server = new SMTPServer({
      ...{ key: key ?? '', cert: cert ?? '', logger: false, closeTimeout: 100, disableReverseLookup: true },
      onAuth: ({ username, password }, _session, done) =>
        username === LOGIN.user && password === LOGIN.pass
          ? done(null, { user: username })
          : done(refusal(535)),
      onMailFrom: (_address, _session, done) => answer('MAIL FROM', done),
      onRcptTo: (_address, _session, done) => answer('RCPT TO', done),
      onData: (stream, { envelope, secure, user }, done) => {
        let raw = '';
        stream.on('data', (chunk: Buffer) => {
          raw += chunk.toString('latin1');
        });
        stream.on('end', () => {
          const from = envelope.mailFrom ? envelope.mailFrom.address : '';
          mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), secure, user, raw });
          answer('DATA', done);
        });
      },
    });
    server.on('error', () => {}); // of clients that hang up
    await once(server.listen(0, 'localhost'), 'listening');
    onCleanup(async () => {
      setDefaultCACertificates(usual);
      await new Promise<void>((resolve) => server.close(resolve));
    });
    const { port } = server.server.address() as AddressInfo;
    const login = `${encodeURIComponent(LOGIN.user)}:${encodeURIComponent(LOGIN.pass)}`;
    return {
      url: `smtp://${login}@localhost:${port}`,
      port,
      mails,
      answers,
      authority: join(folder, 'cert.pem'),
    };
  })
  .extend('noticeSettings', { scope: 'file' }, ({ mailServer }) => ({
    SMTP_URL: mailServer.url,
    MAIL_FROM: 'avisos@guias.example',
    NOTICES_SECRET: randomBytes(32).toString('hex'),
    PUBLIC_URL: 'https://guias.example',
    PRIVACY_NOTICE_URL: 'https://guias.example/privacidad',
    CARRIER_NAME: 'Paquetería, "El Águila"',
    CARRIER_CONTACT: '5512345678',
  }))
  .extend('settings', { scope: 'file' }, ({ noticeSettings }): Record<string, string> => noticeSettings)
  /** A guide of `demo` whose recipient has an address. */
  .extend('newParcel', { scope: 'file' }, ({ newGuide }) => {
    let count = 0;
    return async (more: object = {}, sender: object = {}) => {
      const Email = `persona${count++}@correo.example`;
      const { Remitente, Destinatario } = fullGuide();
      const number = await newGuide({
        Remitente: { ...Remitente, ...sender },
        Destinatario: { ...Destinatario, Email },
        ...more,
      });
      return { number, Email };
    };
  })
  /** Waits for the mails to an address. */
  .extend('mailTo', { scope: 'file' }, ({ mailServer }) => async (address: string) => {
    const own = () => mailServer.mails.filter(({ to }) => to.includes(address));
    await expect.poll(own).not.toEqual([]);
    return own()[0] as Mail;
  })
  /** What became of the notices of a guide: state and result. */
  .extend('noticesOf', { scope: 'file' }, ({ demo }) => async (number: string) => {
    const { body } = await demo.get(`/api/guias/${number}/avisos`);
    const data = body.data as { Estatus: string; Resultado: string }[];
    return data.map(({ Estatus, Resultado }) => `${Estatus} ${Resultado}`);
  })
  /** Switches the notices of `demo`. */
  .extend(
    'choose',
    { scope: 'file' },
    ({ demo }) =>
      (body: object) =>
        demo.post('/api/avisos', body, {}, 'PUT'),
  );

/** Returns a header of a mail as a mail program shows it: unfolded, with its encoded words decoded. */
export function headerOf({ raw }: Mail, name: string): string | undefined {
  const [head = ''] = raw.split('\r\n\r\n', 1);
  const lines = head.replaceAll(/\r\n[ \t]/g, ' ').split('\r\n');
  const own = lines.filter((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  expect(own.length).toBeLessThan(2);
  const words = own[0]
    ?.slice(name.length + 1)
    .trim()
    .replaceAll(/\?=\s+=\?/g, '?==?');
  return words?.replaceAll(/=\?UTF-8\?Q\?([^?]*)\?=/g, (_, text: string) =>
    text
      .replaceAll('_', ' ')
      .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number(`0x${hex}`))),
  );
}

/** Returns a text as UTF-8 that was read byte by byte. */
export const utf8 = (text = '') => Buffer.from(text, 'latin1').toString('utf8');

/** Returns what a mail says, its text before its HTML. */
export function bodyOf({ raw }: Mail): string {
  const start = raw.indexOf('\r\n\r\n');
  const text = raw.slice(start).replaceAll(/=\r\n/g, '');
  return utf8(
    text.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number(`0x${hex}`))),
  );
}
