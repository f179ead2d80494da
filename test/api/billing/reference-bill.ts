import { type Goods, type Package, priceByHand } from './reference-price.ts';

/**
 * The bill of a month by the words of `usage --help` and docs/contract.md alone, for its audit: nothing here comes from
 * `services/`. Amounts are centavos, and moments ms since 1970.
 */

export const COLUMNS = [
  ...(['Guias', 'Canceladas', 'Entregadas', 'Etiquetas', 'Total', 'TotalCanceladas', 'Ajustes'] as const),
  ...(['SinPrecio', 'SinCotizar', 'PorCotizar', 'SinTarifa'] as const),
] as const;
type Column = (typeof COLUMNS)[number];
const AMOUNTS: ReadonlySet<Column> = new Set(['Total', 'TotalCanceladas', 'Ajustes', 'PorCotizar']);
export type Figures = Record<Column, number>;

/** What happened to a guide. `package` is absent if all are meant. */
type Happening =
  | { type: 'Pesaje'; id: string; occurred: number; package?: number | undefined; measured: Package }
  | {
      type: 'EnReparto' | 'Entregado' | 'Devuelto';
      id: string;
      occurred: number;
      package?: number | undefined;
    }
  | { type: 'Anulacion'; id: string; occurred: number; annuls: string }
  | { type: 'Cancelacion' };
/** `unpriced`: nobody could price the guide when this was registered, so it changes no price. */
export type Entry = Happening & { registered: number; unpriced: boolean };

type Tariff = Parameters<typeof priceByHand>[0];
export type BilledGuide = {
  number: string;
  /** For which it was created. */
  account: string;
  created: number;
  /** The packages as quoted, or else as created. */
  goods: Goods;
  /** Of the quote, or else in force at the creation; undefined if there was none that could be read. */
  tariff: Tariff | undefined;
  /** SEND_TOTAL. */
  quoted?: number | undefined;
  /** Whether 1.8 created it. */
  former: boolean;
  entries: Entry[];
};

/** What a guide adds to the bill of its account. */
export type Charge = { at: number; column: Column; by: number };

export function* chargesOf(guide: BilledGuide): Generator<Charge> {
  const isQuoted = guide.quoted !== undefined;
  const of = (column: Column, at: number, by: number): Charge => ({ column, at, by });
  let price = priceAtCreation(guide);
  yield of('Guias', guide.created, 1);
  yield of('Total', guide.created, guide.quoted ?? 0);
  if (!isQuoted) {
    yield of('SinCotizar', guide.created, 1);
    yield of('PorCotizar', guide.created, price ?? 0);
    yield of('SinTarifa', guide.created, missing(price));
  }
  let delivered = false;
  for (const [i, entry] of guide.entries.entries()) {
    const { registered: at } = entry;
    if (entry.type === 'Cancelacion') {
      yield of('Canceladas', at, 1);
      yield of('TotalCanceladas', at, guide.quoted ?? 0);
      if (!isQuoted) {
        yield of('PorCotizar', at, -(price ?? 0));
        yield of('SinTarifa', at, -missing(price));
      }
      continue;
    }
    const known = guide.entries.slice(0, i + 1);
    if (!entry.unpriced && weighs(entry, known)) {
      const now = priceAsWeighed(guide, known);
      // A quoted guide that has no price as weighed costs what was quoted.
      const change = isQuoted
        ? (now ?? guide.quoted ?? 0) - (price ?? guide.quoted ?? 0)
        : (now ?? 0) - (price ?? 0);
      yield of(isQuoted ? 'Ajustes' : 'PorCotizar', at, change);
      yield of(isQuoted ? 'SinPrecio' : 'SinTarifa', at, missing(now) - missing(price));
      price = now;
    }
    const isDelivered = delivers(known, guide.goods.packages.length);
    yield of('Entregadas', at, Number(isDelivered) - Number(delivered));
    delivered = isDelivered;
  }
}

/** Returns whether an entry is a weighing, or annuls one that is known. */
function weighs(entry: Entry, known: readonly Entry[]): boolean {
  const annuls = entry.type === 'Anulacion' ? entry.annuls : undefined;
  return entry.type === 'Pesaje' || known.some((each) => each.type === 'Pesaje' && each.id === annuls);
}

