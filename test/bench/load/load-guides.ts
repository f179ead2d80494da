import { mongo } from 'mongoose';
import { newRecord } from './guides.ts';

const BATCH = 5_000;
const REPORT = 100_000;
const DUPLICATE_KEY = 11_000;
const BATCHES_AT_A_TIME = 2;
/** Time of the first guide that is loaded. */
const FIRST = Date.UTC(2026, 0, 1);

let made = 0;

export async function loadGuides(
  mongoUri: string,
  count: number,
  say: (line: string) => void,
): Promise<void> {
  const client = await mongo.MongoClient.connect(mongoUri);
  const guides = client.db().collection<GuideDocument>('guides');
  let missing = count;
  let reported = count;
  const loader = async () => {
    while (missing > 0) {
      const size = Math.min(BATCH, missing);
      missing -= size;
      const stored = await insert(guides, size); // not within the next line: it would add to a `missing` of before
      missing += size - stored;
      if (reported - missing < REPORT) continue;
      reported -= REPORT;
      say(`${count - reported} guides loaded`);
    }
  };
  try {
    await Promise.all(Array.from({ length: BATCHES_AT_A_TIME }, loader));
  } finally {
    await client.close();
  }
}

/** @returns how many were stored: of a million random numbers some five are drawn twice. */
async function insert(guides: mongo.Collection<GuideDocument>, size: number): Promise<number> {
  try {
    await guides.insertMany(Array.from({ length: size }, newDocument), { ordered: false });
    return size;
  } catch (error) {
    if (error instanceof mongo.MongoBulkWriteError && error.code === DUPLICATE_KEY)
      return error.insertedCount;
    throw error;
  }
}

type GuideDocument = ReturnType<typeof newDocument>;

/** Guides a second apart, so that a list has an order; each with a reference of its own. */
function newDocument() {
  const { guide, ...record } = newRecord();
  const createdUtc = new Date(FIRST + 1_000 * made);
  const createdAt = createdUtc.toISOString().slice(0, 19);
  return {
    ...record,
    createdAt,
    createdUtc,
    guide: { ...guide, Referencia: referenceOf(made++) },
  };
}

/** Returns the reference of a guide that was loaded, by its place from 0. */
export function referenceOf(place: number): string {
  return `PEDIDO-${place}`;
}
