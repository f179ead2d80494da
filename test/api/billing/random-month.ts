import type { Connection } from 'mongoose';
import { expect } from 'vitest';
import { BRANCHES } from '#local/demo-data.ts';
import type { CurrentTariff } from '#services/api/quotes/tariffs/current-tariff.ts';
import type { TariffFile, TariffFolder } from '#services/api/quotes/tariffs/tariff-files.ts';
import { TariffStore } from '#services/api/quotes/tariffs/tariff-store.ts';
import { BranchStore } from '#shared/branches/branch-store.ts';
import { MAX_GUIDES } from '#shared/guides/guide.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import { chunks } from '#shared/stores/chunks.ts';
import { MAX_EVENTS } from '#shared/tracking/event.ts';
import type { LogEntry } from '#shared/tracking/event-model.ts';
import type { Answer, Client, CreatedGuide } from '#test/fixtures/client.ts';
import { wordsOf } from '#test/fixtures/events.ts';
import type { Random } from './random-tariff.ts';
import type { BilledGuide, Entry } from './reference-bill.ts';
import { type Goods, type Package, priceByHand } from './reference-price.ts';

/** A user, who creates guides for the account that is the user's at the moment. */
export type User = {
  client: Client;
  account: string;
  origin: string;
  setting?: 'al_crear' | 'exigir' | undefined;
  isTest: boolean;
};

export type MadeGuide = BilledGuide & {
  user: User;
  /** Whether the recipient is the person who is erased. */
  isErased: boolean;
  /** Erasure or retention has taken what could be priced again. */
  isForgotten: boolean;
  /** The id of a weighing that is annulled before it is registered. */
  annulledEarly?: string;
};

/** A span of time, in ms since 1970, without its end. */
export type Span = { from: number; to: number };

type Product = {
  Contenido: string;
  TipoEnvio?: string;
  ValorDeclarado?: number;
  Paquetes?: number;
  Peso?: number;
  Largo?: number;
  Alto?: number;
  Ancho?: number;
};
/** A guide to create. `quoted` is a product that is as large at least, if the guide is to have a quote. */
type Wish = {
  user: User;
  service: 'Domicilio' | 'the service';
  to: { CodigoPostal?: string; DestinoCode?: string };
  product: Product;
  quoted?: Product | undefined;
  /** Which side of the guide names the person who is erased. */
  erased?: 'Remitente' | 'Destinatario' | undefined;
};
type Quoted = { wish: Wish; account: string; token: string; goods: Goods; total: number; tariff: Tariff };
type Tariff = { version: number; files: TariffFolder; isWithdrawn: boolean };

/** Phone of a person who is erased. */
export const ERASED_PHONE = '5511223344';
/** Where branches are after they moved: postal codes of other groups. */
export const MOVED: Readonly<Record<string, string>> = { MTY01: '27000', GDL01: '80000', PUE01: '97133' };

/** Postal codes by the branch that covers them: of all groups, in both areas, and one without a group. */
const COVERED: Readonly<Record<string, readonly string[]>> = {
  MEX01: ['06600', '01000', '16999', '40500', '41350', '57000', '17500', '76000'],
  MTY01: ['64000', '27000', '32500', '33250', '88500', '78000', '35999'],
  GDL01: ['44100', '22100', '20000', '63550', '80000', '98000', '59999'],
  PUE01: ['72000', '24000', '29950', '70150', '77500', '97133', '86000'],
};
const UNCOVERED = '99999';

const DAY_MS = 24 * 3_600_000;
/** Cancellations at a time. */
const CONCURRENCY = 8;

/** Makes guides and what happens to them by requests, and then dates them: a past month is made within seconds. */
export class RandomMonth {
  readonly guides: MadeGuide[] = [];
  readonly #users: readonly User[];
  readonly #mongo: Connection;
  /** Those of the api. */
  readonly #inApi: CurrentTariff;
  readonly #scanner: Client;
  readonly #random: Random;
  readonly #localTime: (moment: number) => string;
  readonly #tariffs: TariffStore;
  readonly #branches: BranchStore;
  /** Events occur after this moment, and what is registered since then has its real time still. */
  readonly #began = Date.now() - DAY_MS;
  #versions: Tariff[] = [];
  #postalCodeOf = new Map<string, string>();
  #coveredBy = new Map<string, string>();
  #loads = 0;
  /** Quotes for guides that are created after the next change of the tariff. */
  #kept: Quoted[] = [];

