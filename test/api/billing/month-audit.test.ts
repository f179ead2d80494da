import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connection } from 'mongoose';
import { expect, onTestFinished } from 'vitest';
import { DEMO_PASSWORD } from '#local/demo-data.ts';
import { run } from '#services/api/cli.ts';
import { anonymiseOlder } from '#services/api/guides/anonymise-guides.ts';
import { guideSteps } from '#services/api/guides/guide-store.ts';
import { guides } from '#services/api/guides/room.ts';
import { quotes } from '#services/api/quotes/room.ts';
import { RECENT, UserStore } from '#shared/accounts/user-store.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { finishCut } from '#test/fixtures/finish-cut.ts';
import { startMongoProxy } from '#test/fixtures/mongo-proxy.ts';
import { userMaker } from '#test/fixtures/new-user.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';
import { passTime } from '#test/fixtures/pass-time.ts';
import { test as services } from '#test/fixtures/services.ts';
import { ERASED_PHONE, type MadeGuide, MOVED, RandomMonth, type User } from './random-month.ts';
import { randomOf, randomTariff } from './random-tariff.ts';
import { billOf, COLUMNS, type Figures, rowsOf, withoutTariff } from './reference-bill.ts';

/**
 * `npm run admin -- usage` against a calculation that shares no code with it, over random months: to the centavo, and to
 * the guide. `GUIDES` says how many there are, and `SEED` repeats the months of a failure.
 */

/** The earlier year first: the log of an account goes on. */
const ZONES = [
  // Its clocks change in November.
  ['America/Tijuana', 2024],
  ['America/Mexico_City', 2025],
] as const;
const GUIDES = Number(process.env.GUIDES ?? 600) / ZONES.length;
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Users, and where their guides begin. */
const ORIGINS = {
  ...{ demo: 'MEX01', otro: 'GDL01', tienda: 'MTY01', estricta: 'MEX01', viajero: 'MTY01' },
  ...{ norte: 'TIJ01', prueba: 'MEX01' },
};
type Labels = ReadonlyMap<string, number>;
type UserName = keyof typeof ORIGINS;
const NAMES = Object.keys(ORIGINS) as UserName[];

const HEAD = `Mes,Cuenta,${COLUMNS.join(',')}`;
const LIST_HEAD = 'Mes,Cuenta,Guia,SinTarifa,Motivo';
const CLOSED = /^\d{4}-\d\d esta cerrado, y se guardo\. /;
const UNCHANGED = /^\d{4}-\d\d se guardo el [^;]*; nada cambio\. /;
/** As 1.8 stored them. */
const STORED_BY_1_8 = {
  ...{ guides: 'Guias', cancelled: 'Canceladas', delivered: 'Entregadas', labels: 'Etiquetas' },
  ...{ total: 'Total', cancelledTotal: 'TotalCanceladas', adjustments: 'Ajustes', unpriced: 'SinPrecio' },
} as const satisfies Record<string, keyof Figures>;

const test = services
  .extend('admin', { scope: 'file' }, ({ stores }) => (args: string[], settings: object = {}) => {
    return runCommand(run, args, { env: { MONGODB_URI: stores.mongoUri, ...settings } });
  })
  .extend('succeed', { scope: 'file' }, ({ admin }) => async (...args: string[]) => {
    expect(await admin(args)).toMatchObject({ code: 0 });
  })
  .extend('guides', { scope: 'file' }, ({ stores }) => stores.mongo.collection<GuideDocument>('guides'))
  /** Makes the users whom the demo data lack. */
  .extend('newUsers', { scope: 'file', auto: true }, async ({ stores }) => {
    const make = await userMaker(new UserStore(stores.mongo), DEMO_PASSWORD);
    const permissions = ['guias.create', 'guias.read', 'guias.cancel', 'guias.quote'] as const;
    for (const name of ['tienda', 'estricta', 'viajero', 'norte'] as const)
      await make(name, { permissions: [...permissions], originBranch: ORIGINS[name] });
  })
  /** Logs the users in. Nothing of an earlier test is left of their accounts. */
  .extend('usersOf', { scope: 'file' }, ({ succeed }) => async (url: string) => {
    await succeed('account', 'viajero', 'viajero');
    for (const account of ['tienda', 'estricta']) await succeed('limits', account, '--cotizar', 'no');
    passTime(RECENT.freshMs);
    const users = NAMES.map(async (name): Promise<[UserName, User]> => {
      const isTest = name === 'prueba';
      const account = isTest ? 'pruebas' : name;
      return [name, { client: await Client.login(url, name), account, origin: ORIGINS[name], isTest }];
    });
    return Object.fromEntries(await Promise.all(users)) as Record<UserName, User>;
  })
  .extend('set', { scope: 'file' }, ({ succeed }) => async (user: User, setting: User['setting']) => {
    await succeed('limits', user.account, '--cotizar', setting ?? 'no');
    passTime(RECENT.freshMs);
    user.setting = setting;
  })
  .extend('move', { scope: 'file' }, ({ succeed }) => async (name: UserName, user: User, account: string) => {
    await succeed('account', name, account);
    passTime(RECENT.freshMs);
    user.account = account;
  })
  /** Anonymises what was created before a moment. */
  .extend('retain', { scope: 'file' }, ({ stores }) => async (before: number) => {
    for await (const step of guideSteps(stores.mongo, 1_000))
      await anonymiseOlder(stores.mongo, step, new Date(before), new Date());
  })
  /** Leaves guides as a crash does after the commit of their creation: in the journal alone. */
  .extend('cut', { scope: 'file' }, ({ guides, stores }) => async (numbers: string[]) => {
    const creation = `cut-${numbers[0]}`;
    const _id = { $in: numbers };
    const records = (await guides.find({ _id }).toArray()).map((guide) => ({ ...guide, creation }));
    await guides.deleteMany({ _id });
    await stores.mongo
      .collection<{ _id: string; creation: string; openSince: Date; records: GuideDocument[] }>('creations')
      .insertOne({ _id: creation, creation, openSince: new Date(), records });
  });

