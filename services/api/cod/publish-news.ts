import type { Publish, Topic } from '../webhooks/news.ts';
import type { Ledger } from './ledger.ts';
import { remittanceView } from './read-collections.ts';
import { asPaid } from './remittances.ts';

/** The topic by which webhooks ask for remittances, and the type of its messages. */
export const TOPIC = 'liquidaciones';
const LIST = 'Liquidaciones';

type Deps = { ledger: Ledger; publish: Publish; localTime: (moment: Date) => string };

/**
 * Publishes to webhooks each remittance that is made or taken back, in the order of the ledger. One may be published twice: none
 * that was taken back is paid again, so `anulada` is the last word.
 */
export class RemittanceNews implements Topic {
  readonly name = TOPIC;
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  unpublished(): Promise<string[]> {
    return this.#deps.ledger.accountsUnpublished();
  }

  async publish(account: string): Promise<void> {
    const { ledger, publish, localTime } = this.#deps;
    const unpublished = await ledger.unpublished(account);
    if (unpublished.length === 0) return;
    const all = await ledger.remittances(account);
    const entries = unpublished.flatMap(({ id, number }) =>
      asPaid(all.filter((each) => each.id <= id))
        .filter((each) => each.number === number)
        .map((each) => remittanceView(each, localTime)),
    );
    await publish(TOPIC, account, LIST, entries);
    await ledger.markPublished(unpublished.map(({ id }) => id));
  }
}
