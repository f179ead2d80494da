import { setTimeout as delay } from 'node:timers/promises';
import { duration } from '#shared/pages/format.ts';
import { type Customer, UnexpectedAnswer } from '../http/customer.ts';
import type { OwnWebhook } from '../webhook/own-webhook.ts';
import type { Clock } from './clocks.ts';
import { type MadeGuide, readGuide } from './guides.ts';
import { DEADLINE_MS, EVENT_DELIVERY_MS } from './time-limits.ts';

/** A guide that was delivered. `since`: when its events were registered, by `performance.now()`. */
type Delivered = { number: string; ids: string[]; since: number };

const POLL_MS = 1_000;
const MAX_EVENTS = 500;

/** Brings guides to their delivery, and finds their events where customers look for them. */
export class DeliveryCheck {
  readonly #customer: Customer;
  #cursor: string | undefined;
  /** That of the database, once it is known. */
  clocks: Clock[] = [];

  constructor(customer: Customer) {
    this.#customer = customer;
  }

  /** Delivers a guide, and finds each of its events in the feed. @throws UnexpectedAnswer, CredentialRefused */
  async deliver(guide: MadeGuide): Promise<Delivered> {
    const { number } = guide;
    await this.#readFeed(number);
    const { data } = await this.#customer.read<{ Id: string; Registrado: string }[]>({
      path: `/api/guias/${number}/simular`,
      json: { Escenario: 'entrega' },
      deadlineMs: DEADLINE_MS.write,
    });
    const registered = data.at(-1)?.Registrado ?? '';
    this.clocks = [{ name: 'MongoDB', aheadMs: Date.parse(registered) - Date.now() }];
    const delivered = { number, ids: data.map(({ Id }) => Id), since: performance.now() };
    const arrived = new Set<string>();
    await untilAll(delivered, 'la lista de eventos', async () => {
      for (const id of await this.#readFeed(number)) arrived.add(id);
      return arrived;
    });
    await readGuide(this.#customer, guide, 'Entregado');
    return delivered;
  }

  /** Reads the feed to its end. @returns the ids of a guide's events in what is new. */
  async #readFeed(number: string): Promise<string[]> {
    const ids: string[] = [];
    for (let isWhole = false; !isWhole; ) {
      const cursor = this.#cursor === undefined ? '' : `&cursor=${this.#cursor}`;
      const request = { path: `/api/eventos?limite=${MAX_EVENTS}${cursor}`, deadlineMs: DEADLINE_MS.read };
      const { data, siguiente } = await this.#customer
        .read<{ SEND_GUIA: string; Id: string }[]>(request)
        .catch((error) => this.#afterFailure(error));
      ids.push(...data.filter(({ SEND_GUIA }) => SEND_GUIA === number).map(({ Id }) => Id));
      this.#cursor = siguiente;
      isWhole = data.length < MAX_EVENTS;
    }
    return ids;
  }

  /** A cursor may lead beyond the end of a log that was restored. */
  #afterFailure(error: unknown): never {
    if (error instanceof UnexpectedAnswer && error.status === 400) this.#cursor = undefined;
    throw error;
  }
}

/** Waits until the webhook has got each event of a guide. @throws UnexpectedAnswer */
export function untilWebhookGot(delivered: Delivered, webhook: OwnWebhook): Promise<void> {
  return untilAll(delivered, 'el webhook', async () => webhook.eventsOf(delivered.number));
}

/**
 * Waits until each event of a guide has arrived. @param arrivedEvents returns the ids of those that have.
 * @throws UnexpectedAnswer where some are missing `EVENT_DELIVERY_MS` after their registration.
 */
async function untilAll(
  { ids, since }: Delivered,
  where: string,
  arrivedEvents: () => Promise<ReadonlySet<string>>,
): Promise<void> {
  for (;;) {
    const arrived = await arrivedEvents();
    const missing = ids.filter((id) => !arrived.has(id)).length;
    if (missing === 0) return;
    if (performance.now() - since > EVENT_DELIVERY_MS)
      throw new UnexpectedAnswer(
        `faltan ${missing} eventos en ${where} tras ${duration(EVENT_DELIVERY_MS)}`,
        {
          isAtDeadline: true,
        },
      );
    await delay(POLL_MS, undefined, { ref: false });
  }
}
