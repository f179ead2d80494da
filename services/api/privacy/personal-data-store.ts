import { setTimeout as delay } from 'node:timers/promises';
import type { Connection, mongo } from 'mongoose';
import { ANONYMOUS } from '#shared/contracts/guide.ts';
import type { LogEntry } from '#shared/stores/event-log.ts';
import { collectionOf } from '#shared/stores/mongo.ts';
import { type GuideDocument, type GuideStep, guideSteps } from '../guides/guide-store.ts';

/** Longest wait for committed guides to be stored, in ms: an api that runs needs a minute at most. */
const STORED_MS = 90_000;
const PAUSE_MS = 250;
/** Guides of which a user's name is taken out at a time. */
const FORGOTTEN_AT_A_TIME = 2_000;
/** Stands in place of the name of a removed user; no user's name has a blank, so nobody inherits the guides. */
const REMOVED_USER = 'usuario eliminado';

export type PersonSection = 'Remitente' | 'Destinatario' | 'Creado_por';
/** Each section without a person. A recipient keeps the destination: without one a guide is none. */
const WITHOUT_PERSON: Readonly<Record<PersonSection, object>> = {
  Remitente: { Nombre: ANONYMOUS },
  Destinatario: { Nombre: ANONYMOUS, DestinoCode: '$destination.code' },
  Creado_por: { $literal: {} },
};

/** Guides in MongoDB as far as they are personal data: read page by page, and anonymised inside the database. */
export class PersonalDataStore {
  readonly #guides: mongo.Collection<GuideDocument>;
  readonly #events: mongo.Collection<LogEntry>;
  readonly #creations: mongo.Collection<{ _id: string; openSince?: Date }>;

  constructor(connection: Connection) {
    this.#guides = collectionOf(connection, 'guides');
    this.#events = collectionOf(connection, 'events');
    this.#creations = collectionOf(connection, 'creations');
  }

  /**
   * Waits until every guide that is committed by now is stored. A committed guide is first in the journal of creations
   * alone: for milliseconds, or after a crash until an api finishes the creation. A walk that began earlier would miss the
   * guide, which would then be stored with the person in it.
   *
   * @throws Error when guides are still not stored after 90 s: then no api runs.
   */
  async untilStored(): Promise<void> {
    const end = performance.now() + STORED_MS;
    const open = await this.#openCreations({});
    for (let left = open; left.length > 0; left = await this.#openCreations({ _id: { $in: left } })) {
      if (performance.now() > end)
        throw new Error('Hay guias que la API aun no termina de guardar: repita con la API en marcha');
      await delay(PAUSE_MS);
    }
  }

  async #openCreations(filter: mongo.Filter<{ _id: string; openSince?: Date }>): Promise<string[]> {
    const open = await this.#creations
      .find({ ...filter, openSince: { $exists: true } })
      .project<{ _id: string }>({ _id: 1 })
      .sort({ openSince: 1 })
      .toArray();
    return open.map(({ _id }) => _id);
  }

  /** Walks over all guides in steps, after the number where an earlier walk stopped. */
  steps(size: number, from: string): AsyncGenerator<GuideStep> {
    return guideSteps(this.#guides, size, from);
  }

  /**
   * Anonymises the guides of a step that were created before a moment: numbers, branches, service, dates, weight, measures
   * and value stay.
   *
   * @returns how many guides were changed.
   */
  async anonymiseOlder(step: GuideStep, before: Date): Promise<number> {
    const { modifiedCount } = await this.#guides.updateMany(
      { ...step.filter, anonymised: { $exists: false }, createdUtc: { $lt: before } },
      [
        ...replaceSections(['Remitente', 'Destinatario', 'Creado_por']),
        { $unset: 'guide.Producto.InformacionAdicional' },
        { $set: { 'guide.Producto.Contenido': ANONYMOUS, anonymised: new Date() } },
      ],
    );
    return modifiedCount;
  }

  async anonymiseSection(numbers: string[], section: PersonSection): Promise<void> {
    await this.#guides.updateMany({ _id: { $in: numbers } }, replaceSections([section]));
  }

  /** Returns the events of these guides that name a person, or may do so. */
  personalEvents(guides: readonly string[]): Promise<LogEntry[]> {
    return this.#events
      .find({ 'told.Guia': { $in: [...guides] }, personal: { $exists: true } })
      .sort({ 'told.Guia': 1, _id: 1 })
      .toArray();
  }

  /**
   * Anonymises some of the events of guides that were created before a moment.
   *
   * @returns how many: fewer than `limit` once none is left.
   */
  async anonymiseOlderEvents(before: Date, limit: number): Promise<number> {
    const found = await this.#events
      .find({ personal: { $lt: before } })
      .project<{ _id: string }>({ _id: 1 })
      .sort({ personal: 1 })
      .limit(limit)
      .toArray();
    await this.anonymiseEvents(found.map(({ _id }) => _id));
    return found.length;
  }

  /** Anonymises who received, and notes. */
  async anonymiseEvents(ids: readonly string[]): Promise<void> {
    const _id = { $in: [...ids] };
    for (const field of ['told.Recibe', 'told.Nota']) {
      const filter = { _id, [field]: { $exists: true } } as mongo.Filter<LogEntry>;
      await this.#events.updateMany(filter, { $set: { [field]: ANONYMOUS } });
    }
    await this.#events.updateMany({ _id }, { $unset: { personal: 1 } });
  }

  /**
   * Takes the name of an API user out of guides and events. Interrupted, it may be called again.
   *
   * @returns how many guides each step saw.
   */
  async *forgetUser(username: string): AsyncGenerator<number> {
    for await (const { filter, count } of guideSteps(this.#guides, FORGOTTEN_AT_A_TIME)) {
      const named = { $set: { username: REMOVED_USER } };
      await this.#guides.updateMany({ ...filter, username }, named);
      const cancelled = { ...filter, 'cancelled.by': username };
      await this.#guides.updateMany(cancelled, { $set: { 'cancelled.by': REMOVED_USER } });
      await this.#events.updateMany({ 'told.Guia': filter._id, username }, named);
      yield count;
    }
  }

  /** Reads all guides in pages, by ascending number, so that no query takes long however many there are. */
  async *pages(size: number): AsyncGenerator<GuideDocument[]> {
    for await (const step of guideSteps(this.#guides, size)) {
      yield await this.#guides.find(step.filter).sort({ _id: 1 }).toArray();
    }
  }
}

/** Makes the stages that replace sections as a whole; `$set` alone would keep the fields that it does not name. */
function replaceSections(sections: PersonSection[]) {
  const paths = sections.map((section) => [`guide.${section}`, WITHOUT_PERSON[section]]);
  return [{ $unset: sections.map((section) => `guide.${section}`) }, { $set: Object.fromEntries(paths) }];
}
