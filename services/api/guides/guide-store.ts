import { type Connection, type Model, mongo, Schema } from 'mongoose';
import { DomainError } from '../../../shared/errors.ts';
import type { Guide, ServiceType } from '../../../shared/guide.ts';
import { drawGuideNumber } from './guide-number.ts';

export type BranchOfGuide = { code: string; name: string };

/** A created guide. Branch names are those of the day of creation: a printed label must not change later. */
export type GuideRecord = {
  number: string;
  /** API user who created it, and who alone sees it (without `guias.read.all`). */
  username: string;
  /** Local time of the configured zone, `YYYY-MM-DDTHH:mm:ss`. */
  createdAt: string;
  status: 'Documentado';
  service: ServiceType;
  origin: BranchOfGuide;
  destination: BranchOfGuide;
  /** MXN; 0 on creation (specification, "Created guide record"). */
  freight: number;
  total: number;
  guide: Guide;
};
export type NewGuide = Omit<GuideRecord, 'number'>;
type GuideDocument = NewGuide & { _id: string };

/** A collision of random numbers is once in 10^11 a stored guide; five in a row means something else is wrong. */
const MAX_DRAWS = 5;
const DUPLICATE_KEY = 11_000;

/** Guides in MongoDB. The number is the `_id`: the one look-up that every label needs is by primary key. */
export class GuideStore {
  readonly #guides: Model<GuideDocument>;

  constructor(connection: Connection) {
    this.#guides = connection.model<GuideDocument>(
      'Guide',
      new Schema<GuideDocument>(
        {
          _id: String,
          username: String,
          createdAt: String,
          status: String,
          service: String,
          origin: { code: String, name: String },
          destination: { code: String, name: String },
          freight: Number,
          total: Number,
          guide: Schema.Types.Mixed,
        },
        { versionKey: false },
      ),
      'guides',
    );
  }

  /** Gives each guide a number of its own and stores all of them, in one round trip. */
  async insert(guides: readonly NewGuide[]): Promise<GuideRecord[]> {
    const documents = guides.map((guide) => ({ _id: drawGuideNumber(), ...guide }));
    let missing = documents;
    for (let draw = 1; missing.length > 0; draw++) {
      const collided = await this.#insertNew(missing);
      if (collided.length > 0 && draw === MAX_DRAWS) throw new DomainError('internal');
      for (const document of collided) document._id = drawGuideNumber();
      missing = collided;
    }
    return documents.map(toRecord);
  }

  /** @returns the documents whose number was taken. */
  async #insertNew(documents: GuideDocument[]): Promise<GuideDocument[]> {
    try {
      await this.#guides.insertMany(documents, { lean: true, ordered: false });
      return [];
    } catch (error) {
      if (!(error instanceof mongo.MongoBulkWriteError)) throw error;
      const failures = [error.writeErrors].flat();
      if (failures.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
      return failures.flatMap(({ index }) => documents[index] ?? []);
    }
  }

  async find(number: string): Promise<GuideRecord | undefined> {
    const document = await this.#guides.findById(number).lean();
    return document ? toRecord(document) : undefined;
  }
}

function toRecord({ _id, ...guide }: GuideDocument): GuideRecord {
  return { number: _id, ...guide };
}
