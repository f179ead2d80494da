import type { Connection } from 'mongoose';
import { ANONYMOUS, Guide } from '#shared/guides/guide.ts';
import {
  GUIDES,
  type GuideDocument,
  PERSON_SECTIONS,
  PERSONAL_DATA,
  type Personal,
  type PersonalFields,
  type PersonSection,
} from '#shared/guides/guide-model.ts';
import { modelOf, pathsOfUser, type StoredModel } from '#shared/stores/collection.ts';
import { EVENTS, type LogEntry, PERSONAL_FIELDS } from '#shared/tracking/event-model.ts';
import { REMOVED_USER } from '../accounts/owned-data.ts';
import { type GuideStep, guideSteps } from '../guides/guide-store.ts';

const GUIDES_AT_A_TIME = 2_000;

const REQUIRED = Object.fromEntries(
  Object.entries(Guide.properties).map(([part, schema]) => [
    part,
    (schema as { required?: string[] }).required,
  ]),
);
const ANONYMISE_ALL = anonymise(Object.keys(PERSONAL_DATA) as (keyof Guide)[]);

/** Personal data of guides in MongoDB: read page by page, and anonymised inside the database. */
export class PersonalDataStore {
  readonly #guides: StoredModel<GuideDocument>;
  readonly #events: StoredModel<LogEntry>;

  constructor(connection: Connection) {
    this.#guides = modelOf(connection, GUIDES);
    this.#events = modelOf(connection, EVENTS);
  }

  steps(size: number, from: string): AsyncGenerator<GuideStep> {
    return guideSteps(this.#guides, size, from);
  }

  /**
   * Anonymises the guides of a step created before a moment. Numbers, branches, service, dates, weight, measures and
   * value stay.
   * @param now is stored as the time at which they were anonymised.
   * @returns the number of changed guides.
   */
  async anonymiseOlder(step: GuideStep, before: Date, now: Date): Promise<number> {
    const { modifiedCount } = await this.#guides.updateMany(
      { ...step.filter, anonymised: { $exists: false }, createdUtc: { $lt: before } },
      [...ANONYMISE_ALL, { $set: { anonymised: now } }],
      { updatePipeline: true },
    );
    return modifiedCount;
  }

  async anonymiseSection(numbers: string[], section: PersonSection): Promise<void> {
    const filter = { _id: { $in: numbers } };
    await this.#guides.updateMany(filter, anonymise([section]), { updatePipeline: true });
  }

  /** Returns the events of these guides that name a person, or may do so. */
  personalEvents(guides: readonly string[]): Promise<LogEntry[]> {
    return this.#events
      .find({ 'told.Guia': { $in: [...guides] }, personal: { $exists: true } })
      .sort({ 'told.Guia': 1, _id: 1 })
      .lean()
      .exec();
  }

  /** Anonymises events of guides created before a moment. @returns how many; fewer than `limit` if none is left. */
  async anonymiseOlderEvents(before: Date, limit: number): Promise<number> {
    const found = await this.#events
      .find({ personal: { $lt: before } })
      .select<{ _id: string }>({ _id: 1 })
      .sort({ personal: 1 })
      .limit(limit)
      .lean();
    await this.anonymiseEvents(found.map(({ _id }) => _id));
    return found.length;
  }

  async anonymiseEvents(ids: readonly string[]): Promise<void> {
    const _id = { $in: [...ids] };
    for (const field of PERSONAL_FIELDS.map((name) => `told.${name}`)) {
      await this.#events.updateMany({ _id, [field]: { $exists: true } }, { $set: { [field]: ANONYMOUS } });
    }
    await this.#events.updateMany({ _id }, { $unset: { personal: 1 } });
  }

  /** May be repeated after an interruption. @returns the number of guides of each step. */
  async *forgetUser(username: string): AsyncGenerator<number> {
    for await (const { filter, count } of guideSteps(this.#guides, GUIDES_AT_A_TIME)) {
      for (const path of pathsOfUser(GUIDES)) {
        await this.#guides.updateMany({ ...filter, [path]: username }, { $set: { [path]: REMOVED_USER } });
      }
      for (const path of pathsOfUser(EVENTS)) {
        const named = { 'told.Guia': filter._id, [path]: username };
        await this.#events.updateMany(named, { $set: { [path]: REMOVED_USER } });
      }
      yield count;
    }
  }

  /** Pages by ascending number keep queries short. */
  async *pages(size: number): AsyncGenerator<GuideDocument[]> {
    for await (const step of guideSteps(this.#guides, size)) {
      yield await this.#guides.find(step.filter).sort({ _id: 1 }).lean();
    }
  }
}

/**
 * Makes the stages of an update. A person's section is replaced whole, with fields of other releases; other parts
 * lose their personal fields. Required fields get a text.
 */
function anonymise(parts: readonly (keyof Guide)[]) {
  const $unset: string[] = [];
  const $set: Record<string, unknown> = {};
  for (const part of parts) {
    const fields: PersonalFields | Personal = PERSONAL_DATA[part];
    if (typeof fields !== 'object') {
      if (fields) $unset.push(`guide.${part}`);
      continue;
    }
    const personal = Object.entries(fields).flatMap(([field, isPersonal]) => (isPersonal ? [field] : []));
    const required = personal.filter((field) => REQUIRED[part]?.includes(field));
    if (part in PERSON_SECTIONS) {
      $unset.push(`guide.${part}`);
      $set[`guide.${part}`] = { $literal: Object.fromEntries(required.map((field) => [field, ANONYMOUS])) };
    } else {
      $unset.push(...personal.map((field) => `guide.${part}.${field}`));
      for (const field of required) $set[`guide.${part}.${field}`] = ANONYMOUS;
    }
  }
  // The one has the recipient's postal code, the other may tell it.
  if (parts.includes('Destinatario')) $unset.push('priced', 'route');
  // A guide is invalid without a destination.
  const destination = { 'guide.Destinatario.DestinoCode': '$destination.code' };
  return [{ $unset }, { $set }, ...(parts.includes('Destinatario') ? [{ $set: destination }] : [])];
}
