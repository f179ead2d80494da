import { mongo } from 'mongoose';
import { driverOf, type StoredModel } from './collection.ts';
import { DUPLICATE_KEY, writeErrorsOf } from './mongo.ts';
import { isOutOfSpace, isTransientError, isUnconfirmed } from './transient-errors.ts';

type Inserted<D> = readonly mongo.OptionalUnlessRequiredId<D>[];

/**
 * Inserts documents, each by itself.
 * @returns why documents were not stored, by their index.
 * @throws the driver's error if nobody knows what was stored.
 */
export async function insertEach<D extends mongo.Document>(
  model: StoredModel<D>,
  documents: Inserted<D>,
): Promise<Map<number, mongo.WriteError>> {
  try {
    await driverOf(model).insertMany(documents, { ordered: false });
    return new Map();
  } catch (error) {
    const failures = writeErrorsOf(error);
    // The connection broke, or a majority has not confirmed those that were stored. A full disk refuses each by itself.
    const isKnown = !isTransientError(error) || (isOutOfSpace(error) && !isUnconfirmed(error as Error));
    if (failures.length === 0 || !isKnown) throw error;
    return new Map(failures.map((failure) => [failure.index, failure]));
  }
}

/**
 * Inserts the documents whose `_id` is not stored yet. The others stay as they are.
 * @returns the indexes of those that were stored before.
 * @throws as `insertEach` does, and for a document that was refused.
 */
export async function insertMissing<D extends mongo.Document>(
  model: StoredModel<D>,
  documents: Inserted<D>,
): Promise<number[]> {
  const failures = await insertEach(model, documents);
  const refused = [...failures.values()].find(({ code }) => code !== DUPLICATE_KEY);
  if (refused) throw errorOf(refused);
  return [...failures.keys()];
}

/** Makes an error of the refusal of one document among many, without the document. */
export function errorOf({ errmsg = '', code }: mongo.WriteError): mongo.MongoServerError {
  return new mongo.MongoServerError({ message: errmsg, code });
}
