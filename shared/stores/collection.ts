import {
  type Connection,
  type HydratedDocument,
  type InferRawDocType,
  type InferRawDocTypeWithout_id,
  type Model,
  mongo,
  type QueryFilter,
  Schema,
  type SchemaDefinition,
} from 'mongoose';
import { DomainError } from '#shared/errors/domain-error.ts';

/**
 * Describes each collection of MongoDB once, beside its store. Types, indexes, the roles of MongoDB's users and the
 * table of docs/rooms.md follow from the description.
 */

/** The users of MongoDB: services, the operators' commands, the loader of branches, the backup, the loader of demo data. */
export const MONGO_USERS = [
  'api',
  'branches',
  'dashboard',
  'webhooks',
  'admin',
  'loads',
  'backup',
  'demo',
] as const;
export type MongoUser = (typeof MONGO_USERS)[number];
/** Actions of MongoDB (https://www.mongodb.com/docs/manual/reference/privilege-actions/). */
export type MongoAction =
  | 'find'
  | 'insert'
  | 'update'
  | 'remove'
  | 'createIndex'
  | 'collStats'
  | 'listCollections'
  | 'listIndexes';

/** `id`, `holds` and `life` are columns of docs/rooms.md: the `_id`, what a document is, how long it is kept. */
type Description = {
  id: string;
  holds: string;
  life: string;
  /** What becomes of a test account's documents: they have an `expiresAt`, or there is a reason why they stay. */
  testAccounts: 'expire' | { stay: Sentence };
  /** The backup may also read every collection. */
  rights: Readonly<Partial<Record<MongoUser, readonly MongoAction[]>>>;
  /** A unique one is over one field. */
  indexes?: readonly Index[];
};
export type Index = readonly [fields: Readonly<Record<string, 1 | -1>>, options?: mongo.CreateIndexesOptions];
type Sentence = `${string} ${string} ${string}`;

/** Whether a text may name a sender or a recipient, or why it does not. */
type Person = 'person' | `nobody: ${string}`;
/** Each field within which a text stands. Keywords, numbers, moments, bytes and the words of a list name nobody. */
type People<F> = { [K in keyof F as [PeopleIn<F[K]>] extends [never] ? never : K]: PeopleIn<F[K]> };
/** A part is stated by its texts, or as a whole. */
type PeopleIn<Field> = Field extends { keyword: true } | { namesUser: true } | { enum: readonly string[] }
  ? never
  : Field extends { __people: infer Inside }
    ? Inside
    : Field extends { type: StringConstructor }
      ? Person
      : never;
type PeopleInPart<F> = keyof People<F> extends never ? never : People<F> | Person;
/** Of a value that mongoose does not know from inside. */
type PeopleInValue<T> = string extends T
  ? Person
  : T extends string | number | boolean | Date | Uint8Array
    ? never
    : T extends readonly (infer Element)[]
      ? PeopleInValue<Element>
      : { [K in keyof T]-?: PeopleInValue<NonNullable<T[K]>> }[keyof T] extends never
        ? never
        : Person;

/** What the fields demand of the description: a new text, or `expire` without an `expiresAt`, does not compile. */
type Demands<F> = (keyof People<F> extends never ? object : { people: People<F> }) &
  (F extends { expiresAt: object } ? object : { testAccounts: { stay: Sentence } });

/** Only the compiler uses `document`. */
export type Collection<Document = unknown> = Description & {
  people?: object;
  name: string;
  schema: Schema;
  document?: Document;
};
export type DocumentIn<C extends Collection> = NonNullable<C['document']>;
/** A model whose `lean()` reads return documents as they are stored. */
// biome-ignore lint/complexity/noBannedTypes: these are mongoose's defaults
export type StoredModel<D> = Model<D, {}, {}, {}, HydratedDocument<D>, Schema<D>, D>;

/** A field whose type TypeScript knows. Mongoose does not check its inside. */
type Typed<T> = { type: typeof Schema.Types.Mixed; __rawDocTypeHint: T };
type ValueOf<F> = InferRawDocTypeWithout_id<{ value: F }> extends { value: infer V } ? V : never;
/** MongoDB's code for a command that the user's roles do not allow. */
const UNAUTHORIZED = 13;
const OPTIONAL = { required: false, allowNull: false } as const;

// mongoose would take an empty text for an absent one.
Schema.Types.String.checkRequired((value) => typeof value === 'string');

/** A text that may name somebody, such as one that people type freely. */
export const TEXT = { type: String, required: true } as const;
/** A text of a fixed form: an id, a code, a hash, the name of an account, or words of the service. */
export const KEYWORD = { type: String, required: true, keyword: true } as const;
export const NUMBER = { type: Number, required: true } as const;
export const FLAG = { type: Boolean, required: true } as const;
export const MOMENT = { type: Date, required: true } as const;
/** The name of an API user, which `npm run admin -- remove` takes out of the document. */
export const USERNAME = { type: String, required: true, namesUser: true } as const;

export function oneOf<const V extends string>(values: readonly V[]) {
  return { type: String, enum: values, required: true } as const;
}

