import { setTimeout as sleep } from 'node:timers/promises';
import { CANARY_TITLE } from '#shared/canary/names.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { MissingHere } from '#shared/stores/dependencies.ts';
import type { ProcessRegistry, ProvenAction } from '#shared/stores/process-registry.ts';

type Request = { path: string; body?: object; signal: AbortSignal };
type Options = {
  /** Sends a request to this process as the canary's user, by POST if it has a body, and reads the whole answer. */
  call: (request: Request) => Promise<{ status: number; bytes: Buffer }>;
  processes: Pick<ProcessRegistry, 'othersSucceed'>;
  log: Pick<Logger, 'warn'>;
};

/** Pause before a step that failed is tried again, in ms. */
const PAUSE_MS = 5_000;
/** Longest wait for an answer, in ms: as long as the slowest label. */
const TIMEOUT_MS = 15_000;

/** Says something of the canary's account or of what is loaded, and nothing of this process. The canary reports it. */
class NothingToTest extends Error {}

/**
 * Creates a guide and prints its label when the process starts, as a customer does (docs/contract.md "Canary"). A process that
 * cannot, while others of its cell can, must not get ready: a rollout would replace good ones by it. If no other can, it gets
 * ready and `degraded`: creations go on without printers, and the first process of an installation has no other.
 */
export class SelfTest {
  readonly #options: Options;
  readonly #end = new AbortController();
  /** What has not succeeded yet; undefined once all has. */
  #step: ProvenAction | undefined = 'create';
  /** Of the last try of the step. */
  #failure: Error | undefined;
  /** Of the guide that was created. */
  #number = '';

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * @throws MissingHere if others of the cell do what this process cannot, or has not tried yet; Error if it cannot, and no
   * other does.
   */
  async requirePassed(): Promise<void> {
    if (this.#failure) throw this.#failure;
    if (this.#step && (await this.#options.processes.othersSucceed(this.#step))) {
      throw new MissingHere('The self-test of this process is not over');
    }
  }

  /** Tries until all has succeeded, or `stop` is called. */
  async run(): Promise<void> {
    const { signal } = this.#end;
    while (this.#step && !signal.aborted) {
      this.#failure = await this.#try(this.#step);
      if (this.#failure) await sleep(PAUSE_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  stop(): void {
    this.#end.abort();
  }

  /** Tries a step, and goes on to the next one if it succeeds. @returns why it failed. */
  async #try(step: ProvenAction): Promise<Error | undefined> {
    // Asked before: the first process that prints after an outage must not take the others out of service.
    const othersSucceed = await this.#options.processes.othersSucceed(step).catch(() => false);
    try {
      await (step === 'create' ? this.#create() : this.#print());
      return undefined;
    } catch (cause) {
      if (cause instanceof NothingToTest) {
        this.#options.log.warn({ err: cause }, 'The self-test ends, because it says nothing of this process');
        this.#step = undefined;
        return undefined;
      }
      const what = `The self-test of this process fails: ${step}`;
      return othersSucceed
        ? new MissingHere(`${what}. Other processes succeed`, { cause })
        : new Error(what, { cause });
    }
  }

  /** A parcel that waits at its branch needs no address. */
  async #create(): Promise<void> {
    const [branch] = dataOf<{ Codigo: string }>(await this.#call('/api/sucursales/destinos'));
    if (!branch) throw new NothingToTest('No branch is a destination');
    const guide = {
      Remitente: { Nombre: CANARY_TITLE },
      Destinatario: { Nombre: 'Prueba de arranque', DestinoCode: branch.Codigo },
      Producto: { Contenido: 'Nada' },
      Creado_por: {},
    };
    const body = { TipoServicio: 'the service', Guia: [guide] };
    const [created] = dataOf<{ SEND_GUIA: string }>(await this.#call('/api/guias/crear', body));
    if (!created) throw new Error('The answer has no guide');
    this.#number = created.SEND_GUIA;
    this.#step = 'print';
  }

  async #print(): Promise<void> {
    const bytes = await this.#call(`/api/guias/etiqueta-pequena/${this.#number}`);
    if (bytes.toString('latin1', 0, 5) !== '%PDF-') throw new Error('The label is no PDF');
    this.#step = undefined;
  }

  /** @throws NothingToTest if the request is refused; Error for any other answer than a success. */
  async #call(path: string, body?: object): Promise<Buffer> {
    const signal = AbortSignal.any([this.#end.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const { status, bytes } = await this.#options.call({ path, ...(body && { body }), signal });
    if (status === 200) return bytes;
    const answer = `${path} answered ${status}: ${bytes.toString('utf8', 0, 500)}`;
    throw status >= 400 && status < 500 ? new NothingToTest(answer) : new Error(answer);
  }
}

function dataOf<Item>(bytes: Buffer): Item[] {
  return (JSON.parse(bytes.toString()) as { data: Item[] }).data;
}
