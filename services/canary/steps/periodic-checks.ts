import { randomUUID } from 'node:crypto';
import { KINDS, LABEL_KINDS } from '#shared/labels/label-kinds.ts';
import { type Format, MEDIA_TYPES } from '#shared/labels/label-payload.ts';
import { type Customer, UnexpectedAnswer, unexpected } from '../http/customer.ts';
import { lettersIn } from '../reading/label-check.ts';
import type { Reader } from '../reading/reader.ts';
import type { OwnWebhook } from '../webhook/own-webhook.ts';
import { type Clock, requireSameTime } from './clocks.ts';
import { DeliveryCheck, untilWebhookGot } from './delivery.ts';
import type { Destinations } from './destinations.ts';
import { createGuide, type MadeGuide, newGuide, readGuide } from './guides.ts';
import { type Form, printLabel, requireLabel } from './labels.ts';
import { type Login, logIn } from './login.ts';
import { type MakeStep, Skipped } from './steps.ts';
import { DEADLINE_MS } from './time-limits.ts';

/** Steps that are made less often than rounds, by the way of customers. */
export type PeriodicCheck = {
  /** From the start of the canary to the first time, in ms. */
  firstMs: number;
  everyMs: number;
  make: (step: MakeStep) => Promise<unknown>;
};

export type CheckOptions = {
  customer: Customer;
  destinations: Destinations;
  reader: Reader;
  login: Login;
  /** Absent if the canary has no address for it. */
  webhook: OwnWebhook | undefined;
  /** Returns the guide of the last good round; undefined while rounds are bad. */
  goodGuide: () => MadeGuide | undefined;
  /** Returns the clocks behind the ways in. */
  clocks: () => Clock[];
};

const [SECOND, MINUTE] = [1_000, 60_000];
const FORMS = LABEL_KINDS.flatMap((kind) =>
  (Object.keys(MEDIA_TYPES) as Format[]).map((format): Form => ({ kind, format })),
);

/** Returns the checks. They print each kind and format of a label within ten minutes. */
export function periodicChecks(options: CheckOptions): PeriodicCheck[] {
  const { customer, login, clocks } = options;
  const deliveryCheck = new DeliveryCheck(customer);
  const check = (firstMs: number, everyMs: number, make: PeriodicCheck['make']) => ({
    firstMs,
    everyMs,
    make,
  });
  return [
    check(5 * SECOND, 2 * MINUTE, (step) => checkDelivery(step, deliveryCheck, options)),
    check(10 * SECOND, 15 * SECOND, (step) =>
      step('clock', async () => requireSameTime([...clocks(), ...deliveryCheck.clocks])),
    ),
    check(20 * SECOND, 5 * MINUTE, (step) => step('login', () => logIn(customer, login))),
    check(30 * SECOND, 10 * MINUTE, (step) => step('manifest', () => handOver(options))),
    check(40 * SECOND, 10 * MINUTE, (step) => step('cancel', () => cancel(options))),
    ...FORMS.map((form, i) =>
      check((i + 1) * MINUTE, FORMS.length * MINUTE, (step) =>
        step('other-label', () => printForm(form, options), nameOf(form)),
      ),
    ),
  ];
}

/** Delivers a guide, and waits until the webhook got its events too. */
async function checkDelivery(
  step: MakeStep,
  deliveryCheck: DeliveryCheck,
  options: CheckOptions,
): Promise<void> {
  const { customer, webhook } = options;
  const refused = await webhook?.ensure(customer).catch((error: Error) => error);
  const delivered = await step('delivery', async () => deliveryCheck.deliver(await anotherGuide(options)));
  if (webhook)
    await step('webhook', async () => {
      if (refused) throw refused;
      await untilWebhookGot(delivered, webhook);
    });
}

async function handOver(options: CheckOptions): Promise<void> {
  const { customer, reader } = options;
  const { number } = await anotherGuide(options);
  const { data } = await customer.read<{ Manifiesto: string }>({
    path: '/api/manifiestos',
    json: { Guias: [number] },
    headers: { 'idempotency-key': randomUUID() },
    deadlineMs: DEADLINE_MS.write,
  });
  const path = `/api/manifiestos/${data.Manifiesto}/pdf`;
  const print = await customer.send({ path, deadlineMs: DEADLINE_MS.print });
  const { text = '', codes } = await reader.pdf(print.body);
  if (!lettersIn(text).includes(number)) throw unexpected('el manifiesto no dice la guía', print);
  if (!codes.some((code) => code.text === data.Manifiesto))
    throw unexpected('el código del manifiesto no se lee', print);
}

async function cancel(options: CheckOptions): Promise<void> {
  const { customer } = options;
  const guide = await anotherGuide(options);
  const path = `/api/guias/${guide.number}/cancelar`;
  await customer.send({ method: 'POST', path, deadlineMs: DEADLINE_MS.write });
  await readGuide(customer, guide, 'Cancelado');
}

async function printForm(form: Form, { customer, reader, goodGuide }: CheckOptions): Promise<void> {
  const guide = goodGuide();
  if (!guide) throw new Skipped();
  await requireLabel(reader, form, guide, await printLabel(customer, form, guide));
}

/** Names a form as people do: "PNG 10x15". */
function nameOf({ kind, format }: Form): string {
  return `${format.toUpperCase()} ${KINDS[kind].tipo}`;
}

/** Creates a guide for one check. @throws Skipped while that fails, which rounds report */
async function anotherGuide({ customer, destinations, goodGuide }: CheckOptions): Promise<MadeGuide> {
  if (!destinations.known || !goodGuide()) throw new Skipped();
  return createGuide(customer, newGuide(destinations.known)).catch((error) => {
    throw error instanceof UnexpectedAnswer ? new Skipped() : error;
  });
}