test.for(ZONES)(
  'usage says what a calculation by hand says, in %s',
  { timeout: 120_000 + 200 * GUIDES },
  async (
    [TIME_ZONE, year],
    { admin, cut, folder, move, retain, set, startApi, stores, succeed, usersOf },
  ) => {
    const random = randomOf(SEED + year);
    const api = await startApi({ TIME_ZONE });
    const calendar = calendarOf(TIME_ZONE);
    const at = (local: string) => calendar.momentOf(`${year}-${local}`);
    const span = (from: string, to: string) => ({ from: at(`${from}T00:00:00`), to: at(`${to}T00:00:00`) });
    const month = (number: string) => `${year}-${number}`;
    const users = await usersOf(api.url);
    const world = new RandomMonth({
      ...{
        mongo: stores.mongo,
        tariffs: api.contextOf(quotes).tariffs,
        random,
        localTime: calendar.localTime,
      },
      ...{ users: Object.values(users), scanner: await Client.login(api.url, 'escaner') },
    });
    const counts: Labels = new Map([
      ['demo', 7],
      ['solo-etiquetas', 3],
    ]);
    const labels = new Map(['09', '10', '11'].map((number) => [month(number), counts]));
    await storeLabels(stores.mongo, labels);

    let files = 0;
    const settings = { TIME_ZONE, MONGODB_URI: stores.mongoUri };
    /** Asks for a month, and compares what is said with the calculation. */
    const audit = async (number: string, said: RegExp, options: AuditOptions = {}) => {
      const { isMeant = isReal, args = [], mongoUri = stores.mongoUri } = options;
      const file = join(folder, `${year}-${files++}.csv`);
      const asked = ['usage', '--month', month(number), '--without-tariff', file, ...args];
      const { code, out, err } = await admin(asked, { ...settings, MONGODB_URI: mongoUri });
      const isOfMonth = (moment: number) => calendar.monthOf(moment) === month(number);
      const guides = world.guides.filter(isMeant);
      const bill = billOf(guides, isOfMonth, isMeant === isReal ? labels.get(month(number)) : undefined);
      const inMonth = (row: string) => `${month(number)},${row}`;
      expect([code, linesOf(out), err], `SEED=${SEED}`).toEqual([
        ...[0, [HEAD, ...rowsOf(bill).map(inMonth)]],
        expect.stringMatching(said),
      ]);
      const list = linesOf(await readFile(file, 'utf8'));
      const listed = withoutTariff(guides, isOfMonth).map(inMonth);
      expect(list.map(withKind), `SEED=${SEED}`).toEqual([LIST_HEAD, ...listed]);
    };

    // September is of 1.8 alone, October of both releases.
    const SEPTEMBER = span('09-01', '10-01');
    await world.loadPlaces({});
    await world.loadTariff(randomTariff(random));
    await world.create(0.08 * GUIDES, SEPTEMBER, { former: 1 });
    await world.cancel(0.05, SEPTEMBER);
    await world.happen(0.2, SEPTEMBER, { former: 1 });
    const OCTOBER = span('10-01', '11-01');
    await world.create(0.15 * GUIDES, OCTOBER, { former: 0.4 });
    await world.happen(0.3, span('10-01', '10-20'), { former: 0.4 });
    await world.happen(0.3, span('10-10', '11-01'), { former: 0.4 });
    await world.cancel(0.1, OCTOBER);

    await killWhileStoring(month('10'), settings);
    await audit('10', CLOSED);

    // In November accounts get settings, a tariff changes and is withdrawn, branches move, and so does a user.
    await set(users.tienda, 'al_crear');
    await set(users.estricta, 'exigir');
    await world.loadTariff(randomTariff(random));
    await world.create(0.2 * GUIDES, span('11-01', '11-06'));
    await world.loadTariff(randomTariff(random));
    await world.create(0.15 * GUIDES, span('11-03', '11-12'));
    await world.withdraw('last');
    await world.create(0.1 * GUIDES, span('11-12', '11-15'));
    await world.happen(0.4, span('11-01', '11-16'));
    await world.loadPlaces(MOVED);
    await move('viajero', users.viajero, 'otro');
    await world.create(0.1 * GUIDES, span('11-15', '11-20'));
    await succeed('privacy', 'erase', '--phone', ERASED_PHONE, '--yes');
    world.forget(({ isErased }) => isErased);
    await retain(at('10-15T00:00:00'));
    world.forget(({ created }) => created < at('10-15T00:00:00'));
    await world.happen(0.4, span('11-10', '11-25'));
    await world.withdraw('all');
    await world.create(0.03 * GUIDES, span('11-20', '11-22'));
    await world.loadUnreadableTariff();
    await world.create(0.03 * GUIDES, span('11-21', '11-23'));
    await world.withdraw('last');
    await world.loadTariff(randomTariff(random));
    await world.create(0.12 * GUIDES, span('11-22', '12-01'));
    await world.happen(0.3, span('11-22', '12-01'));
    await world.cancel(0.15, span('11-01', '12-01'));
    const { status, body } = await users.estricta.client.create([minimalGuide()]);
    expect([status, body.codigo]).toEqual([400, 'cotizacion_requerida']);

    // What is registered in December changes no month before.
    const DECEMBER = span('12-01', '12-20');
    await move('viajero', users.viajero, 'viajero');
    await world.loadTariff(randomTariff(random));
    await world.create(0.04 * GUIDES, span('12-01', '12-05'));
    await world.happen(0.2, DECEMBER);
    await world.cancel(0.1, DECEMBER);

    // November is closed while guides are created, and others of its last moment are not stored yet.
    const lastMoment = Math.max(
      ...world.guides.map(({ created }) => created).filter((when) => when < DECEMBER.from),
    );
    const late = world.guides.filter(({ created }) => created === lastMoment);
    await cut(late.map(({ number }) => number));
    const waits = Promise.withResolvers<void>();
    const proxy = await startMongoProxy(stores.mongoUri, ({ find }) => {
      if (find === 'creations') waits.resolve();
      return 'done';
    });
    onTestFinished(proxy.close);
    const closing = audit('11', CLOSED, { mongoUri: proxy.uri });
    await Promise.race([waits.promise, closing]);
    await Promise.all([
      users.demo.client.create(Array.from({ length: 50 }, () => minimalGuide())),
      finishCut(api.contextOf(guides).journal),
    ]);
    await closing;

    await audit('12', CLOSED);
    const isOfSeptember = (moment: number) => calendar.monthOf(moment) === month('09');
    const september = billOf(world.guides.filter(isReal), isOfSeptember, labels.get(month('09')));
    await storeAs1_8(stores.mongo, month('09'), TIME_ZONE, september);
    for (const number of ['09', '10', '11']) await audit(number, UNCHANGED);

    const isOfOtro = (guide: MadeGuide) => guide.account === 'otro';
    await audit('11', UNCHANGED, { isMeant: isOfOtro, args: ['--account', 'otro'] });
    await audit('11', /^Cuentas de prueba: /, { isMeant: ({ user }) => user.isTest, args: ['--test'] });

    // Each account sees the same, also by day, and so does one whose guides were moved meanwhile.
    for (const user of Object.values(users)) {
      const guides = world.guides.filter((guide) => guide.user.isTest === user.isTest);
      const rowOf = (isMeant: (moment: number) => boolean, labels?: Labels) =>
        rowsOf(billOf(guides, isMeant, labels)).find((row) => row.startsWith(`${user.account},`));
      for (const number of ['09', '10', '11', '12']) {
        const { body } = await user.client.get(`/api/uso?mes=${month(number)}`);
        const { Dias, ...total } = body.data as Seen & { Dias: Seen[] };
        const isOfMonth = (moment: number) => calendar.monthOf(moment) === month(number);
        const wanted = rowOf(isOfMonth, user.isTest ? undefined : labels.get(month(number)));
        expect([number, seenRow(user.account, total)], `SEED=${SEED}`).toEqual([number, wanted]);
        for (const day of number === '11' ? Dias : []) {
          const isOfDay = (moment: number) => calendar.localTime(moment).startsWith(day.Fecha);
          expect([day.Fecha, seenRow(user.account, day)], `SEED=${SEED}`).toEqual([
            day.Fecha,
            rowOf(isOfDay),
          ]);
        }
      }
    }
  },
);

