import type { Connection, mongo, QueryFilter } from 'mongoose';
import { type Branch, branchCode, type DestinationQuery, versionOf } from '#shared/branches/branch.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { chunks } from '../stores/chunks.ts';
import {
  body,
  type DocumentIn,
  defineCollection,
  driverOf,
  KEYWORD,
  MOMENT,
  modelOf,
  NUMBER,
  optional,
  part,
  type StoredModel,
} from '../stores/collection.ts';

declare module '#shared/errors/domain-error.ts' {
  interface ErrorCodes {
    /** Somebody else has loaded branches or coverage meanwhile. */
    'directory-changed': unknown;
  }
}

const RIGHTS = {
  branches: ['find'],
  admin: ['find'],
  loads: ['find', 'insert', 'remove'],
  demo: ['find', 'insert', 'remove'],
} as const;
export const BRANCHES = defineCollection(
  'branches',
  { _id: KEYWORD, generation: NUMBER, branch: body<Branch>() },
  {
    id: 'Generation and code',
    holds: 'A branch of one load',
    life: 'Until the load after the next',
    people: { branch: 'nobody: a branch of the carrier' },
    testAccounts: { stay: 'Nothing of an account' },
    rights: RIGHTS,
  },
);
export const COVERAGE = defineCollection(
  'coverage',
  { _id: KEYWORD, generation: NUMBER, postalCode: KEYWORD, code: KEYWORD, route: optional(KEYWORD) },
  {
    id: 'Generation and postal code',
    holds: 'The branch of a postal code, and its route',
    life: 'Until the load after the next',
    testAccounts: { stay: 'Nothing of an account' },
    rights: RIGHTS,
  },
);
/**
 * What a load wrote, and who put it in force when. A release before 1.8.1 writes none, and leaves that of an earlier generation.
 * One of 1.9 removes the rows of the load before, and leaves who put an earlier generation in force.
 */
const BY = optional(part({ generation: NUMBER, operator: KEYWORD }));
const LOAD = part({ generation: NUMBER, rows: NUMBER, at: MOMENT, by: BY });
/** The load before, which is of an earlier generation if nobody counted the rows. */
const FORMER = part({ generation: NUMBER, load: optional(LOAD) });
/**
 * Two documents: `current` has the generations in force, 0 before a load, their loads, and the loads before them, whose rows
 * stay for `restore`. `counter` has `last`.
 */
export const GENERATIONS = defineCollection(
  'generations',
  {
    _id: KEYWORD,
    branches: optional(NUMBER),
    coverage: optional(NUMBER),
    branchesLoad: optional(LOAD),
    coverageLoad: optional(LOAD),
    branchesFormer: optional(FORMER),
    coverageFormer: optional(FORMER),
    last: optional(NUMBER),
  },
  {
    id: '`current`, `counter`',
    holds: 'Which generations are in force, and before them, with rows, time, operator; the last number',
    life: 'For ever',
    testAccounts: { stay: 'Nothing of an account' },
    rights: {
      branches: ['find'],
      admin: ['find'],
      loads: ['find', 'insert', 'update'],
      demo: ['find', 'insert', 'update'],
    },
  },
);

export type Coverage = { postalCode: string; code: string; route?: string };
/** `version` changes with every load. */
export type Snapshot = { version: string; branches: Branch[]; coverage: Coverage[] };

/**
 * Branches or coverage as they should be and as they are. `rows`: how many the load wrote; undefined if it was of a release
 * that did not count, which wrote one at least. `found`: how many there are.
 */
export type Dataset = { found: number } & Partial<{ rows: number; at: Date; by: string }>;
/** Of a dataset that was never loaded it has nothing. */
export type Directory = { version: string; branches?: Dataset; coverage?: Dataset };
/** The rows that there are, and how many there should be. */
export type Counted = Snapshot & { directory: Directory };

/** A branch, and the route of the postal code by which it was asked for. */
export type FoundBranch = { branch: Branch; route?: string | undefined };
export type Found = { version: string; found: (FoundBranch | null)[] };

export type OnProgress = (written: number) => void;
/** `comparedWith`: the version with which the load was compared; by default that in force when it begins. `by`: the operator. */
export type LoadOptions = { comparedWith?: string; by?: string; onProgress?: OnProgress };

