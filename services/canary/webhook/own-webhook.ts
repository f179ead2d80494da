import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { CANARY_TITLE } from '#shared/canary/names.ts';
import type { Customer } from '../http/customer.ts';

/** Time that a message's timestamp may differ from our clock, in ms (Standard Webhooks 1.0.0). */
const TOLERANCE_MS = 5 * 60_000;
/** Of each request about the webhook. */
const DEADLINE_MS = 5_000;
/** Events of so many guides are kept. */
const MAX_GUIDES = 10;

type Listed = { Id: string; Url: string; Activo: boolean };
type Event = { SEND_GUIA: string; Id: string };

/** The one webhook of the canary's account. Its secret is kept in memory alone. */
export class OwnWebhook {
  readonly #url: string;
  #id: string | undefined;
  #secret = '';
  /** Ids of the events that came, by the number of their guide. */
  readonly #came = new Map<string, Set<string>>();

  constructor(url: string) {
    this.#url = url;
  }

  /**
   * Registers the webhook, unless it is there and switched on. Removes the account's other ones: of before a start, whose secret is lost,
   * or of another address. @throws UnexpectedAnswer, CredentialRefused
   */
  async ensure(customer: Customer): Promise<void> {
    const path = '/api/webhooks';
    const { data: listed } = await customer.read<Listed[]>({ path, deadlineMs: DEADLINE_MS });
    if (listed.some(({ Id, Activo }) => Id === this.#id && Activo)) return;
    for (const { Id } of listed)
      await customer.send({ method: 'DELETE', path: `${path}/${Id}`, deadlineMs: DEADLINE_MS });
    const request = {
      path,
      json: { Url: this.#url, Descripcion: CANARY_TITLE },
      deadlineMs: DEADLINE_MS,
    };
    const { data } = await customer.read<{ Id: string; Secreto: string }>(request);
    this.#id = data.Id;
    this.#secret = data.Secreto;
  }

  /** Takes a message, and notes its events. @returns whether it is signed with the webhook's secret (Standard Webhooks 1.0.0). */
  take(headers: IncomingHttpHeaders, body: Buffer): boolean {
    if (!this.#isSigned(headers, body)) return false;
    const { data } = JSON.parse(body.toString()) as { data: { Eventos: Event[] } };
    for (const { SEND_GUIA, Id } of data.Eventos) {
      const ids = this.#came.get(SEND_GUIA) ?? new Set();
      this.#came.set(SEND_GUIA, ids.add(Id));
    }
    for (const number of [...this.#came.keys()].slice(0, -MAX_GUIDES)) this.#came.delete(number);
    return true;
  }

  #isSigned(headers: IncomingHttpHeaders, body: Buffer): boolean {
    const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
      String(headers[`webhook-${name}`] ?? ''),
    );
    const ageMs = Math.abs(Date.now() - 1_000 * Number(timestamp));
    if (this.#secret === '' || !(ageMs <= TOLERANCE_MS)) return false;
    const key = Buffer.from(this.#secret.replace('whsec_', ''), 'base64');
    const right = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
    return (signatures ?? '').split(' ').some((each) => {
      const [version, given = ''] = each.split(',');
      const bytes = Buffer.from(given, 'base64');
      return version === 'v1' && bytes.length === right.length && timingSafeEqual(bytes, right);
    });
  }

  /** Returns the ids of the events of a guide that came. */
  eventsOf(number: string): ReadonlySet<string> {
    return this.#came.get(number) ?? new Set();
  }
}
