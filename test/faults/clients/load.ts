import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { Client, type CreatedGuide, minimalGuide } from '#test/fixtures/client.ts';

/** An answer that takes longer counts as hanging, in ms: every timeout of the service is shorter. */
const HANG = 15_000;
/** Pause before a refused request is retried, in ms. */
const AGAIN = 100;
/** Interval between newcomers, in ms. */
const NEWCOMER = 250;
/** Longest time that a test waits for a condition, in ms: twice as long as an api uses the branches that it knows. */
const PATIENCE = 120_000;

/** Branches by postal code (docs/contract.md "Demo data"); no branch covers the last one. */
const PLACES: readonly [string, string | undefined][] = [
  ['06600', 'MEX01'],
  ['64000', 'MTY01'],
  ['44100', 'GDL01'],
  ['72000', 'PUE01'],
  ['99999', undefined],
];

export type What = 'create' | 'label';

/** The outcome of one request; times in ms of `performance.now()`. */
export type Answer = {
  what: What;
  /** HTTP status, or why there is none: the connection was refused or cut, or the request timed out. */
  status: number | 'refused' | 'cut' | 'hang';
  from: number;
  until: number;
  /** What is wrong with the answer, if anything. */
  wrong?: string | undefined;
};

type Reply = { status: Answer['status']; retryAfter?: string | undefined; body: Buffer };
/** `again`: the request was refused and may be retried. */
type Verdict<T> = { value?: T; again?: boolean; wrong?: string };

/**
 * Simulates customers, each of whom creates a guide, gets its label, and starts over. Refused requests are retried until
 * they are served, creations with the same Idempotency-Key. Newcomers do so once, at a fixed rate, even while all
 * customers wait. Every answer is checked and kept.
 */
export class Load {
  readonly answers: Answer[] = [];
  /** Guide numbers by Idempotency-Key; the guide carries its key as content. */
  readonly acknowledged = new Map<string, Set<string>>();
  readonly #url: string;
  readonly #token: string;
  readonly #agent = new Agent({ connections: null });
  readonly #customers: Promise<unknown>;
  #stopped = Number.POSITIVE_INFINITY;
  #answered = Promise.withResolvers<void>();

