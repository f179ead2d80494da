import { createHash, randomBytes } from 'node:crypto';
import type { Connection } from 'mongoose';
import type { JournalEntry } from '#shared/guides/creation-model.ts';
import { GUIDES, type GuideDocument, type GuideFacts } from '#shared/guides/guide-model.ts';
import { RETURNS, type Return } from '#shared/returns/return-model.ts';
import { modelOf, type StoredModel } from '#shared/stores/collection.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import { NEWEST_FIRST, type PageFilter } from '../http/list-parameters.ts';
import { LINK_DAYS, LINK_PRINTS_A_DAY, RETURN_OF, RETURNED_BY, UNSCANNED_DAYS } from './return.ts';
import { originalOf, returnOf } from './return-facts.ts';

const DAY_MS = 24 * 3_600_000;
/** 128 bits, so that nobody guesses one. */
const SECRET_BYTES = 16;

/**
 * Returns in MongoDB. The journal of creations creates the guide of a return. What stands here, and in the facts of the original,
 * follows from the journal's entry. After a crash it is written again.
 */
export class ReturnStore {
  readonly clock: DatabaseClock;
  readonly #returns: StoredModel<Return>;
  readonly #guides: StoredModel<GuideDocument>;

  constructor(connection: Connection) {
    this.clock = new DatabaseClock(connection);
    this.#returns = modelOf(connection, RETURNS);
    this.#guides = modelOf(connection, GUIDES);
  }

  /** Stores what follows from the creation of a return, if the entry is one. */
  async follow({ records = [], bodyHash = '' }: JournalEntry): Promise<void> {
    const [guide] = records;
    const of = guide && originalOf(guide);
    if (!guide || of === undefined) return;
    const { _id, username, account, createdAt, createdUtc, expiresAt } = guide;
    const found: Omit<Return, '_id'> = {
      ...{ of, username, account, createdAt, request: bodyHash },
      reviewAfter: new Date(createdUtc.getTime() + UNSCANNED_DAYS * DAY_MS),
      ...(expiresAt && { expiresAt }),
    };
    await this.#returns.updateOne({ _id }, { $setOnInsert: found }, { upsert: true });
    await this.#nameAt(of, _id);
  }

  /** Names a return at its original, unless it is cancelled, or the original has another one that is not. */
  async #nameAt(of: string, number: string): Promise<void> {
    const fact = `facts.${RETURNED_BY}`;
    const original = await this.#guides.findOne({ _id: of }).readConcern('majority').lean();
    if (!original) return;
    const other = returnOf(original);
    if (other === number) return;
    const both = await this.#guides
      .find({ _id: { $in: [number, ...(other === undefined ? [] : [other])] }, status: 'Cancelado' })
      .sort({ _id: 1 })
      .lean();
    const isCancelled = (each: string) => both.some(({ _id }) => _id === each);
    if (isCancelled(number) || (other !== undefined && !isCancelled(other))) return;
    const asRead = other === undefined ? { [fact]: { $exists: false } } : { [fact]: other };
    await this.#guides.updateOne({ _id: of, ...asRead }, { $set: { [fact]: number } });
  }

  /** Frees the original of a return that was cancelled. */
  async free(guide: Pick<GuideDocument, '_id' | 'facts'>): Promise<void> {
    const of = originalOf(guide);
    if (of === undefined) return;
    const fact = `facts.${RETURNED_BY}`;
    await this.#guides.updateOne({ _id: of, [fact]: guide._id }, { $unset: { [fact]: 1 } });
    await this.reviewed(guide._id);
  }

  /** Notes that nothing of a return waits for the end of its days. Its link ends. */
  async reviewed(number: string): Promise<void> {
    await this.#returns.updateOne({ _id: number }, { $unset: { reviewAfter: 1, link: 1 } });
  }

  /** Returns up to `limit` returns whose days are over. */
  async due(limit: number): Promise<Return[]> {
    return this.#returns
      .find({ reviewAfter: { $lte: await this.clock.now() } })
      .sort({ reviewAfter: 1 })
      .limit(limit)
      .lean();
  }

  /** Returns the return that a request has made of a guide. */
  async madeBy(request: string, of: string): Promise<Return | undefined> {
    return (await this.#returns.findOne({ of, request }).readConcern('majority').lean()) ?? undefined;
  }

  /** Returns all returns of a guide, those that were cancelled too. */
  ofGuide(number: string): Promise<Return[]> {
    return this.#returns.find({ of: number }).readConcern('majority').sort({ _id: 1 }).lean().exec();
  }

  /** Returns up to `limit` returns of an account, newest first. */
  async page(account: string, within: PageFilter, limit: number): Promise<Return[]> {
    return this.#returns
      .find({ account, ...within })
      .sort(NEWEST_FIRST)
      .limit(limit)
      .lean();
  }

  /** Makes the link of a return, in place of one that it had. @returns its secret, which nobody can read again, and its end. */
  async newLink(number: string, by: string): Promise<{ secret: string; endsAt: Date }> {
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const endsAt = await this.clock.now(LINK_DAYS * DAY_MS);
    const link = { digest: digestOf(secret), by, endsAt, day: '', prints: 0 };
    await this.#returns.updateOne({ _id: number }, { $set: { link } });
    return { secret, endsAt };
  }

  async endLink(number: string): Promise<void> {
    await this.#returns.updateOne({ _id: number }, { $unset: { link: 1 } });
  }

  /** Returns the return whose link has a secret, until its end. */
  async ofSecret(secret: string): Promise<Return | undefined> {
    const [found, now] = await Promise.all([
      this.#returns.findOne({ 'link.digest': digestOf(secret) }).lean(),
      this.clock.now(),
    ]);
    return found?.link && now < found.link.endsAt ? found : undefined;
  }

  /** Counts a print of a link. @returns false if it has had all of its day. */
  async countPrint({ _id, link }: Return): Promise<boolean> {
    const day = (await this.clock.now()).toISOString().slice(0, 10);
    const ofLink = { _id, 'link.digest': link?.digest ?? '' };
    await this.#returns.updateOne(
      { ...ofLink, 'link.day': { $ne: day } },
      { $set: { 'link.day': day, 'link.prints': 0 } },
    );
    const { matchedCount } = await this.#returns.updateOne(
      { ...ofLink, 'link.day': day, 'link.prints': { $lt: LINK_PRINTS_A_DAY } },
      { $inc: { 'link.prints': 1 } },
    );
    return matchedCount > 0;
  }

  /** Moves the returns that a user made to an account, as `GuideStore` does the guides. */
  async moveToAccount(username: string, account: string): Promise<void> {
    await this.#returns.updateMany({ username }, { $set: { account } });
  }

  /** Ends the links that a user has made. */
  async endLinksOf(username: string): Promise<void> {
    await this.#returns.updateMany({ 'link.by': username }, { $unset: { link: 1 } });
  }
}

/** Returns what is stored of a secret. */
function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Facts of the guide of a return. */
export function factsOf(original: string, more: GuideFacts): GuideFacts {
  return { [RETURN_OF]: original, ...more };
}
