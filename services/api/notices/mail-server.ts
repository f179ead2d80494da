import { once } from 'node:events';
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { withTimeout } from '#shared/async/with-timeout.ts';
import { RefusesUs } from '#shared/stores/dependencies.ts';

/** In ms: to connect, with TLS and the greeting, for each answer, and for a mail as a whole. A pod ends within 25 s. */
const CONNECT_MS = 5_000;
const ANSWER_MS = 8_000;
const MAIL_MS = 15_000;
/** Time for which nothing is sent after the server has refused our sender, in ms. */
const HELD_MS = 10 * 60_000;
const LOOPBACK = /^(127\.|::1$|localhost$)/;

/**
 * What became of a mail. `again`: it surely was not accepted, and may be sent again. `unknown`: the answer is lost, so that it
 * may have been accepted. `reply`: the server's code, or 0 if it gave none.
 */
export type Sent =
  | { outcome: 'sent' }
  | { outcome: 'again' | 'refused' | 'unknown'; reply: number }
  | { outcome: 'away'; error: Error };
/** `raw`: as RFC 5322 has it. */
type Mail = { from: string; to: string; raw: Buffer };

type SmtpError = Error & { responseCode?: number; command?: string; code?: string };

/** The carrier's mail server, as `SMTP_URL` names it. */
export class MailServer {
  readonly #options: ConstructorParameters<typeof SMTPConnection>[0];
  readonly #login: { user: string; pass: string } | undefined;
  #heldUntil = 0;

  constructor(address: string) {
    const { protocol, hostname, port, username, password, searchParams } = new URL(address);
    const host = hostname.replace(/^\[|\]$/g, '');
    const secure = protocol === 'smtps:';
    const mayBePlain = LOOPBACK.test(host) || searchParams.get('tls') === 'no';
    this.#options = {
      ...{ host, secure, port: port === '' ? undefined : Number(port) },
      requireTLS: !secure && !mayBePlain,
      ignoreTLS: searchParams.get('tls') === 'no',
      ...(isIP(host) === 0 && { servername: host }),
      ...{ connectionTimeout: CONNECT_MS, greetingTimeout: CONNECT_MS, dnsTimeout: CONNECT_MS },
      ...{ socketTimeout: ANSWER_MS, maxResponseSize: 64 * 1024 },
    };
    if (username !== '')
      this.#login = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  }

  /** @throws RefusesUs if it refuses our credentials, or has refused our sender a moment ago; Error if it does not answer. */
  async check(): Promise<void> {
    if (performance.now() < this.#heldUntil) throw new RefusesUs('The mail server refuses MAIL_FROM');
    const connection = await this.connect();
    connection.quit();
  }

  /** Returns a connection that is logged in. @throws as `check` does. */
  async connect(): Promise<MailConnection> {
    const connection = new SMTPConnection(this.#options);
    const work = this.#open(connection);
    try {
      await withTimeout(2 * CONNECT_MS, 'Connecting to the mail server', work);
    } catch (error) {
      work.catch(() => {}); // the time was over before
      connection.close();
      throw error;
    }
    return new MailConnection(connection);
  }

  /** Sends nothing for a while: the server refuses whoever sends, and so every mail. */
  hold(): void {
    this.#heldUntil = performance.now() + HELD_MS;
  }

  async #open(connection: SMTPConnection): Promise<void> {
    connection.on('error', () => {}); // one that comes after the first must not end the process
    const failed = once(connection, 'error').then(([error]) => {
      throw error as Error;
    });
    failed.catch(() => {}); // an error after it was opened is one of the mail's
    const opened = async () => {
      await new Promise<void>((resolve) => connection.connect(() => resolve()));
      const login = this.#login;
      if (!login) return;
      await new Promise<void>((resolve, reject) =>
        connection.login({ credentials: login }, (error) => (error ? reject(error) : resolve())),
      ).catch((error: SmtpError) => {
        throw error.code === 'EAUTH' ? new RefusesUs('The mail server refuses our login') : error;
      });
    };
    await Promise.race([opened(), failed]);
  }
}

/** A connection over which mails go one after the other, until one fails. */
export class MailConnection {
  readonly #connection: SMTPConnection;
  isOpen = true;

  constructor(connection: SMTPConnection) {
    this.#connection = connection;
    connection.once('error', () => this.#close());
    connection.once('end', () => this.#close());
  }

  /** Never rejects. */
  async send({ from, to, raw }: Mail): Promise<Sent> {
    // The server may only have accepted what it has begun to get.
    let hasBegun = false;
    const read = function* () {
      hasBegun = true;
      yield raw;
    };
    const sending = new Promise<void>((resolve, reject) => {
      const envelope = { from, to: [to], size: raw.length };
      this.#connection.send(envelope, Readable.from(read()), (error) => (error ? reject(error) : resolve()));
    });
    try {
      await withTimeout(MAIL_MS, 'Sending a mail', sending);
      return { outcome: 'sent' };
    } catch (error) {
      sending.catch(() => {}); // the time was over before
      this.#close();
      return whatBecameOf(error as SmtpError, hasBegun);
    }
  }

  quit(): void {
    if (this.isOpen) this.#connection.quit();
    this.isOpen = false;
  }

  #close(): void {
    this.isOpen = false;
    this.#connection.close();
  }
}

function whatBecameOf(error: SmtpError, hasBegun: boolean): Sent {
  const { responseCode: reply = 0, command } = error;
  if (reply >= 500 && command === 'MAIL FROM') return { outcome: 'away', error };
  if (reply >= 500) return { outcome: 'refused', reply };
  if (reply >= 400) return { outcome: 'again', reply };
  return { outcome: hasBegun ? 'unknown' : 'again', reply };
}
