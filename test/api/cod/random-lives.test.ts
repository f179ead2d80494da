import { Registry } from 'prom-client';
import { expect, vi } from 'vitest';
import { storedFollower } from '#services/api/cod/follow-events.ts';
import { Ledger } from '#services/api/cod/ledger.ts';
import { asPaid, pay, takeBack } from '#services/api/cod/remittances.ts';
import { GuideStore } from '#services/api/guides/guide-store.ts';
import { EventRegister } from '#services/api/tracking/event-register.ts';
import { COD_COLLECTIONS, type Collected } from '#shared/cod/collection-model.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { GUIDES, type GuideDocument } from '#shared/guides/guide-model.ts';
import { EventLog } from '#shared/tracking/event-log.ts';
import type { EventBody } from '#shared/tracking/event-model.ts';
import { minimalGuide } from '#test/fixtures/client.ts';
import { seeded } from '#test/fixtures/labels/random-labels.ts';
import { test } from '#test/fixtures/stores.ts';

/** The money of many random lives of parcels, beside a sum that knows nothing of ledgers. `LIVES=10000` takes minutes. */

vi.setConfig({ testTimeout: 300_000 });

const LIVES = Number(process.env.LIVES ?? 1_000);
const SEED = Number(process.env.SEED ?? 1);
const EVENTS_AT_ONCE = 300;
const ACCOUNTS = ['uno', 'dos', 'tres'];
const CREATED = new Date(Date.now() - 3_600_000);

type Life = { guide: GuideDocument; told: EventBody[]; due: bigint };

test(`the carrier owes what the events of ${LIVES} lives say, to the centavo, whatever was paid and taken back`, async ({
  stores: { mongo },
}) => {
  const random = seeded(SEED);
  const below = (count: number) => Math.floor(random() * count);
  const any = <T>(all: readonly T[]) => all[below(all.length)] as T;
  const lives = Array.from({ length: LIVES }, (_, i) => newLife(i, below, any));
  await mongo.collection<GuideDocument>(GUIDES.name).insertMany(lives.map(({ guide }) => guide));

  const [log, guides, ledger] = [new EventLog(mongo), new GuideStore(mongo), new Ledger(mongo)];
  const followers = [storedFollower(mongo)];
  const adjustersOf = async () => new Map();
  // Two processes, between which a scanner's events are mixed.
  const registers = [0, 1].map(
    () => new EventRegister({ log, guides, adjustersOf, followers }, new Registry(), () => {}),
  );
  const all = shuffled(
    lives.flatMap(({ guide, told }) => told.map((event) => ({ account: guide.account, event }))),
    below,
  );
  const made = new Set<string>();
  let until = CREATED.getTime();
  const payAny = async () => {
    for (const account of ACCOUNTS) {
      until += 1;
      // Whatever has happened by now: in a test nothing is older.
      const payment = await pay(ledger, account, new Date(Date.now() + 86_400_000 + until));
      if ('remittance' in payment) made.add(payment.remittance.number);
    }
    const [number] = shuffled([...made], below);
    if (number !== undefined && below(3) === 0) await takeBack(ledger, number);
  };
  for (let from = 0; from < all.length; from += EVENTS_AT_ONCE) {
    const some = all.slice(from, from + EVENTS_AT_ONCE);
    // A tenth is told twice.
    const told = [...some, ...some.filter(() => below(10) === 0)];
    const verdicts = await Promise.all(
      told.map(({ account, event }) => tell(any(registers), account, event)),
    );
    expect(verdicts.filter((verdict) => typeof verdict !== 'string')).toEqual([]);
    await payAny();
  }

  for (const account of ACCOUNTS) {
    const own = lives.filter(({ guide }) => (guide.createdFor ?? guide.account) === account);
    const collected = own.reduce((sum, { due }) => sum + due, 0n);
    const remittances = asPaid(await ledger.remittances(account));
    const paid = remittances.filter(({ takenBackAt }) => !takenBackAt);
    const sum = paid.reduce((total, { amount }) => total + BigInt(amount), 0n);
    const { balance, number } = await ledger.end(account);
    expect([account, BigInt(balance)]).toEqual([account, collected - sum]);
    // Every movement is in one remittance at most, and their sums are what was paid.
    const seen = new Set<number>();
    for (const { ranges, amount, movements } of paid) {
      let [total, count] = [0, 0];
      for await (const some of ledger.movements(account, ranges, 5_000)) {
        for (const movement of some) {
          expect(seen.has(movement.number)).toBe(false);
          seen.add(movement.number);
          total += movement.amount;
          count++;
        }
      }
      expect([total, count]).toEqual([amount, movements]);
    }
    expect(number).toBeGreaterThan(seen.size);
  }
  const collections = mongo.collection<Collected>(COD_COLLECTIONS.name);
  const sums = new Map(
    (await collections.find().toArray()).map(({ _id, collected }) => [_id, BigInt(collected)]),
  );
  for (const { guide, due } of lives)
    expect([guide._id, sums.get(guide._id) ?? 0n]).toEqual([guide._id, due]);
});

/** As a scanner does: tells an event again until it knows what became of it. */
async function tell(register: EventRegister, account: string, event: EventBody): Promise<unknown> {
  try {
    return await register.add(account, event, 'escaner');
  } catch (error) {
    if (!(error instanceof DomainError && error.code === 'events-unknown')) throw error;
    return tell(register, account, event);
  }
}

function newLife(i: number, below: (count: number) => number, any: <T>(all: readonly T[]) => T): Life {
  const number = String(100_000_000_000 + i);
  const account = any(ACCOUNTS);
  const centavos = 1 + below(5_000_000);
  const hasCod = below(5) > 0;
  const guide = {
    ...{ _id: number, creation: `c${i}`, username: 'tienda', account },
    ...(below(10) === 0 && { createdFor: any(ACCOUNTS) }),
    ...{ createdAt: '2026-11-21T05:05:10', createdUtc: CREATED, status: 'Documentado', service: 'Domicilio' },
    origin: { code: 'MEX01', name: 'México' },
    destination: { code: 'MTY01', name: 'Monterrey' },
    ...{ freight: 0, total: 0 },
    guide: { ...minimalGuide(), ...(hasCod && { Cobro: { Monto: centavos / 100 } }) },
  } as GuideDocument;
  let due = 0n;
  const told: EventBody[] = [];
  const add = (event: Partial<EventBody> & Pick<EventBody, 'Tipo'>) => {
    const Ocurrido = new Date(CREATED.getTime() + told.length * 1_000).toISOString();
    told.push({ Guia: number, Id: `${i}-${told.length}`, Ocurrido, ...event });
  };
  add({ Tipo: 'Recolectado' });
  for (let payments = below(4); payments > 0; payments--) {
    const amount = below(3) === 0 ? centavos : 1 + below(99_999_999);
    const Id = `${i}-pago-${payments}`;
    add({ Tipo: 'Entregado', Id, Cobrado: { Monto: amount / 100, Medio: any(['efectivo', 'tarjeta']) } });
    if (below(3) === 0) add({ Tipo: 'Anulacion', Anula: Id });
    else due += BigInt(amount);
  }
  if (below(6) === 0) add({ Tipo: 'Devuelto', Motivo: 'rechazado' });
  return { guide, told, due };
}

function shuffled<T>(all: readonly T[], below: (count: number) => number): T[] {
  const mixed = [...all];
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = below(i + 1);
    [mixed[i], mixed[j]] = [mixed[j] as T, mixed[i] as T];
  }
  return mixed;
}