export type Kind = 'branches' | 'coverage';
type Generation = Readonly<Record<Kind, number>>;
type Load = { generation: number; rows: number; at: Date; by?: { generation: number; operator: string } };
type Former = { generation: number; load?: Load };
type Current = Generation & Readonly<Partial<Record<`${Kind}Load`, Load> & Record<`${Kind}Former`, Former>>>;
type Loaded = { _id: string; generation: number };

/** Documents in one insert. Even a slow server inserts them well before the timeout of an operation. */
const INSERT_CHUNK = 2_000;
/** A load that ends during a read makes it start again. */
const MAX_ATTEMPTS = 5;
/** Includes the wait for a connection. */
const LOOKUP = { timeoutMS: 1_500 };

/**
 * Branches and coverage in MongoDB, each loaded as a whole. A single `mongod` has no transactions. A load therefore
 * writes a new generation, which no reader sees, and activates it by a single update. A load that dies leaves the old
 * generation in force, and the next load removes its leftovers.
 */
export class BranchStore {
  readonly #generations: StoredModel<DocumentIn<typeof GENERATIONS>>;
  readonly #branches: StoredModel<DocumentIn<typeof BRANCHES>>;
  readonly #coverage: StoredModel<DocumentIn<typeof COVERAGE>>;

  constructor(connection: Connection) {
    this.#generations = modelOf(connection, GENERATIONS);
    this.#branches = modelOf(connection, BRANCHES);
    this.#coverage = modelOf(connection, COVERAGE);
  }

