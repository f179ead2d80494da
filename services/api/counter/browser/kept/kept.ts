/**
 * What stays in this browser, by user, and only after the user asks for it. It is all in one database, which "Salir" deletes.
 */

const DATABASE = 'mostrador';
const STORE = 'guardado';

/** The kinds of what is kept, each a list or a thing of one tab. Tabs add theirs here. */
export type Kept = {
  /** Senders to choose from, by the words of their place. */
  senders: Record<string, unknown>[];
  /** The paper and the format of labels, by their names in `print-labels.tsx`. */
  printer: { paper: string; format: string };
  /** Which field each heading of a file means. */
  headings: Record<string, string>;
  /**
   * When a guide was asked for with a key, in ms since 1970, and its number once that is known. `row` is a hash of what the file says
   * of it, all in one, so that no cell of it is guessed alone.
   */
  created: { at: number; row: string; guide?: string };
};

/** What the tab has until it ends, also when it is loaded again; undefined where the browser keeps nothing. */
export const tabStorage = storageOfTab();

function storageOfTab(): Storage | undefined {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}

/** Somebody has gone out ("Salir"): what is answered until the page is gone is not kept. */
let isClosed = false;

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    if (isClosed) return reject(new Error('Nothing is kept any more'));
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => {
      // Another tab has gone out ("Salir").
      request.result.onversionchange = () => request.result.close();
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
  });
}

async function within<T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const database = await open();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      const request = work(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = transaction.onerror = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}

const keyOf = (username: string, kind: string, name: string) => [username, kind, name];

/** Whether anything is kept, of any user. Looking leaves nothing behind: to open a database makes it. */
export async function keepsAnything(): Promise<boolean> {
  const databases = await indexedDB.databases().catch(() => []);
  return databases.some(({ name }) => name === DATABASE);
}

/** Returns what is kept of a kind; undefined if nothing is, also where the browser keeps nothing (a private window). */
export async function readKept<K extends keyof Kept>(
  username: string,
  kind: K,
  name = '',
): Promise<Kept[K] | undefined> {
  if (!(await keepsAnything())) return undefined;
  return within('readonly', (store) => store.get(keyOf(username, kind, name))).catch(() => undefined);
}

/** Returns all that is kept of a kind, by its name. */
export async function readAllKept<K extends keyof Kept>(
  username: string,
  kind: K,
): Promise<Map<string, Kept[K]>> {
  if (!(await keepsAnything())) return new Map();
  const range = IDBKeyRange.bound(keyOf(username, kind, ''), [username, kind, []]);
  const reading = [
    within('readonly', (store) => store.getAllKeys(range) as IDBRequest<IDBValidKey[]>),
    within('readonly', (store) => store.getAll(range) as IDBRequest<Kept[K][]>),
  ] as const;
  const [keys, values] = await Promise.all(reading).catch(() => [[], []] as const);
  return new Map(values.map((value, i) => [(keys[i] as string[])[2] ?? '', value]));
}

/** Keeps it. @param name tells apart what is of one kind, such as files. @returns whether the browser has it. */
export async function keep<K extends keyof Kept>(
  username: string,
  kind: K,
  value: Kept[K],
  name = '',
): Promise<boolean> {
  return within('readwrite', (store) => store.put(value, keyOf(username, kind, name))).then(
    () => true,
    () => false,
  );
}

export async function forget(username: string, kind: keyof Kept, name = ''): Promise<void> {
  await within('readwrite', (store) => store.delete(keyOf(username, kind, name))).catch(() => undefined);
}

/** Leaves nothing of this tab. Answers that are still to come find nothing to be kept in. */
export function keepNoMore(): void {
  isClosed = true;
  tabStorage?.clear();
}

/** Leaves nothing in this browser, of any user, and keeps nothing more. */
export async function forgetAll(): Promise<void> {
  keepNoMore();
  await new Promise<void>((resolve) => {
    const request = indexedDB.deleteDatabase(DATABASE);
    request.onsuccess = request.onerror = () => resolve();
  });
}