  constructor(options: {
    mongo: Connection;
    /** Those of the api. */
    tariffs: CurrentTariff;
    scanner: Client;
    random: Random;
    localTime: (moment: number) => string;
    users: readonly User[];
  }) {
    this.#users = options.users;
    this.#mongo = options.mongo;
    this.#inApi = options.tariffs;
    this.#scanner = options.scanner;
    this.#random = options.random;
    this.#localTime = options.localTime;
    this.#tariffs = new TariffStore(options.mongo);
    this.#branches = new BranchStore(options.mongo);
    lookInTurns(options.tariffs);
  }

  /** The tariff that is in force. */
  get #inForce(): Tariff | undefined {
    return this.#versions.findLast(({ isWithdrawn }) => !isWithdrawn);
  }

  async loadTariff(files: TariffFolder): Promise<void> {
    const from = new Date();
    const version = await this.#tariffs.add(await this.#lastEntry(), { folder: files, from, by: 'ana' });
    this.#versions.push({ version, files, isWithdrawn: false });
    await this.#inApi.look();
    await expect.poll(() => this.#inApi.now()).toBeGreaterThan(from.getTime());
  }

  /** Loads a tariff that no process can read. */
  loadUnreadableTariff(): Promise<void> {
    return this.loadTariff(new Map([['parametros.csv' as TariffFile, Buffer.from('Nombre\n')]]));
  }

  /** Withdraws the tariff in force, or all. */
  async withdraw(which: 'last' | 'all'): Promise<void> {
    const entries = await this.#tariffs.entries();
    const gone = new Set(entries.map(({ withdraws }) => withdraws));
    const versions = entries.flatMap(({ _id, from }) => (from && !gone.has(_id) ? [_id] : []));
    const last = this.#inForce?.version;
    for (const version of which === 'all' ? versions : [last ?? 0]) {
      await this.#tariffs.withdraw(await this.#lastEntry(), version, 'ana');
      const known = this.#versions.find((each) => each.version === version);
      if (known) known.isWithdrawn = true;
    }
    await this.#inApi.look();
  }

  async #lastEntry(): Promise<number> {
    return (await this.#tariffs.entries()).at(-1)?._id ?? 0;
  }

  /** Loads branches, of which some have moved, and what they cover; the api knows them once it has the route of this load. */
  async loadPlaces(moved: Readonly<Record<string, string>>): Promise<void> {
    const branches = BRANCHES.map((branch) => ({
      ...branch,
      CodigoPostal: moved[branch.Codigo] ?? branch.CodigoPostal,
    }));
    await this.#branches.loadBranches(branches);
    const route = `R-${this.#loads++}`;
    const coverage = Object.entries(COVERED).flatMap(([code, postalCodes]) =>
      postalCodes.map((postalCode) => ({ postalCode, code, route })),
    );
    await this.#branches.loadCoverage(coverage);
    const known = () => this.#scanner.get(`/api/sucursales/cobertura/${coverage[0]?.postalCode}`);
    await expect.poll(async () => (await known()).body.data).toMatchObject({ Ruta: route });
    this.#postalCodeOf = new Map(branches.map(({ Codigo, CodigoPostal }) => [Codigo, CodigoPostal]));
    this.#coveredBy = new Map(coverage.map(({ postalCode, code }) => [postalCode, code]));
    this.#kept = []; // of other places
  }

  /**
   * Creates guides that are dated within a span.
   *
   * @param former share of those that 1.8 has created.
   */
  async create(count: number, span: Span, { former = 0 } = {}): Promise<void> {
    const moments = this.#momentsIn(span);
    const kept = this.#kept.filter(
      ({ tariff, account, wish }) => !tariff.isWithdrawn && account === wish.user.account,
    );
    this.#kept = [];
    const wishes = Array.from({ length: count }, () => this.#wish(this.#random.pick(this.#users)));
    const made = this.#users.flatMap((user) =>
      (['Domicilio', 'the service'] as const).map(async (service) => {
        const isOf = (wish: Wish) => wish.user === user && wish.service === service;
        return this.#createFor(
          user,
          service,
          wishes.filter(isOf),
          kept.filter(({ wish }) => isOf(wish)),
        );
      }),
    );
    const guides = (await Promise.all(made)).flat();
    for (const guide of guides) {
      guide.created = this.#random.pick(moments);
      guide.former = this.#random.chance(former);
    }
    await this.#date(guides);
    this.guides.push(...guides);
  }

  async #date(guides: readonly MadeGuide[]): Promise<void> {
    const stored = this.#mongo.collection<GuideDocument>('guides');
    for (const [created, dated] of Map.groupBy(guides, (guide) => guide.created)) {
      const createdAt = this.#localTime(created);
      await stored.updateMany(
        { _id: { $in: dated.map(({ number }) => number) } },
        { $set: { createdAt, createdUtc: new Date(created) } },
      );
    }
    const former = guides.filter(({ former, quoted }) => former && quoted === undefined);
    const numbers = former.map(({ number }) => number);
    await stored.updateMany({ _id: { $in: numbers } }, { $unset: { unquoted: 1, priced: 1 } });
  }

  async #createFor(
    user: User,
    service: Wish['service'],
    wishes: readonly Wish[],
    kept: readonly Quoted[],
  ): Promise<MadeGuide[]> {
    const quotes = await this.#quote(
      user,
      service,
      wishes.filter(({ quoted }) => quoted),
    );
    const later = new Set(quotes.slice(0, Math.floor(quotes.length / 10)));
    this.#kept.push(...later);
    const honoured = [...quotes.filter((quote) => !later.has(quote)), ...kept];
    const quotedWishes = new Set(quotes.map(({ wish }) => wish));
    const plain = user.setting === 'exigir' ? [] : wishes.filter((wish) => !quotedWishes.has(wish));
    // A tariff that cannot be read is a refusal of the whole request.
    const isRefused = user.setting === 'al_crear' && this.#inForce && !isReadable(this.#inForce);
    const sent = [
      ...honoured.map(({ wish, token, ...price }) => ({ wish, token, price })),
      ...(isRefused ? [] : plain.map((wish) => ({ wish, token: undefined, price: this.#priceNow(wish) }))),
    ];
    const guides: MadeGuide[] = [];
    for (const part of chunks(sent, MAX_GUIDES)) {
      const answer = await user.client.create(
        part.map(({ wish, token }) => bodyOf(wish, token)),
        service,
      );
      const created = dataOf<CreatedGuide[]>(answer);
      const totals = part.map(({ price }) => (price.total ?? 0) / 100);
      expect(created.map(({ SEND_TOTAL }) => SEND_TOTAL)).toEqual(totals);
      for (const [i, { wish, price }] of part.entries()) {
        guides.push({
          ...{ number: created[i]?.SEND_GUIA ?? '', account: user.account, user, created: 0, former: false },
          ...{ goods: price.goods, quoted: price.total, tariff: price.tariff?.files, entries: [] },
          ...{ isErased: wish.erased === 'Destinatario', isForgotten: false },
        });
      }
    }
    return guides;
  }

  /** Returns what a guide without a quote costs: nothing, unless its account is set to the tariff's price. */
  #priceNow(wish: Wish) {
    const goods = this.#goodsOf(wish, wish.product);
    const tariff = this.#inForce && isReadable(this.#inForce) ? this.#inForce : undefined;
    const price = tariff && wish.user.setting === 'al_crear' && this.#price(tariff, wish, goods);
    return { goods, tariff, total: typeof price === 'number' ? price : undefined };
  }

  #price(tariff: Tariff, { user }: Wish, goods: Goods): number | undefined {
    const price = priceByHand(tariff.files, user.account, goods);
    return typeof price === 'number' ? price : undefined;
  }

  /** Asks for quotes of those that have a price. */
  async #quote(user: User, service: Wish['service'], wishes: readonly Wish[]): Promise<Quoted[]> {
    const tariff = this.#inForce;
    if (!tariff || !isReadable(tariff)) return [];
    const priced = wishes.flatMap((wish) => {
      const goods = this.#goodsOf(wish, wish.quoted as Product);
      const total = this.#price(tariff, wish, goods);
      return total === undefined ? [] : [{ wish, account: user.account, goods, total, tariff }];
    });
    const quotes: Quoted[] = [];
    for (const part of chunks(priced, MAX_GUIDES)) {
      const Guia = part.map(({ wish }) => ({ Destinatario: wish.to, Producto: wish.quoted }));
      const answer = await user.client.post('/api/guias/cotizar', { TipoServicio: service, Guia });
      const options = dataOf<{ Opciones: { SEND_TOTAL: number; Cotizacion: string }[] }[]>(answer).map(
        ({ Opciones: [option] }) => option,
      );
      expect(options.map((option) => option?.SEND_TOTAL)).toEqual(part.map(({ total }) => total / 100));
      quotes.push(...part.map((each, i) => ({ ...each, token: options[i]?.Cotizacion ?? '' })));
    }
    return quotes;
  }

  #wish(user: User): Wish {
    const { integer, chance, pick } = this.#random;
    const product = this.#product();
    const isMeasured = [product.Peso, product.Largo, product.Alto, product.Ancho].every(Boolean);
    const isQuoted = isMeasured && (user.setting === 'exigir' || chance(0.45));
    const larger = chance(0.3) ? integer(1, 500) / 1_000 : 0;
    const quoted = isQuoted ? { ...product, Peso: thousandths((product.Peso ?? 0) + larger) } : undefined;
    const branch = pick(Object.keys(COVERED));
    const postalCode = chance(0.5)
      ? pick(COVERED[branch] ?? [])
      : pick([...this.#coveredBy.keys(), UNCOVERED]);
    const to = pick([
      { CodigoPostal: pick([...this.#coveredBy.keys()]) },
      { DestinoCode: branch },
      { CodigoPostal: postalCode, DestinoCode: branch },
    ]);
    const erased = chance(0.05) ? pick(['Remitente', 'Destinatario'] as const) : undefined;
    return { user, service: chance(0.7) ? 'Domicilio' : 'the service', to, product, quoted, erased };
  }

  #product(): Product {
    const { integer, chance, pick } = this.#random;
    const product: Product = {
      Contenido: 'Libros',
      ...(chance(0.5) && { TipoEnvio: pick(['Sobre', 'Paquete']) }),
      ...(chance(0.6) && { ValorDeclarado: integer(0, 500_000) / 100 }),
      ...(chance(0.4) && { Paquetes: integer(1, 4) }),
      ...this.#measures(),
    };
    if (chance(0.15)) {
      const absent = pick(['Peso', 'Largo', 'Alto', 'Ancho'] as const);
      if (chance(0.5)) delete product[absent];
      else product[absent] = 0;
    }
    return product;
  }

  #measures() {
    const { integer, chance } = this.#random;
    const side = () => integer(10, chance(0.1) ? 1_550 : 600) / 10;
    const Peso = integer(1, chance(0.2) ? 75_000 : 15_000) / 1_000;
    return { Peso, Largo: side(), Alto: side(), Ancho: side() };
  }

  #goodsOf({ user, service, to }: Wish, product: Product): Goods {
    const postalCodeOf = (code = '') => this.#postalCodeOf.get(code) ?? '';
    const covering = this.#coveredBy.get(to.CodigoPostal ?? '');
    const branch = to.DestinoCode ?? covering;
    // The price goes where the parcel goes.
    const isHome = service === 'Domicilio' && to.CodigoPostal !== undefined && covering === branch;
    return {
      origin: postalCodeOf(user.origin),
      destination: isHome ? (to.CodigoPostal ?? '') : postalCodeOf(branch),
      service,
      type: product.TipoEnvio ?? '',
      declared: Math.round(100 * (product.ValorDeclarado ?? 0)),
      packages: Array.from({ length: product.Paquetes ?? 1 }, () => packageOf(product)),
    };
  }

  /**
   * Registers an event of some guides, dated within a span.
   *
   * @param former share of those that 1.8 has registered.
   */
  async happen(share: number, span: Span, { former = 0 } = {}): Promise<void> {
    const alive = this.guides.filter(
      (guide) =>
        !isCancelled(guide) && !guide.user.isTest && guide.created < span.to && this.#random.chance(share),
    );
    const moments = this.#momentsIn(span);
    const happened = alive.map((guide) => {
      const isFormer = guide.quoted === undefined && this.#random.chance(former);
      const isUnpriced = guide.quoted === undefined && (guide.former || !guide.tariff);
      const entry: Entry = {
        ...this.#happening(guide),
        registered: this.#momentAfter(guide, moments),
        unpriced: guide.isForgotten || isUnpriced || isFormer,
      };
      return { guide, entry, isFormer };
    });
    for (const part of chunks(happened, MAX_EVENTS)) {
      const Eventos = part.map(({ guide, entry }) => eventOf(guide.number, entry));
      const answer = await this.#scanner.post('/api/eventos', { Eventos });
      dataOf(answer);
      const refused = wordsOf(answer).findIndex((word) => word !== 'registrado');
      expect(refused, JSON.stringify([part[refused], Eventos[refused], answer.body])).toBe(-1);
    }
    await this.#dateEntries(happened);
  }

  async #dateEntries(
    happened: readonly { guide: MadeGuide; entry: Entry; isFormer?: boolean }[],
  ): Promise<void> {
    const entries = this.#mongo.collection<LogEntry>('events');
    const fresh = await entries
      .find({ registered: { $gt: new Date(this.#began) } }, { projection: { 'told.Guia': 1 } })
      .toArray();
    const idOf = new Map(fresh.map(({ _id, told }) => [told.Guia, _id]));
    expect([fresh.length, idOf.size]).toEqual([happened.length, happened.length]);
    const former = happened.flatMap(({ guide, isFormer }) =>
      isFormer ? (idOf.get(guide.number) ?? []) : [],
    );
    await entries.updateMany({ _id: { $in: former } }, { $unset: { unquoted: 1 } });
    for (const [registered, dated] of Map.groupBy(happened, ({ entry }) => entry.registered)) {
      const ids = dated.map(({ guide }) => idOf.get(guide.number) ?? '');
      await entries.updateMany({ _id: { $in: ids } }, { $set: { registered: new Date(registered) } });
    }
    for (const { guide, entry } of happened) guide.entries.push(entry);
  }

  #happening(guide: MadeGuide): DistributiveOmit<Entry, 'registered' | 'unpriced'> {
    const { integer, chance, pick } = this.#random;
    const { length } = guide.goods.packages;
    const id = `${pick(['a', 'B', 'z'])}${guide.entries.length}`;
    // Weighings of a guide may be of one moment, other events not.
    const occurred = this.#began + 1_000 * integer(0, 10);
    const which = chance(0.3) ? integer(1, length) : undefined;
    const known = guide.entries.flatMap((entry) =>
      entry.type === 'Cancelacion' || entry.type === 'Anulacion' ? [] : [entry.id],
    );
    if (guide.annulledEarly === undefined && chance(0.05)) {
      guide.annulledEarly = `early-${id}`;
      return { type: 'Anulacion', id, occurred, annuls: guide.annulledEarly };
    }
    if (known.length > 0 && chance(0.2)) return { type: 'Anulacion', id, occurred, annuls: pick(known) };
    if (chance(0.25)) {
      const type = pick(['EnReparto', 'Entregado', 'Entregado', 'Devuelto'] as const);
      return { type, id, occurred: occurred + 1 + guide.entries.length, package: which };
    }
    const { Peso, ...sides } = this.#measures();
    const measured = packageOf({ Peso: Peso + (chance(0.05) ? 80 : 0), ...(chance(0.6) && sides) });
    const { annulledEarly = id } = guide;
    const isEarly = chance(0.5) && !known.includes(annulledEarly);
    return { type: 'Pesaje', id: isEarly ? annulledEarly : id, occurred, package: which, measured };
  }

  /** Notes that erasure or retention has taken what could be priced again. */
  forget(isMeant: (guide: MadeGuide) => boolean): void {
    for (const guide of this.guides.filter(isMeant)) guide.isForgotten = true;
  }

  /** Cancels some guides without events, dated within a span. */
  async cancel(share: number, span: Span): Promise<void> {
    const moments = this.#momentsIn(span);
    const chosen = this.guides.filter(
      ({ entries, created }) => entries.length === 0 && created < span.to && this.#random.chance(share),
    );
    const left = [...chosen];
    const work = async () => {
      for (let guide = left.pop(); guide; guide = left.pop()) {
        dataOf(await guide.user.client.post(`/api/guias/${guide.number}/cancelar`, ''));
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    const cancelled = chosen.map((guide) => {
      const registered = this.#momentAfter(guide, moments);
      return { guide, entry: { type: 'Cancelacion', registered, unpriced: false } as const };
    });
    await this.#dateEntries(cancelled);
  }

  /** Returns a few moments of a span, with both its ends. */
  #momentsIn({ from, to }: Span): number[] {
    const others = Array.from({ length: 5 }, () => this.#random.integer(from, to - 1));
    return [from, ...others, to - 1];
  }

  #momentAfter({ created, entries }: MadeGuide, moments: readonly number[]): number {
    const earliest = entries.at(-1)?.registered ?? created;
    return this.#random.pick(moments.filter((moment) => moment >= earliest));
  }
}

type DistributiveOmit<T, Key extends PropertyKey> = T extends unknown ? Omit<T, Key> : never;

/** Has each look at the log of tariffs begin after the one before has ended, so that none brings back what is past. */
function lookInTurns(tariffs: CurrentTariff): void {
  const look = tariffs.look.bind(tariffs);
  let last = look();
  tariffs.look = () => {
    last = last.then(look, look);
    return last;
  };
}

function isReadable({ files }: Tariff): boolean {
  return files.has('precios.csv');
}

function isCancelled({ entries }: MadeGuide): boolean {
  return entries.some(({ type }) => type === 'Cancelacion');
}

function bodyOf({ to, product, erased }: Wish, Cotizacion: string | undefined) {
  const nameOf = (side: Wish['erased'], name: string) =>
    erased === side ? { Nombre: 'Eva Soto', Celular: ERASED_PHONE } : { Nombre: name };
  return {
    Remitente: nameOf('Remitente', 'Ana Lopez'),
    Destinatario: { ...nameOf('Destinatario', 'Luis Perez'), ...to },
    Producto: product,
    Creado_por: {},
    ...(Cotizacion && { Cotizacion }),
  };
}

function packageOf({ Peso, Largo, Alto, Ancho }: Partial<Product>): Package {
  const sides = [Largo, Alto, Ancho].flatMap((side) => (side ? [Math.round(10 * side)] : []));
  return { ...(Peso && { grams: Math.round(1_000 * Peso) }), ...(sides.length === 3 && { sides }) };
}

function eventOf(Guia: string, entry: Entry) {
  if (entry.type === 'Cancelacion') throw new Error('A cancellation is no event');
  const { type: Tipo, id: Id, occurred } = entry;
  const event = { Guia, Tipo, Id, Ocurrido: new Date(occurred).toISOString() };
  if (entry.type === 'Anulacion') return { ...event, Anula: entry.annuls };
  const which = { ...event, ...(entry.package && { Paquete: entry.package }) };
  if (entry.type === 'Devuelto') return { ...which, Motivo: 'otro' };
  if (entry.type !== 'Pesaje') return which;
  const { grams = 0, sides } = entry.measured;
  const [Largo, Alto, Ancho] = sides?.map((side) => side / 10) ?? [];
  return { ...which, Peso: grams / 1_000, ...(sides && { Largo, Alto, Ancho }) };
}

function thousandths(value: number): number {
  return Math.round(1_000 * value) / 1_000;
}

function dataOf<T>({ status, body }: Answer): T {
  expect(status, JSON.stringify(body).slice(0, 1_000)).toBe(200);
  return body.data as T;
}
