import { type Connection, type Model, Schema, trusted } from 'mongoose';
import { type Branch, branchCode } from '../../shared/branch.ts';
import { DomainError } from '../../shared/errors.ts';

export type Coverage = { postalCode: string; code: string };
/** Everything loaded last, of one moment. `version` changes with every load. */
export type Snapshot = { version: string; branches: Branch[]; coverage: Coverage[] };

type Kind = 'branches' | 'coverage';
type Current = { _id: string; branches: number; coverage: number };
type BranchDocument = { _id: string; generation: number; branch: Branch };
type CoverageDocument = { _id: string; generation: number; postalCode: string; code: string };

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

  /** Replaces all branches. */
  async loadBranches(branches: Branch[]): Promise<void> {
    await this.#load('branches', this.#branches, (generation) =>
      branches.map((branch) => ({ _id: `${generation}:${branchCode(branch.Codigo)}`, generation, branch })),
    );
  }

  /** Replaces all coverage. */
  async loadCoverage(coverage: Coverage[]): Promise<void> {
    await this.#load('coverage', this.#coverage, (generation) =>
      coverage.map((row) => ({ _id: `${generation}:${row.postalCode}`, generation, ...row })),
    );
  }

  async #load<D extends { generation: number }>(
    kind: Kind,
    model: Model<D>,
    documents: (generation: number) => D[],
  ): Promise<void> {
    const counter = await this.#counter
      .findOneAndUpdate(
        { _id: 'counter' },
        { $inc: { last: 1 } },
        { upsert: true, returnDocument: 'after', lean: true },
      )
      .orFail();
    const generation = counter.last;
    await model.insertMany(documents(generation), { lean: true, ordered: false });
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