type AuditOptions = {
  isMeant?: (guide: MadeGuide) => boolean;
  args?: string[];
  mongoUri?: string;
};

type Seen = Record<(typeof COLUMNS)[number], number> & { Fecha: string };

/** Returns the figures of an answer as `rowsOf` does; undefined if all are 0. */
function seenRow(account: string, figures: Seen): string | undefined {
  const cells = COLUMNS.map((name) => figures[name]);
  return cells.some((cell) => cell !== 0) ? [account, ...cells].join(',') : undefined;
}

const isReal = ({ user }: MadeGuide) => !user.isTest;

function linesOf(text: string): string[] {
  return text.replace('\ufeff', '').trimEnd().split(/\r?\n/);
}

/** Replaces the words of a row's reason by its kind; which rule of a tariff leaves a guide without a price is not told apart. */
function withKind(row: string): string {
  if (row === LIST_HEAD) return row;
  const [reason = '', ...cells] = row.split(',').reverse();
  return [...cells.reverse(), KINDS[reason] ?? 'tariff'].join(',');
}
const KINDS: Readonly<Record<string, string>> = {
  'se canceló': 'cancelled',
  'un pesaje le dio precio': 'priced',
  'se creó con una versión anterior a la 1.9': 'former',
};

/** The local time of a zone, by the runtime's own tables. */
function calendarOf(timeZone: string) {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const localTime = (moment: number) => format.format(moment).replace(' ', 'T');
  const offsetAt = (moment: number) => Date.parse(`${localTime(moment)}Z`) - moment;
  const momentOf = (local: string) => {
    const utc = Date.parse(`${local}Z`);
    return utc - offsetAt(utc - offsetAt(utc));
  };
  return { localTime, momentOf, monthOf: (moment: number) => localTime(moment).slice(0, 7) };
}

