import { type Connection, mongo, type QueryFilter } from 'mongoose';
import type { UserStore } from '#shared/accounts/user-store.ts';
import { withTimeout } from '#shared/async/with-timeout.ts';
import { GUIDES, type GuideDocument, guidePaths } from '#shared/guides/guide-model.ts';
import { plainWords } from '#shared/guides/plain-words.ts';
import { phoneDigits } from '#shared/phones/phone.ts';
import { modelOf, type StoredModel } from '#shared/stores/collection.ts';
import {
  EVENTS,
  type EventBody,
  IMPERSONAL_PATHS,
  type LogEntry,
  PERSONAL_FIELDS,
} from '#shared/tracking/event-model.ts';

/** Most events of a guide that are read, the newest ones. Few guides have more than ten. */
export const MAX_EVENTS = 100;
/** Most guides that a search lists, of a reference and of a person. */
export const MAX_FOUND = 50;
/** Longest read, in ms, also in MongoDB (`app.ts`). */
export const READ_MS = 3_000;
/** MongoDB's code for a read that took longer than its `maxTimeMS`. */
const MAX_TIME_EXPIRED = 50;

const SHOWN = [
  ...(['account', 'createdUtc', 'status', 'anonymised', 'service', 'origin', 'destination'] as const),
  ...(['total', 'unquoted', 'facts'] as const),
] as const;
/** What a guide shows of its quote; its absence says that there was none. */
const QUOTE = 'quote.Tarifa';
const ENTRY = ['registered', 'status', 'unquoted'] as const;
/** Of other fields the database sends nothing, so no mistake of a page can show them. */
const GUIDE_PROJECTION = projectionOf([...SHOWN, QUOTE, ...guidePaths({ personal: false })]);
const ENTRY_PROJECTION = projectionOf([...ENTRY, ...IMPERSONAL_PATHS]);
const SOUGHT_PROJECTION = {
  ...GUIDE_PROJECTION,
  ...projectionOf(['Nombre', 'Celular', 'Telefono'].map((field) => `guide.Destinatario.${field}`)),
};
const PERSONAL_GUIDE = projectionOf(guidePaths({ personal: true }));
const PERSONAL_ENTRY = projectionOf(['Tipo', 'Ocurrido', ...PERSONAL_FIELDS].map((field) => `told.${field}`));

/** A guide without the fields that say something of a person. */
export type VisibleGuide = Pick<GuideDocument, '_id' | (typeof SHOWN)[number]> & {
  guide: {
    Referencia?: string;
    Producto?: { Paquetes?: number; Peso?: number };
    Cobro?: { Monto: number };
  };
  quote?: Pick<NonNullable<GuideDocument['quote']>, 'Tarifa'>;
};
export type VisibleEntry = Pick<LogEntry, '_id' | (typeof ENTRY)[number]> & {
  told: Omit<EventBody, (typeof PERSONAL_FIELDS)[number]>;
};
/** What a guide and its events say of persons. Anonymised fields have `ANONYMOUS`, or are absent. */
export type GuidePersons = {
  guide: Readonly<Record<string, Readonly<Record<string, string | number>>>>;
  entries: { told: Pick<EventBody, 'Tipo' | 'Ocurrido' | (typeof PERSONAL_FIELDS)[number]> }[];
};
/** A guide of a person who was sought, with what tells one person from another. */
export type PersonGuide = VisibleGuide & { guide: { Destinatario: NameAndPhones } };
type NameAndPhones = Pick<GuideDocument['guide']['Destinatario'], 'Nombre' | 'Celular' | 'Telefono'>;
/** `isSlow`: the search was ended, and there may be guides. */
export type FoundGuides<Found = VisibleGuide> = { guides: Found[]; isSlow: boolean };

/** Reads guides of every account for those who support customers. */
export class GuideReader {
  readonly #guides: StoredModel<GuideDocument>;
  readonly #events: StoredModel<LogEntry>;
  readonly #users: Pick<UserStore, 'accounts'>;

  constructor(connection: Connection, users: Pick<UserStore, 'accounts'>) {
    this.#guides = modelOf(connection, GUIDES);
    this.#events = modelOf(connection, EVENTS);
    this.#users = users;
  }

  async find(number: string): Promise<VisibleGuide | undefined> {
    const found = this.#guides.findById(number).select<VisibleGuide>(GUIDE_PROJECTION).lean().exec();
    return (await inTime('Reading a guide', found)) ?? undefined;
  }