export function listOf<F extends { type: unknown }>({ type }: F) {
  // mongoose would store an empty list in place of an absent one.
  return typed<ValueOf<F>[], PeopleIn<F>>({ type: [type], required: true, default: undefined });
}

/** An object whose fields mongoose knows. */
export function part<const F extends SchemaDefinition>(fields: F) {
  const type = new Schema(fields, { _id: false, strict: 'throw', minimize: false });
  return typed<InferRawDocTypeWithout_id<F>, PeopleInPart<F>>({ type, required: true });
}

/**
 * Gives a field a narrower type than mongoose knows.
 * @typeParam Inside what `people` must state of it; `never` if it is a keyword.
 */
export function typed<T, Inside = PeopleInValue<NonNullable<T>>>(field: object) {
  return field as Typed<T> & { required: true; __people: Inside };
}

/** A value that another schema describes, such as a guide. Mongoose does not check its inside. */
export function body<T>() {
  return typed<T>({ type: Schema.Types.Mixed, required: true });
}

export function optional<F extends object>(field: F): Omit<F, 'required'> & typeof OPTIONAL {
  return { ...field, ...OPTIONAL };
}

/** An index by which MongoDB deletes documents within a minute after their `expiresAt`. */
export const EXPIRY = [
  { expiresAt: 1 },
  { expireAfterSeconds: 0, partialFilterExpression: { expiresAt: { $exists: true } } },
] as const;

export function defineCollection<const F extends SchemaDefinition>(
  name: string,
  fields: F,
  description: Description & Demands<F>,
): Collection<InferRawDocType<F>> {
  const schema = new Schema(fields, {
    strict: 'throw',
    strictQuery: 'throw',
    bufferCommands: false,
    autoCreate: false,
    autoIndex: false,
    versionKey: false,
    id: false,
    minimize: false,
  });
  return { ...description, name, schema };
}

/**
 * Returns a collection's model. Callers follow these rules:
 * - Reads are `lean()` and return what is stored. A returned query is begun by `exec()`, because each `then` would repeat
 * the query.
 * - `driverOf` inserts many documents. Mongoose's `insertMany` would build an object of each, and its logged errors would
 * show them.
 * - Callers check that a value of a request is a text, because nothing searches values for query operators.
 * - A read of many documents is sorted. An unsorted cursor of DocumentDB may skip or repeat a document that changes.
 */
export function modelOf<Document>(
  connection: Connection,
  { name, schema }: Collection<Document>,
): StoredModel<Document> {
  const model: unknown = connection.models[name] ?? connection.model(name, schema, name);
  return model as StoredModel<Document>;
}

/** Returns the driver's collection, for inserts of many documents, and for inserts that must not wait. */
export function driverOf<D extends mongo.Document>(model: StoredModel<D>): mongo.Collection<D> {
  return model.collection as unknown as mongo.Collection<D>;
}

/** Creates the missing indexes of a collection. */
export async function createIndexes(connection: Connection, collection: Collection): Promise<void> {
  for (const index of collection.indexes ?? []) await createIndex(connection, collection, index);
}

/**
 * Creates an index, unless it is there. If no service's user has the right, the database's administrator creates it
 * (`local/access/mongo-users.ts`).
 * @returns whether it was missing.
 */
export async function createIndex(
  connection: Connection,
  { name: createIndexes, rights }: Collection,
  index: Index,
): Promise<boolean> {
  const { db } = connection;
  if (!db) throw new DomainError('unavailable');
  const [key, options] = index;
  const isServices = Object.values(rights).some((actions) => actions.includes('createIndex'));
  try {
    const indexes = [{ key, name: indexName(index), ...options }];
    const { numIndexesBefore, numIndexesAfter } = await db.command({ createIndexes, indexes });
    return numIndexesAfter > numIndexesBefore;
  } catch (error) {
    const isRefused = error instanceof mongo.MongoServerError && error.code === UNAUTHORIZED;
    if (isServices || !isRefused) throw error;
    return false;
  }
}

/** Returns the name that MongoDB gives an index. */
export function indexName([fields]: Index): string {
  return Object.entries(fields).flat().join('_');
}

/** Returns the documents that have `openSince`, the oldest first. A crash may have interrupted their work. */
export async function unfinishedIds<D extends { _id: string; openSince?: Date }>(
  model: StoredModel<D>,
  among: QueryFilter<D> = {},
): Promise<string[]> {
  const found = await model
    .find({ ...among, openSince: { $exists: true } })
    .select<{ _id: string }>({ _id: 1 })
    .sort({ openSince: 1 })
    .lean();
  return found.map(({ _id }) => _id);
}

export function pathsOfUser({ schema }: Collection): string[] {
  const paths: string[] = [];
  schema.eachPath((path, { options, schema: nested }) => {
    if (options.namesUser) paths.push(path);
    nested?.eachPath((inner, { options }) => {
      if (options.namesUser) paths.push(`${path}.${inner}`);
    });
  });
  return paths;
}

/** A `lean` read returns the driver's own type of bytes. */
export function bytesOf(bytes: Buffer | { buffer: Uint8Array }): Uint8Array {
  return Buffer.isBuffer(bytes) ? bytes : bytes.buffer;
}