/** Runs the command in a process of its own, which is killed once a part of the month is stored. */
async function killWhileStoring(month: string, settings: { TIME_ZONE: string; MONGODB_URI: string }) {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  let child: ChildProcess | undefined;
  let stored = 0;
  const proxy = await startMongoProxy(settings.MONGODB_URI, ({ insert }) => {
    if (insert !== 'usage' || ++stored === 1) return 'done';
    child?.kill('SIGKILL');
    return 'never done';
  });
  onTestFinished(proxy.close);
  const args = ['services/api/cli.ts', 'usage', '--month', month];
  const env = { PATH, NODE_COMPILE_CACHE, ...settings, MONGODB_URI: proxy.uri };
  child = spawn(process.execPath, args, { env, stdio: 'ignore' });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
}

async function storeLabels(mongo: Connection, labels: ReadonlyMap<string, Labels>): Promise<void> {
  const counts = [...labels].flatMap(([month, ofMonth]) =>
    [...ofMonth].map(([account, count]) => ({ _id: `${month} ${account}`, labels: count })),
  );
  await mongo.collection<{ _id: string }>('labelUsage').insertMany(counts);
}

/** Stores a bill as 1.8 did. */
async function storeAs1_8(mongo: Connection, month: string, timeZone: string, bill: Map<string, Figures>) {
  const rest = { timeZone, at: new Date() };
  const rows = [...bill].map(([account, figures]) => {
    const stored = Object.entries(STORED_BY_1_8).map(([field, column]) => [field, figures[column]]);
    return { _id: `${month} ${account}`, ...Object.fromEntries(stored), ...rest };
  });
  const sum = Object.keys(STORED_BY_1_8).map((field) => [
    field,
    rows.reduce((all, row) => all + row[field], 0),
  ]);
  const usage = mongo.collection<{ _id: string }>('usage');
  await usage.insertMany([...rows, { _id: `${month} `, ...Object.fromEntries(sum), ...rest }]);
}