const missing = (price: number | undefined) => Number(price === undefined);

export function priceAtCreation(guide: BilledGuide): number | undefined {
  return guide.quoted ?? (guide.former ? undefined : priceAsWeighed(guide, []));
}

/** The last weighing of each package counts, by the moment of the weighing and then by its id; without sides those of the creation. */
export function priceAsWeighed(guide: BilledGuide, known: readonly Entry[]): number | undefined {
  const { goods, tariff, account } = guide;
  if (!tariff) return undefined;
  const annulled = annulledIn(known);
  const weighings = known.flatMap((each) => (each.type === 'Pesaje' && !annulled.has(each.id) ? [each] : []));
  const packages = goods.packages.map((created, i) => {
    const last = weighings
      .filter((each) => each.package === undefined || each.package === i + 1)
      .toSorted((one, other) => one.occurred - other.occurred || (one.id < other.id ? -1 : 1))
      .at(-1);
    return { ...created, ...last?.measured };
  });
  if (guide.quoted !== undefined && weighings.length === 0) return guide.quoted;
  const price = priceByHand(tariff, account, { ...goods, packages });
  return typeof price === 'number' ? price : undefined;
}

/** A guide is delivered once all its packages are. What a package is finally, delivered or returned, only an annulment changes. */
function delivers(known: readonly Entry[], packages: number): boolean {
  const annulled = annulledIn(known);
  return Array.from({ length: packages }, (_, i) => i + 1).every((number) => {
    const finals = known.flatMap((each) => {
      if (each.type !== 'Entregado' && each.type !== 'Devuelto') return [];
      const isMeant = each.package === undefined || each.package === number;
      return isMeant && !annulled.has(each.id) ? [each] : [];
    });
    return finals.toSorted((one, other) => one.occurred - other.occurred)[0]?.type === 'Entregado';
  });
}

function annulledIn(known: readonly Entry[]): Set<string> {
  return new Set(known.flatMap((each) => (each.type === 'Anulacion' ? [each.annuls] : [])));
}

/** Returns what each account has used in a month, by its name; accounts without any charge are not there. */
export function billOf(
  guides: readonly BilledGuide[],
  isOfMonth: (moment: number) => boolean,
  labels: ReadonlyMap<string, number> = new Map(),
): Map<string, Figures> {
  const bill = new Map<string, Figures>();
  const add = (account: string, column: Column, by: number) => {
    const figures = bill.get(account) ?? (Object.fromEntries(COLUMNS.map((name) => [name, 0])) as Figures);
    figures[column] += by;
    bill.set(account, figures);
  };
  for (const guide of guides) {
    for (const { at, column, by } of chargesOf(guide)) {
      if (isOfMonth(at)) add(guide.account, column, by);
    }
  }
  for (const [account, count] of labels) add(account, 'Etiquetas', count);
  return bill;
}

/** Returns the rows of a bill as `usage` writes them, without the month. */
export function rowsOf(bill: ReadonlyMap<string, Figures>): string[] {
  return [...bill]
    .filter(([, figures]) => COLUMNS.some((name) => figures[name] !== 0))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([account, figures]) =>
      [
        account,
        ...COLUMNS.map((name) => String(AMOUNTS.has(name) ? figures[name] / 100 : figures[name])),
      ].join(','),
    );
}

/**
 * Returns the account, number and sum in a month of each guide that counts in `SinTarifa`, and of what kind its reason is.
 */
export function withoutTariff(
  guides: readonly BilledGuide[],
  isOfMonth: (moment: number) => boolean,
): string[] {
  return guides
    .flatMap((guide) => {
      const sum = [...chargesOf(guide)]
        .filter(({ at, column }) => column === 'SinTarifa' && isOfMonth(at))
        .reduce((total, { by }) => total + by, 0);
      const isCancelled = guide.entries.some(
        ({ type, registered }) => type === 'Cancelacion' && isOfMonth(registered),
      );
      const gone = isCancelled ? 'cancelled' : 'priced';
      const kind = sum < 0 ? gone : guide.former ? 'former' : 'tariff';
      return sum === 0 ? [] : [[guide.account, guide.number, sum, kind].join(',')];
    })
    .sort();
}