  private constructor(url: string, token: string, customers: number) {
    this.#url = url;
    this.#token = token;
    this.#customers = Promise.all([
      ...Array.from({ length: customers }, () => this.#customer()),
      this.#newcomers(),
    ]);
  }

  /** @param options.token by default, that of the user `demo`. */
  static async start(url: string, options: { customers?: number; token?: string } = {}): Promise<Load> {
    const token = options.token ?? (await Client.login(url)).token;
    return new Load(url, token, options.customers ?? 8);
  }

  /** Resolves when every customer has been served, so that the outcome of each request is known. */
  async stop(): Promise<void> {
    this.#stopped = performance.now();
    await this.#customers;
    await this.#agent.close();
  }

  of(what: What, status?: Answer['status']): Answer[] {
    return this.answers.filter((one) => one.what === what && (!status || one.status === status));
  }

  /** Waits for `count` answers of this kind to requests that are sent from now on. */
  async waitForStatus(what: What, status: Answer['status'] = 200, count = 1): Promise<void> {
    const now = performance.now();
    while (this.of(what, status).filter(({ from }) => from >= now).length < count) {
      if (performance.now() > now + PATIENCE) throw new Error(`No ${what} with ${status} for two minutes`);
      await Promise.race([this.#answered.promise, sleep(1_000)]);
    }
  }

  async #customer(): Promise<void> {
    while (this.#stopped === Number.POSITIVE_INFINITY) await this.#shop();
  }

  async #newcomers(): Promise<void> {
    const newcomers: Promise<void>[] = [];
    while (this.#stopped === Number.POSITIVE_INFINITY) {
      newcomers.push(this.#shop(0));
      await sleep(NEWCOMER);
    }
    await Promise.all(newcomers);
  }

  /** @param patience after the first refusal, in ms. */
  async #shop(patience = Number.POSITIVE_INFINITY): Promise<void> {
    const [postalCode, place] = PLACES[Math.floor(Math.random() * PLACES.length)] ?? ['', undefined];
    const number = await this.#create(patience, postalCode, place);
    if (number) await this.#label(patience, number);
  }

  /** @returns the guide's number, if it was created. */
  #create(patience: number, postalCode: string, place: string | undefined): Promise<string | undefined> {
    const key = randomUUID();
    const numbers = new Set<string>();
    this.acknowledged.set(key, numbers);
    const guide = { ...minimalGuide({ CodigoPostal: postalCode }), Producto: { Contenido: key } };
    const body = JSON.stringify({ TipoServicio: 'Domicilio', Guia: [guide] });
    return this.#untilServed(patience, 'create', '/api/guias/crear', { key, body }, (reply) => {
      const { codigo, message, data } = JSON.parse(reply.body.toString()) as {
        codigo?: string;
        message: string;
        data: CreatedGuide[];
      };
      if (reply.status === 400 && !place) return codigo === 'sin_cobertura' ? {} : { wrong: message };
      const [created] = data ?? [];
      if (reply.status !== 200 || !created) return { wrong: `${postalCode}: ${message}` };
      numbers.add(created.SEND_GUIA);
      if (numbers.size > 1) return { wrong: `two numbers for one key: ${[...numbers]}` };
      if (created.SEND_SUCU_DEST !== place)
        return { wrong: `${postalCode} goes to ${created.SEND_SUCU_DEST}` };
      return { value: created.SEND_GUIA };
    });
  }

  #label(patience: number, number: string): Promise<unknown> {
    return this.#untilServed(patience, 'label', `/api/guias/etiqueta/${number}`, undefined, (reply) => {
      const text = reply.body.toString('latin1');
      if (reply.status === 500 && /"etiqueta_(fallida|tardia)"/.test(text)) return { again: true };
      if (reply.status !== 200) return { wrong: text };
      // The title of its PDF, as UTF-16.
      const title = Buffer.from(number, 'utf16le').swap16().toString('hex');
      if (text.startsWith('%PDF-') && text.includes(title)) return { value: true };
      const begins = JSON.stringify(text.slice(0, 60));
      return { wrong: `not the label of ${number}: ${reply.body.length} bytes that begin with ${begins}` };
    });
  }

  async #untilServed<T>(
    patience: number,
    what: What,
    path: string,
    creation: { key: string; body: string } | undefined,
    judge: (reply: Reply) => Verdict<T>,
  ): Promise<T | undefined> {
    const began = performance.now();
    for (;;) {
      const from = performance.now();
      const reply = await this.#send(path, creation);
      const { value, again, wrong } = judgeRefusal(reply) ?? judge(reply);
      this.answers.push({ what, status: reply.status, from, until: performance.now(), wrong });
      this.#answered.resolve();
      this.#answered = Promise.withResolvers();
      const end = Math.min(began + patience, this.#stopped + PATIENCE);
      if (!again || performance.now() > end) return value;
      await sleep(AGAIN);
    }
  }

  async #send(path: string, creation?: { key: string; body: string }): Promise<Reply> {
    try {
      const { statusCode, headers, body } = await request(this.#url + path, {
        dispatcher: this.#agent,
        signal: AbortSignal.timeout(HANG),
        headers: { authorization: `Bearer ${this.#token}` },
        ...(creation && {
          method: 'POST',
          headers: {
            authorization: `Bearer ${this.#token}`,
            'content-type': 'application/json',
            'idempotency-key': creation.key,
          },
          body: creation.body,
        }),
      });
      const retryAfter = headers['retry-after']?.toString();
      return { status: statusCode, retryAfter, body: Buffer.from(await body.arrayBuffer()) };
    } catch (error) {
      const { name, code } = error as { name: string; code?: string };
      const status = name === 'TimeoutError' ? 'hang' : code === 'ECONNREFUSED' ? 'refused' : 'cut';
      return { status, body: Buffer.alloc(0) };
    }
  }
}

/** Outcomes that any request may have while a part is down. */
function judgeRefusal({ status, retryAfter, body }: Reply): Verdict<never> | undefined {
  if (status === 'hang') return { again: true, wrong: `no answer within ${HANG} ms` };
  if (status === 'cut' || status === 'refused') return { again: true };
  if (status !== 503) return undefined;
  // The customer repeats with the same key, which is right whatever became of the guide.
  if (body.includes('"resultado_desconocido"')) return { again: true };
  const right = retryAfter && /"(servicio_no_disponible|saturado)"/.test(body.toString());
  return right ? { again: true } : { again: true, wrong: `503 without its code or Retry-After: ${body}` };
}
