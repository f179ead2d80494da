import { type Connection, type Model, Schema } from 'mongoose';
import { type Branch, branchCode } from '#shared/contracts/branch.ts';
import { DomainError } from '#shared/errors.ts';
import { chunks } from './chunks.ts';
import { Generations, type Kind } from './generations.ts';

declare module '#shared/errors.ts' {
  interface ErrorCodes {
    /** A load that began later is in force. */
    overtaken: unknown;
  }
}

export type Coverage = { postalCode: string; code: string };
/** All branches and all coverage of one moment. `version` changes with every load. */
export type Snapshot = { version: string; branches: Branch[]; coverage: Coverage[] };

/** Is called with the number of records of a load that are written so far. */
export type OnProgress = (written: number) => void;

type BranchDocument = { _id: string; generation: number; branch: Branch };
type CoverageDocument = { _id: string; generation: number } & Coverage;

/** Documents in one insert: well below the timeout of an operation, on a slow server too. */
const INSERT_CHUNK = 2_000;
/** How often a snapshot is read again because a load has ended meanwhile. */
const MAX_ATTEMPTS = 5;

/**
 * Branches and coverage in MongoDB, each loaded as a whole.
 *
 * The service does without transactions, which a single `mongod` does not have. A load therefore writes its documents
 * under a new generation number, which nobody reads, and then puts that generation in force by a single update. A load
 * that dies on the way leaves the old generation in force; the next load removes its leftovers.
 */
export class BranchStore {
  readonly #generations: Generations;
  readonly #branches: Model<BranchDocument>;
  readonly #coverage: Model<CoverageDocument>;

  constructor(connection: Connection) {
    const options = { versionKey: false, strict: true } as const;
    const base = { _id: String, generation: Number };
    this.#generations = new Generations(connection);
    this.#branches = connection.model<BranchDocument>(
      'Branch',
      new Schema<BranchDocument>({ ...base, branch: Schema.Types.Mixed }, options),
      'branches',
    );
    this.#coverage = connection.model<CoverageDocument>(
      'Coverage',
      new Schema<CoverageDocument>({ ...base, postalCode: String, code: String }, options),
      'coverage',
    );
  }

  /** Returns a text that changes with every load; `0.0` before the first. */
  async version(): Promise<string> {
    return versionOf(await this.#generations.current());
  }

  /** @throws DomainError `unavailable` when loads follow one another faster than they can be read. */
  async snapshot(): Promise<Snapshot> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const current = await this.#generations.current();
      const [branches, coverage] = await Promise.all([
        this.#branches.find({ generation: current.branches }).lean(),
        this.#coverage.find({ generation: current.coverage }).lean(),
      ]);
      const version = versionOf(current);
      // A load that has ended meanwhile removes what was being read.
      if ((await this.version()) !== version) continue;
      return {
        version,
        branches: branches.map(({ branch }) => branch),
        coverage: coverage.map(({ postalCode, code }) => ({ postalCode, code })),
      };
    }
    throw new DomainError('unavailable');
  }

  /** Replaces all branches. @throws DomainError `overtaken` when a load that began later is in force. */
  async loadBranches(branches: readonly Branch[], onProgress?: OnProgress): Promise<void> {
    const toDocument = (branch: Branch, generation: number) => ({
      _id: `${generation}:${branchCode(branch.Codigo)}`,
      generation,
      branch,
    });
    await this.#load('branches', this.#branches, branches, toDocument, onProgress);
  }

  /** Replaces all coverage. @throws DomainError `overtaken` when a load that began later is in force. */
  async loadCoverage(coverage: readonly Coverage[], onProgress?: OnProgress): Promise<void> {
    const toDocument = ({ postalCode, code }: Coverage, generation: number) => ({
      _id: `${generation}:${postalCode}`,
      generation,
      postalCode,
      code,
    });
    await this.#load('coverage', this.#coverage, coverage, toDocument, onProgress);
  }

  async #load<R, D extends { generation: number }>(
    kind: Kind,
    model: Model<D>,
    records: readonly R[],
    toDocument: (record: R, generation: number) => D,
    onProgress: OnProgress = () => {},
  ): Promise<void> {
    const generation = await this.#generations.next();
    let written = 0;
    for (const chunk of chunks(records, INSERT_CHUNK)) {
      const documents = chunk.map((record) => toDocument(record, generation));
      await model.insertMany(documents, { lean: true, ordered: false });
      written += chunk.length;
      onProgress(written);
    }
    await this.#generations.activate(kind, generation);
    // Older generations only: a newer one may be on its way in from another process.
    await model.collection.deleteMany({ generation: { $lt: generation } });
  }
}

function versionOf(current: Readonly<Record<Kind, number>>): string {
  return `${current.branches}.${current.coverage}`;
}
