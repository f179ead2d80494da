import { type Connection, type Model, Schema, trusted } from 'mongoose';
import { type Branch, branchCode } from '#shared/contracts/branch.ts';
import { DomainError } from '#shared/errors.ts';
import { chunks } from './chunks.ts';

export type Coverage = { postalCode: string; code: string };
/** Everything loaded last, of one moment. `version` changes with every load. */
export type Snapshot = { version: string; branches: Branch[]; coverage: Coverage[] };

/** Told how many records of a load are written so far. */
export type OnProgress = (written: number) => void;

type Kind = 'branches' | 'coverage';
type Current = { _id: string; branches: number; coverage: number };
type BranchDocument = { _id: string; generation: number; branch: Branch };
type CoverageDocument = { _id: string; generation: number; postalCode: string; code: string };

/** Documents in one insert: well below the deadline of an operation, also on a slow server. */
const INSERT_CHUNK = 2_000;

/**
 * Branches and coverage in MongoDB, each loaded as a whole.
 *
 * MongoDB has no transaction here, so a load writes its documents under a new generation number, which nobody
 * reads, and then makes that generation the current one by a single update. A load that dies on the way
 * leaves the old one in force; its leftovers go with the next load.
 */
export class BranchStore {
  readonly #current: Model<Current>;
  readonly #counter: Model<{ _id: string; last: number }>;
  readonly #branches: Model<BranchDocument>;
  readonly #coverage: Model<CoverageDocument>;

  constructor(connection: Connection) {
    const options = { versionKey: false, strict: true } as const;
    this.#current = connection.model<Current>(
      'CurrentGeneration',
      new Schema<Current>({ _id: String, branches: Number, coverage: Number }, options),
      'generations',
    );
    this.#counter = connection.model<{ _id: string; last: number }>(
      'GenerationCounter',
      new Schema({ _id: String, last: Number }, options),
      'generations',
    );
    this.#branches = connection.model<BranchDocument>(
      'Branch',
      new Schema<BranchDocument>({ _id: String, generation: Number, branch: Schema.Types.Mixed }, options),
      'branches',
    );
    this.#coverage = connection.model<CoverageDocument>(
      'Coverage',
      new Schema<CoverageDocument>(
        { _id: String, generation: Number, postalCode: String, code: String },
        options,
      ),
      'coverage',
    );
  }

  /** Changes with every load; `0.0` before the first. */
  async version(): Promise<string> {
    return versionOf(await this.#readCurrent());
  }

  /** @throws DomainError `unavailable` when loads follow one another faster than they can be read. */
  async snapshot(): Promise<Snapshot> {
    for (let attempt = 0; attempt < 5; attempt++) {
      const current = await this.#readCurrent();
      const [branches, coverage] = await Promise.all([
        this.#branches.find({ generation: current.branches }).lean(),
        this.#coverage.find({ generation: current.coverage }).lean(),
      ]);
      const version = versionOf(current);
      // A load that ended meanwhile has begun to remove what was being read.
      if ((await this.version()) === version) {
        return {
          version,
          branches: branches.map(({ branch }) => branch),
          coverage: coverage.map(({ postalCode, code }) => ({ postalCode, code })),
        };
      }
    }
    throw new DomainError('unavailable');
  }

  /** Replaces all branches. @throws DomainError `overtaken` when a load that began later is in force. */
  async loadBranches(branches: readonly Branch[], onProgress?: OnProgress): Promise<void> {
    const document = (generation: number, branch: Branch) => ({
      _id: `${generation}:${branchCode(branch.Codigo)}`,
      generation,
      branch,
    });
    await this.#load('branches', this.#branches, branches, document, onProgress);
  }

  /** Replaces all coverage. @throws DomainError `overtaken` when a load that began later is in force. */
  async loadCoverage(coverage: readonly Coverage[], onProgress?: OnProgress): Promise<void> {
    const document = (generation: number, row: Coverage) => ({
      _id: `${generation}:${row.postalCode}`,
      generation,
      ...row,
    });
    await this.#load('coverage', this.#coverage, coverage, document, onProgress);
  }

  async #load<R, D extends { generation: number }>(
    kind: Kind,
    model: Model<D>,
    records: readonly R[],
    document: (generation: number, record: R) => D,
    onProgress: OnProgress = () => {},
  ): Promise<void> {
    const counter = await this.#counter
      .findOneAndUpdate(
        { _id: 'counter' },
        { $inc: { last: 1 } },
        { upsert: true, returnDocument: 'after', lean: true },
      )
      .orFail();
    const generation = counter.last;
    let written = 0;
    for (const chunk of chunks(records, INSERT_CHUNK)) {
      const documents = chunk.map((record) => document(generation, record));
      await model.insertMany(documents, { lean: true, ordered: false });
      written += chunk.length;
      onProgress(written);
    }
    await this.#current.updateOne(
      { _id: 'current' },
      { $setOnInsert: { branches: 0, coverage: 0 } },
      { upsert: true },
    );
    const { matchedCount } = await this.#current.updateOne(
      { _id: 'current', [kind]: trusted({ $lt: generation }) },
      { $set: { [kind]: generation } },
    );
    if (matchedCount === 0) throw new DomainError('overtaken');
    await this.#removeBefore(model, generation);
  }

  /** Older generations only: a newer one may be on its way in from another process. */
  async #removeBefore<D extends { generation: number }>(model: Model<D>, generation: number): Promise<void> {
    await model.collection.deleteMany({ generation: { $lt: generation } });
  }

  async #readCurrent(): Promise<Current> {
    return (await this.#current.findById('current').lean()) ?? { _id: 'current', branches: 0, coverage: 0 };
  }
}

function versionOf(current: Current): string {
  return `${current.branches}.${current.coverage}`;
}
