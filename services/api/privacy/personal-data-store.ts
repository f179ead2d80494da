import type { Connection, mongo } from 'mongoose';
import type { Guide } from '#shared/contracts/guide.ts';
import { type GuideStep, guideSteps, guidesOfDriver, inStep } from '../guides/guide-steps.ts';

/** What stands in place of a text that named somebody. It passes the checks of a guide, so labels can still be printed. */
export const ANONYMOUS = '[anonimizado]';

/** The sections of a guide that name a person. */
export type PersonSection = 'Remitente' | 'Destinatario' | 'Creado_por';
/** A guide as stored, with what the privacy commands read of it. */
export type StoredGuide = {
  _id: string;
  createdAt: string;
  createdUtc?: Date;
  status: string;
  service: string;
  origin: { code: string };
  destination: { code: string };
  guide: Guide;
  /** Its creation has not ended: nobody may read it yet. */
  pendingUntil?: Date;
  /** When the whole guide was anonymised. */
  anonymised?: Date;
};

/** Each section without a person. A recipient keeps the destination: without one a guide is none. */
const WITHOUT_PERSON: Readonly<Record<PersonSection, object>> = {
  Remitente: { Nombre: ANONYMOUS },
  Destinatario: { Nombre: ANONYMOUS, DestinoCode: '$destination.code' },
  Creado_por: { $literal: {} },
};

/** Guides in MongoDB as far as they are personal data: read page by page, and anonymised inside the database. */
export class PersonalDataStore {
  readonly #guides: mongo.Collection<StoredGuide>;

  constructor(connection: Connection) {
    this.#guides = guidesOfDriver(connection);
  }

  /** Walks over all guides in steps, after the number where an earlier walk stopped. */
  steps(size: number, from: string): AsyncGenerator<GuideStep> {
    return guideSteps(this.#guides, size, from);
  }

  /**
   * Anonymises the guides of a step that are older than a moment: numbers, branches, service, dates, weight, measures and
   * value stay.
   *
   * @param older.local the same moment in local time, for guides of before release 1.2, which have no time in UTC.
   * @returns how many guides were changed.
   */
  async anonymiseOlder(step: GuideStep, older: { utc: Date; local: string }): Promise<number> {
    const { modifiedCount } = await this.#guides.updateMany(
      {
        ...inStep(step),
        anonymised: { $exists: false },
        $or: [
          { createdUtc: { $lt: older.utc } },
          { createdUtc: { $exists: false }, createdAt: { $lt: older.local } },
        ],
      },
      [
        ...replaceSections(['Remitente', 'Destinatario', 'Creado_por']),
        { $unset: 'guide.Producto.InformacionAdicional' },
        { $set: { 'guide.Producto.Contenido': ANONYMOUS, anonymised: new Date() } },
      ],
    );
    return modifiedCount;
  }

  /** Anonymises one section of these guides. */
  async anonymiseSection(numbers: string[], section: PersonSection): Promise<void> {
    await this.#guides.updateMany({ _id: { $in: numbers } }, replaceSections([section]));
  }

  /** Reads all guides in pages, by ascending number, so that no query takes long however many there are. */
  async *pages(size: number): AsyncGenerator<StoredGuide[]> {
    for await (const step of guideSteps(this.#guides, size)) {
      yield await this.#guides.find(inStep(step)).sort({ _id: 1 }).toArray();
    }
  }
}

/** Makes the stages that replace sections as a whole; `$set` alone would keep the fields that it does not name. */
function replaceSections(sections: PersonSection[]) {
  const paths = sections.map((section) => [`guide.${section}`, WITHOUT_PERSON[section]]);
  return [{ $unset: sections.map((section) => `guide.${section}`) }, { $set: Object.fromEntries(paths) }];
}