  /** Returns the newest events of a guide, the last registered one first. */
  entries(number: string): Promise<VisibleEntry[]> {
    const found = this.#events
      .find({ 'told.Guia': number })
      .select<VisibleEntry>(ENTRY_PROJECTION)
      .readConcern('majority')
      .sort({ version: -1, _id: -1 })
      .limit(MAX_EVENTS)
      .lean()
      .exec();
    return inTime('Reading the events of a guide', found);
  }

  /** Returns what names persons in a guide and its events. Call it only for those who may see it. */
  async persons(number: string): Promise<GuidePersons> {
    const [guide, entries] = await inTime(
      'Reading what names persons',
      Promise.all([
        this.#guides.findById(number).select<Pick<GuidePersons, 'guide'>>(PERSONAL_GUIDE).lean().exec(),
        this.#events
          .find({ 'told.Guia': number, personal: { $exists: true } })
          .select<GuidePersons['entries'][number]>(PERSONAL_ENTRY)
          .sort({ _id: -1 })
          .limit(MAX_EVENTS)
          .lean()
          .exec(),
      ]),
    );
    return { guide: guide?.guide ?? {}, entries };
  }

  /** Tells whether an account has a user. */
  async hasAccount(account: string): Promise<boolean> {
    return (await this.#users.accounts()).has(account);
  }

  /** Returns the newest guides whose reference begins with a text. @param account the only one to look through, if given. */
  byReference(text: string, account: string | undefined): Promise<FoundGuides> {
    const reference = text.length < LEAST_LETTERS ? text : beginningWith(text);
    return this.#search({ 'guide.Referencia': reference }, GUIDE_PROJECTION, account);
  }

  /** Returns the newest guides of a recipient, or none if no person is sought. Call it only for those who may see persons. */
  async byPerson(text: string, account: string | undefined): Promise<FoundGuides<PersonGuide>> {
    const filter = personFilter(text);
    return filter
      ? this.#search<PersonGuide>(filter, SOUGHT_PROJECTION, account)
      : { guides: [], isSlow: false };
  }

  /**
   * Looks through all accounts that have a user. References have no index of their own: in that of their lists, each account
   * is one range.
   */
  async #search<Found extends VisibleGuide = VisibleGuide>(
    filter: QueryFilter<GuideDocument>,
    projection: Record<string, 1>,
    account: string | undefined,
  ): Promise<FoundGuides<Found>> {
    const find = async () => {
      const accounts = account === undefined ? [...(await this.#users.accounts())] : [account];
      return this.#guides
        .find({ account: { $in: accounts }, ...filter })
        .select<Found>(projection)
        .sort({ createdAt: -1, _id: -1 })
        .limit(MAX_FOUND + 1)
        .lean();
    };
    try {
      return { guides: (await inTime('Searching guides', find())) as Found[], isSlow: false };
    } catch (error) {
      if (isTooSlow(error)) return { guides: [], isSlow: true };
      throw error;
    }
  }
}

/** Least letters that a name or a reference begins with, and least digits of a phone: fewer are those of too many. */
const LEAST_LETTERS = 3;
const LEAST_DIGITS = 8;
const LAST_LETTER = '\u{10ffff}';

/** Returns the filter for a phone or for the beginning of a name; undefined for a text that is neither. */
function personFilter(text: string): QueryFilter<GuideDocument> | undefined {
  const digits = phoneDigits(text);
  if (/^[\d\s()+.-]+$/.test(text))
    return digits.length < LEAST_DIGITS ? undefined : { 'sought.phones': digits };
  const name = plainWords(text);
  return name.length < LEAST_LETTERS ? undefined : { 'sought.name': beginningWith(name) };
}

/** A regular expression would not use a DocumentDB's index. */
function beginningWith(text: string) {
  return { $gte: text, $lt: `${text}${LAST_LETTER}` };
}

function inTime<T>(what: string, work: Promise<T>): Promise<T> {
  return withTimeout(READ_MS, what, work);
}

function isTooSlow(error: unknown): boolean {
  if (error instanceof mongo.MongoServerError) return error.code === MAX_TIME_EXPIRED;
  return error instanceof DOMException && error.name === 'TimeoutError';
}

function projectionOf(paths: readonly string[]): Record<string, 1> {
  return Object.fromEntries(paths.map((path) => [path, 1]));
}