  /** Returns the version; `0.0` before the first load. */
  async version(): Promise<string> {
    return versionOf(await this.#inForce());
  }

  /** Returns the rows that are there, and how many there should be. @throws DomainError as `#atOneVersion` does. */
  snapshot(): Promise<Counted> {
    return this.#atOneVersion((current) => this.#all(current));
  }

  /** Returns a snapshot that has all rows of the loads. @throws Error if rows are missing; DomainError as `snapshot` does. */
  async wholeSnapshot(): Promise<Snapshot> {
    const snapshot = await this.snapshot();
    const missing = missingRows(snapshot.directory);
    if (missing) throw new Error(missing);
    return snapshot;
  }

  /**
   * @returns the version, and what each query finds in the order of the queries, active or not; null for an unknown branch.
   * @throws DomainError as `#atOneVersion` does, or an error of the driver after 1.5 s without an answer.
   */
  find(queries: readonly DestinationQuery[]): Promise<Found> {
    return this.#atOneVersion(async (current) => {
      const postalCodes = queries.flatMap((query) => ('postalCode' in query ? query.postalCode : []));
      const covering = await this.#coverageOf(postalCodes, current.coverage);
      const destinations = queries.map((query) =>
        'code' in query ? { code: branchCode(query.code) } : covering.get(query.postalCode),
      );
      const known = destinations.flatMap((one) => one?.code ?? []);
      const branches = await this.#branchesOf(known, current.branches);
      const found = destinations.map((one) => {
        const branch = branches.get(one?.code ?? '');
        return branch ? { branch, route: one?.route } : null;
      });
      return { version: versionOf(current), found };
    });
  }

  /** Returns the active branches unordered. @throws as `find` does. */
  active(): Promise<Branch[]> {
    return this.#atOneVersion(async ({ branches: generation }) => {
      const active = { ...idsOf(generation), 'branch.Activa': true };
      const found = await this.#branches.find(active).setOptions(LOOKUP).lean();
      return found.map(({ branch }) => branch);
    });
  }

  /** Counts the rows of the generations in force: 96 000 take some 30 ms. @throws DomainError as `#atOneVersion` does. */
  directory(): Promise<Directory> {
    return this.#atOneVersion(async (current) => {
      const [branches, coverage] = await Promise.all([
        this.#branches.countDocuments(idsOf(current.branches)),
        this.#coverage.countDocuments(idsOf(current.coverage)),
      ]);
      return directoryOf(current, { branches, coverage });
    });
  }

  /**
   * Returns what a snapshot would have if the load before were restored; undefined if there was none.
   * @throws DomainError as `snapshot` does.
   */
  former(kind: Kind): Promise<Counted | undefined> {
    return this.#atOneVersion(async (current) => {
      const former = current[`${kind}Former`];
      if (!former?.generation) return undefined;
      return this.#all({ ...current, [kind]: former.generation, [`${kind}Load`]: former.load });
    });
  }

  /**
   * @returns the version that is then in force.
   * @throws DomainError `directory-changed` if another load of branches or coverage ended since `comparedWith`.
   */
  loadBranches(branches: readonly Branch[], options?: LoadOptions): Promise<string> {
    const records = branches.map((branch) => [branchCode(branch.Codigo), { branch }] as const);
    return this.#load('branches', this.#branches, records, options);
  }

  /** @returns and throws as `loadBranches` does. */
  loadCoverage(coverage: readonly Coverage[], options?: LoadOptions): Promise<string> {
    const records = coverage.map((one) => [one.postalCode, one] as const);
    return this.#load('coverage', this.#coverage, records, options);
  }

  /**
   * Reads the generation in force. If a load ended meanwhile, reads again, because that load removes the old generation.
   * @throws DomainError `unavailable` when loads follow one another faster than they can be read.
   */
  async #atOneVersion<T>(read: (current: Current) => Promise<T>): Promise<T> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const current = await this.#inForce();
      const found = await read(current);
      if ((await this.version()) === versionOf(current)) return found;
    }
    throw new DomainError('unavailable');
  }

  async #all(current: Current): Promise<Counted> {
    const [branches, coverage] = await Promise.all([
      this.#branches.find(idsOf(current.branches)).lean(),
      this.#coverage.find(idsOf(current.coverage)).lean(),
    ]);
    return {
      version: versionOf(current),
      branches: branches.map(({ branch }) => branch),
      coverage: coverage.map(({ _id, generation, ...one }) => one),
      directory: directoryOf(current, { branches: branches.length, coverage: coverage.length }),
    };
  }

  async #coverageOf(
    postalCodes: readonly string[],
    generation: number,
  ): Promise<Map<string, Pick<Coverage, 'code' | 'route'>>> {
    const found = await findById(this.#coverage, generation, postalCodes);
    return new Map(
      found.map(({ postalCode, code, route }) => [
        postalCode,
        { code: branchCode(code), ...(route && { route }) },
      ]),
    );
  }

  async #branchesOf(codes: readonly string[], generation: number): Promise<Map<string, Branch>> {
    const found = await findById(this.#branches, generation, codes);
    return new Map(found.map(({ branch }) => [branchCode(branch.Codigo), branch]));
  }

  /** @param records by their `_id`: a branch's code or a postal code. */
  async #load<D extends Loaded>(
    kind: Kind,
    model: StoredModel<D>,
    records: readonly (readonly [name: string, record: Omit<D, keyof Loaded>])[],
    { comparedWith, by, onProgress }: LoadOptions = {},
  ): Promise<string> {
    const current = await this.#inForce();
    const generation = await this.#nextGeneration();
    const isUnchanged = comparedWith === undefined || comparedWith === versionOf(current);
    if (!isUnchanged || generation <= current[kind]) throw new DomainError('directory-changed');
    // After half a restore the counter may be lower than that of rows which are left.
    await model.deleteMany(idsOf(generation) as QueryFilter<D>);
    let written = 0;
    for (const chunk of chunks(records, INSERT_CHUNK)) {
      const documents = chunk.map(([name, record]) => ({
        ...record,
        _id: idOf(generation, name),
        generation,
      }));
      await driverOf(model).insertMany(documents as mongo.OptionalUnlessRequiredId<D>[], { ordered: false });
      written += chunk.length;
      onProgress?.(written);
    }
    const operator = by && { by: { generation, operator: by } };
    const former = await this.#formerOf(kind, model, current);
    const load = { generation, rows: records.length, ...operator };
    const version = await this.#activate(kind, current, load, former);
    // Removes only older generations, because a newer one may be in progress. The next load removes what a failure leaves.
    const older = { generation: { $lt: generation, $ne: former?.generation } };
    await model.deleteMany(older as QueryFilter<D>).catch(() => {});
    return version;
  }

  async #inForce(): Promise<Current> {
    const current = await this.#generations.findOne({ _id: 'current' }).setOptions(LOOKUP).lean();
    return { ...current, branches: current?.branches ?? 0, coverage: current?.coverage ?? 0 };
  }

  /** Returns a number that no other load has. */
  async #nextGeneration(): Promise<number> {
    const options = { upsert: true, returnDocument: 'after' } as const;
    const increase = { $inc: { last: 1 } };
    const counter = await this.#generations.findOneAndUpdate({ _id: 'counter' }, increase, options).lean();
    return (counter as { last: number }).last;
  }

  /** Returns the load before, once that in force is replaced: it stays as it is if the one in force has lost rows. */
  async #formerOf<D extends Loaded>(
    kind: Kind,
    model: StoredModel<D>,
    current: Current,
  ): Promise<Former | undefined> {
    const { [kind]: generation, [`${kind}Load` as const]: load } = current;
    const found = await model.countDocuments(idsOf(generation) as QueryFilter<D>);
    const { rows } = load?.generation === generation ? load : {};
    if (isShort({ found, ...(rows !== undefined && { rows }) })) return current[`${kind}Former`];
    return { generation, ...(load && { load }) };
  }

  /**
   * Puts a load in force in place of `over`.
   * @param former the load before it, from then on.
   * @returns the version. @throws DomainError `directory-changed` if something else than `over` is in force.
   */
  async #activate(
    kind: Kind,
    over: Current,
    load: Omit<Load, 'at'>,
    former: Former | undefined,
  ): Promise<string> {
    const none = { $setOnInsert: { branches: 0, coverage: 0 } };
    await this.#generations.updateOne({ _id: 'current' }, none, { upsert: true });
    const unchanged = { _id: 'current', branches: over.branches, coverage: over.coverage };
    const fields = Object.entries(load).map(([field, value]) => [`${kind}Load.${field}`, value]);
    const { matchedCount } = await this.#generations.updateOne(unchanged, {
      $set: {
        [kind]: load.generation,
        ...Object.fromEntries(fields),
        ...(former && { [`${kind}Former`]: former }),
      },
      $currentDate: { [`${kind}Load.at`]: true },
    });
    if (matchedCount === 0) throw new DomainError('directory-changed');
    return versionOf({ ...over, [kind]: load.generation });
  }
}

