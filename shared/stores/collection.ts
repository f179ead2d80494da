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
 * table of docs/architecture.md follow from the description.
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

/**
 * `id`, `holds` and `life` are columns of docs/architecture.md: the `_id`, what a document is, how long it is kept.
 *
 * @typeParam People what the type of the documents demands of `people`.
 */
type Description<People> = {
  id: string;
  holds: string;
  life: string;
  /** Says of each text whether it may name a sender or a recipient. A new text does not compile until it is stated too. */
  people: People;
  /** What becomes of a test account's documents: they have an `expiresAt`, or there is a reason why they stay. */
  testAccounts: 'expire' | { stay: string };
  /** The backup may also read every collection. */
  rights: Readonly<Partial<Record<MongoUser, readonly MongoAction[]>>>;
  /** A unique one is over one field. */
  indexes?: readonly Index[];
};
export type Index = readonly [fields: Readonly<Record<string, 1 | -1>>, options?: mongo.CreateIndexesOptions];
/** Each text within a document. Numbers, moments, bytes and the words of a list are no texts: they name nobody. */
type Texts<T> = {
  [F in keyof T as [Text<NonNullable<T[F]>>] extends [never] ? never : F]-?: Text<NonNullable<T[F]>>;
};
/** An object is stated by its texts, or as a whole, with a reason if it names nobody. */
type Text<T> = string extends T
  ? false | 'person'
  : T extends string | number | boolean | Date | Uint8Array | mongo.ObjectId
    ? never
    : T extends readonly (infer Element)[]
      ? Text<Element>
      : keyof Texts<T> extends never
        ? never
        : Texts<T> | 'person' | `nobody: ${string}`;

/** Only the compiler uses `document`. */
export type Collection<Document = unknown> = Description<object> & {
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

export const TEXT = { type: String, required: true } as const;
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
  return typed<ValueOf<F>[]>({ type: [type], required: true, default: undefined });
}

/** An object whose fields mongoose knows. */
export function part<const F extends SchemaDefinition>(fields: F) {
  const type = new Schema(fields, { _id: false, strict: 'throw', minimize: false });
  return typed<InferRawDocTypeWithout_id<F>>({ type, required: true });
}

/** Gives a field a narrower type than mongoose knows. */
export function typed<T>(field: object) {
  return field as Typed<T> & { required: true };
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
  description: Description<Texts<InferRawDocType<F>>>,
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
