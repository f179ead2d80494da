import { type Connection, type Model, Schema, trusted } from 'mongoose';
import { type Branch, branchCode, type DestinationQuery } from '#shared/contracts/branch.ts';
import { DomainError } from '#shared/errors.ts';
import { type Generation, Generations, type Kind } from './generations.ts';

export type Coverage = { postalCode: string; code: string };
/** All branches and all coverage of one moment. `version` changes with every load. */
export type Snapshot = { version: string; branches: Branch[]; coverage: Coverage[] };

/** Is called with the number of records of a load that are written so far. */
export type OnProgress = (written: number) => void;

type BranchDocument = { _id: string; generation: number; branch: Branch };
type CoverageDocument = { _id: string; generation: number } & Coverage;

/** Documents in one insert: well below the timeout of an operation, on a slow server too. */
const INSERT_CHUNK = 2_000;
/** How often data is read again because a load has ended meanwhile. */
const MAX_ATTEMPTS = 5;
/** Time limit of each query of a lookup, its wait for a connection included, in ms. */
const LOOKUP_TIMEOUT_MS = 1_500;

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
    return versionOf(await this.#generations.current(LOOKUP_TIMEOUT_MS));
  }

  /** Reads everything, for the cache and for exports. @throws DomainError as `#atOneVersion` does. */
  snapshot(): Promise<Snapshot> {
    return this.#atOneVersion(async (current) => {
      const [branches, coverage] = await Promise.all([
        this.#branches.find({ generation: current.branches }).lean(),
        this.#coverage.find({ generation: current.coverage }).lean(),
      ]);
      return {
        version: versionOf(current),
        branches: branches.map(({ branch }) => branch),
        coverage: coverage.map(({ postalCode, code }) => ({ postalCode, code })),
      };
    });
  }

  /**
   * Looks branches up by their `_id`, which costs the same however many there are.
   *
   * @returns the branch of each query, active or not, in the order asked; null for an unknown one.
   * @throws DomainError as `#atOneVersion` does; an error of the driver after 1.5 s without an answer.
   */
  find(queries: readonly DestinationQuery[]): Promise<(Branch | null)[]> {
    return this.#atOneVersion(async (current) => {
      const postalCodes = queries.flatMap((query) => ('postalCode' in query ? query.postalCode : []));
      const covering = await this.#codesOf(postalCodes, current.coverage);
      const codes = queries.map((query) =>
        'code' in query ? branchCode(query.code) : covering.get(query.postalCode),
      );
      const known = codes.filter((code) => code !== undefined);
      const branches = await this.#branchesOf(known, current.branches);
      return codes.map((code) => branches.get(code ?? '') ?? null);
    });
  }

  /** Returns the branches that are active, in no order. @throws as `find` does. */
  active(): Promise<Branch[]> {
    return this.#atOneVersion(async ({ branches: generation }) => {
      const found = await this.#branches
        .find({ generation, 'branch.Activa': true })
        .setOptions({ timeoutMS: LOOKUP_TIMEOUT_MS })
        .lean();
      return found.map(({ branch }) => branch);
    });
  }

  /** Replaces all branches. @throws DomainError `overtaken` when a load that began later is in force. */
  async loadBranches(branches: readonly Branch[], onProgress?: OnProgress): Promise<void> {
    const toDocument = (branch: Branch, generation: number) => ({
      _id: idOf(generation, branchCode(branch.Codigo)),
      generation,
      branch,
    });
    await this.#load('branches', this.#branches, branches, toDocument, onProgress);
  }

  /** Replaces all coverage. @throws DomainError `overtaken` when a load that began later is in force. */
  async loadCoverage(coverage: readonly Coverage[], onProgress?: OnProgress): Promise<void> {
    const toDocument = ({ postalCode, code }: Coverage, generation: number) => ({
      _id: idOf(generation, postalCode),
      generation,
      postalCode,
      code,
    });
    await this.#load('coverage', this.#coverage, coverage, toDocument, onProgress);
  }

  /**
   * Reads what is in force, and reads again where a load has ended meanwhile: it removes what was being read.
   *
   * @throws DomainError `unavailable` when loads follow one another faster than they can be read.
   */
  async #atOneVersion<T>(read: (current: Generation) => Promise<T>): Promise<T> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const current = await this.#generations.current(LOOKUP_TIMEOUT_MS);
      const found = await read(current);
      if ((await this.version()) === versionOf(current)) return found;
    }
    throw new DomainError('unavailable');
  }

  /** Returns the code of the branch that covers each postal code. */
  async #codesOf(postalCodes: readonly string[], generation: number): Promise<Map<string, string>> {
    const found = await findById(this.#coverage, generation, postalCodes);
    return new Map(found.map(({ postalCode, code }) => [postalCode, branchCode(code)]));
  }

  async #branchesOf(codes: readonly string[], generation: number): Promise<Map<string, Branch>> {
    const found = await findById(this.#branches, generation, codes);
    return new Map(found.map(({ branch }) => [branchCode(branch.Codigo), branch]));
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

/** Finds the documents of one generation by their codes; none costs no query. */
async function findById<D extends { _id: string }>(
  model: Model<D>,
  generation: number,
  codes: readonly string[],
): Promise<D[]> {
  if (codes.length === 0) return [];
  const ids = [...new Set(codes)].map((code) => idOf(generation, code));
  const options = { timeoutMS: LOOKUP_TIMEOUT_MS };
  return (await model
    .find({ _id: trusted({ $in: ids }) })
    .setOptions(options)
    .lean()) as D[];
}

function idOf(generation: number, code: string): string {
  return `${generation}:${code}`;
}

function versionOf(current: Generation): string {
  return `${current.branches}.${current.coverage}`;
}

/** Yields the items in their order, at most `size` at a time. */
export function* chunks<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