/** Finds documents by their ids. Sends no query if there are none. */
async function findById<D extends Loaded>(
  model: StoredModel<D>,
  generation: number,
  codes: readonly string[],
): Promise<D[]> {
  if (codes.length === 0) return [];
  const ids = [...new Set(codes)].map((code) => idOf(generation, code));
  return model
    .find({ _id: { $in: ids } } as QueryFilter<D>)
    .setOptions(LOOKUP)
    .lean<D[]>();
}

function idOf(generation: number, code: string): string {
  return `${generation}:${code}`;
}

/** Matches the ids of a generation by their index: `;` follows `:`. */
function idsOf(generation: number) {
  return { _id: { $gte: idOf(generation, ''), $lt: `${generation};` } };
}

function directoryOf(current: Current, found: Readonly<Record<Kind, number>>): Directory {
  const datasetOf = (kind: Kind): Dataset | undefined => {
    if (current[kind] === 0) return undefined;
    const load = current[`${kind}Load`];
    if (load?.generation !== current[kind]) return { found: found[kind] };
    const { generation, rows, at, by } = load;
    return { found: found[kind], rows, at, ...(by?.generation === generation && { by: by.operator }) };
  };
  const [branches, coverage] = [datasetOf('branches'), datasetOf('coverage')];
  return { version: versionOf(current), ...(branches && { branches }), ...(coverage && { coverage }) };
}

/** Says which datasets lack rows, such as `The database has 0 of 5 branches`; undefined if none does. */
export function missingRows({ branches, coverage }: Directory): string | undefined {
  const short = Object.entries({ branches, coverage }).flatMap(([kind, dataset]) =>
    dataset && isShort(dataset) ? [`${dataset.found} of ${dataset.rows ?? 'at least 1'} ${kind}`] : [],
  );
  return short.length > 0 ? `The database has ${short.join(' and ')}` : undefined;
}

export function isShort({ found, rows = 1 }: Pick<Dataset, 'found' | 'rows'>): boolean {
  return found < rows;
}
