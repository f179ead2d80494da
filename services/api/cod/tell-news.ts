import type { Tell, Topic } from '../webhooks/news.ts';
import type { Ledger } from './ledger.ts';
import { remittanceView } from './read-collections.ts';
import { asPaid } from './remittances.ts';

/** The topic by which webhooks ask for remittances, and the type of its messages. */
export const TOPIC = 'liquidaciones';
const LIST = 'Liquidaciones';

type Deps = { ledger: Ledger; tell: Tell; localTime: (moment: Date) => string };

/**
 * Tells webhooks of each remittance that is made or taken back, in the order of the ledger. One may be told twice: none that was
 * taken back is paid again, so `anulada` is the last word.
 */
export class RemittanceNews implements Topic {
  readonly name = TOPIC;
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  untold(): Promise<string[]> {
    return this.#deps.ledger.accountsUntold();
  }

  async tell(account: string): Promise<void> {
    const { ledger, tell, localTime } = this.#deps;
    const untold = await ledger.untold(account);
    if (untold.length === 0) return;
    const all = await ledger.remittances(account);
    const entries = untold.flatMap(({ id, number }) =>
      asPaid(all.filter((each) => each.id <= id))
        .filter((each) => each.number === number)
        .map((each) => remittanceView(each, localTime)),
    );
    await tell(TOPIC, account, LIST, entries);
    await ledger.markTold(untold.map(({ id }) => id));
  }
}
