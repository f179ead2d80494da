import type { Connection, mongo } from 'mongoose';
import type { Guide } from '#shared/contracts/guide.ts';

/** What stands in place of a text that named somebody. It passes the checks of a guide, so labels can still be printed. */
export const ANONYMOUS = '[anonimizado]';

/** The sections of a guide that name a person. */
export type PersonSection = 'Remitente' | 'Destinatario' | 'Creado_por';
/** A guide as stored, with what the privacy commands read of it. */
export type StoredGuide = {
  _id: string;
  createdAt: string;
  createdUtc?: Date;
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
    // The driver's own collection: updates are pipelines of constants, which mongoose would cast.
    this.#guides = connection.getClient().db(connection.name).collection<StoredGuide>('guides');
  }

  /** Returns the number at which a step of `size` guides after `position` ends; undefined after the last guide. */
  async stepEnd(position: string, size: number): Promise<string | undefined> {
    const step = this.#guides.find({ _id: { $gt: position } }, { projection: { _id: 1 } });
    return (await step.sort({ _id: 1 }).limit(size).toArray()).at(-1)?._id;
  }

  /**
   * Anonymises the guides of a step that are older than a moment: numbers, branches, service, dates, weight, measures and
   * value stay.
   *
   * @param older.local the same moment in local time, for guides of before release 1.2, which have no time in UTC.
   * @returns how many guides were changed.
   */
  async anonymiseOlder(
    step: { after: string; upTo: string },
    older: { utc: Date; local: string },
  ): Promise<number> {
    const { modifiedCount } = await this.#guides.updateMany(
      {
        _id: { $gt: step.after, $lte: step.upTo },
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
    for (let last = ''; ; ) {
      const page = await this.#guides
        .find({ _id: { $gt: last } })
        .sort({ _id: 1 })
        .limit(size)
        .toArray();
      const end = page.at(-1);
      if (!end) return;
      yield page;
      last = end._id;
    }
  }
}

/** Makes the stages that replace sections as a whole; `$set` alone would keep the fields that it does not name. */
function replaceSections(sections: PersonSection[]) {
  const paths = sections.map((section) => [`guide.${section}`, WITHOUT_PERSON[section]]);
  return [{ $unset: sections.map((section) => `guide.${section}`) }, { $set: Object.fromEntries(paths) }];
}
