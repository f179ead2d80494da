import { Admission } from '#services/api/labels/admission.ts';
import { placeInLine } from '#services/api/labels/print-line.ts';
import { PrintSlots } from '#services/label-worker/batching/print-slots.ts';
import { WaitingList } from '#services/label-worker/batching/waiting-list.ts';
import { LABEL_TIMEOUT_MS } from '#shared/printing/label-job.ts';
import type { Costs } from './costs.ts';
import { type Clock, Heap } from './events.ts';
import { Machine, type MachineThread, type Thread } from './machine.ts';

/** How a request for a label ended. `failed`: its cell was lost. `late`: it was not printed in time. */
export type End = 'served' | 'refused' | 'failed' | 'late';

/** As the label worker has them (services/label-worker/app.ts). */
const BATCH_LABELS = 25;
const PRINTS = 2;
const JOBS_IN_HAND = 2 * PRINTS * BATCH_LABELS;
/** In ms: the lock of a dead worker's jobs ends, and a search finds them (services/label-worker/queue/label-worker.ts). */
const LOCK_MS = 3_000;
const SEARCH_MS = 1_000;

type Label = {
  account: string;
  api: Api;
  key: string;
  beganAt: number;
  release: () => void;
  /** Called once. */
  end: ((end: End) => void) | undefined;
};
/** What the worker's list needs to know of a label. */
type Job = { label: Label; pages: 1; alone: false; place: number };
type Api = { thread: MachineThread; admission: Admission };
type Worker = {
  thread: MachineThread;
  pages: readonly MachineThread[];
  idlePages: MachineThread[];
  waiting: WaitingList<Job>;
  slots: PrintSlots;
  inHand: Set<Job>;
  isTaking: boolean;
  isDead: boolean;
};

/** `shared`: all processes run on this machine. Otherwise each api and each Redis has a core, and each worker two. */
export type CellOptions = { clock: Clock; costs: Costs; apis: number; workers: number; shared?: Machine };

/**
 * The way of a label through one cell (docs/architecture.md "The way of a label"). Admission, place in line, print slots
 * and batches are the services' own code; times come from `Costs`.
 */
export class Cell {
  readonly #clock: Clock;
  readonly #costs: Costs;
  readonly #apis: Api[];
  readonly #workers: Worker[];
  readonly #redis: MachineThread;
  readonly #database: Thread;
  readonly #queue = new Heap<Job>();
  readonly #unended = new Set<Label>();
  #requests = 0;
  #nextWorker = 0;
  /** Jobs that workers are about to take. */
  #taking = 0;
  #isLost = false;

  constructor({ clock, costs, apis, workers, shared }: CellOptions) {
    this.#clock = clock;
    this.#costs = costs;
    const machine = (cores: number) => shared ?? new Machine(clock, cores);
    this.#redis = machine(1).thread();
    // MongoDB has many threads, and is planned to have enough cores.
    this.#database = shared?.thread() ?? { run: (ms, then) => clock.after(ms, then) };
    this.#apis = Array.from({ length: apis }, () => ({
      thread: machine(1).thread(),
      admission: new Admission(() => clock.now),
    }));
    this.#workers = Array.from({ length: workers }, () => {
      const own = machine(2);
      const pages = Array.from({ length: PRINTS }, () => own.thread());
      return {
        thread: own.thread(),
        pages,
        idlePages: [...pages],
        waiting: new WaitingList<Job>(BATCH_LABELS),
        slots: new PrintSlots(PRINTS),
        inHand: new Set<Job>(),
        isTaking: false,
        isDead: false,
      };
    });
  }

  /** Labels in the queue's Redis. */
  get queued(): number {
    return this.#queue.size;
  }

  get underWay(): number {
    return this.#unended.size;
  }

  /** Time of cores that each part has used, in ms, beside what it has. */
  usage(): Record<string, { usedMs: number; cores: number }> {
    const of = (threads: MachineThread[], cores: number) => ({
      usedMs: threads.reduce((sum, { usedMs }) => sum + usedMs, 0),
      cores,
    });
    return {
      api: of(
        this.#apis.map(({ thread }) => thread),
        this.#apis.length,
      ),
      'Redis of the queue': of([this.#redis], 1),
      'label workers': of(
        this.#workers.flatMap(({ thread, pages }) => [thread, ...pages]),
        2 * this.#workers.length,
      ),
    };
  }

  /** A customer creates the guide of a label. */
  create(): void {
    const api = this.#apis[this.#requests % this.#apis.length];
    if (!this.#isLost) api?.thread.run(this.#costs.create, () => {});
  }

  /** A customer asks for a label that is not printed yet. */
  request(account: string, end: (end: End) => void): void {
    const number = this.#requests++;
    const api = this.#apis[number % this.#apis.length];
    if (!api || this.#isLost) {
      end('failed');
      return;
    }
    const label: Label = {
      account,
      api,
      key: String(number),
      beganAt: this.#clock.now,
      release: () => {},
      end,
    };
    this.#unended.add(label);
    api.thread.run(this.#costs.ask, () => this.#reserve(label));
  }

  killWorker(): void {
    const worker = this.#workers.find(({ isDead }) => !isDead);
    if (!worker) return;
    worker.isDead = true;
    // BullMQ puts them before all others.
    this.#clock.after(LOCK_MS + SEARCH_MS / 2, () => {
      for (const job of worker.inHand) this.#queue.add(0, { ...job, place: 0 });
      for (const _ of worker.inHand) this.#wakeWorker();
    });
  }

  /** Every label that is under way fails, and every later one. */
  lose(): void {
    this.#isLost = true;
    for (const label of this.#unended) this.#end(label, 'failed');
  }

  #end(label: Label, end: End): void {
    this.#unended.delete(label);
    label.end?.(end);
    label.end = undefined;
  }

  #reserve(label: Label): void {
    const { account, api, key } = label;
    try {
      const reservation = api.admission.reserve(account);
      this.#database.run(this.#costs.others, () =>
        api.thread.run(this.#costs.enter, () => {
          try {
            const pagesBefore = api.admission.pagesOf(account);
            const entry = { account, key, pages: 1, maxPages: Number.POSITIVE_INFINITY, reservation };
            label.release = api.admission.admit(entry);
            this.#add(label, pagesBefore);
          } catch {
            this.#end(label, 'refused');
          }
        }),
      );
    } catch {
      this.#end(label, 'refused');
    }
  }

  #add(label: Label, pagesBefore: number): void {
    const place = placeInLine(pagesBefore, false, MORNING_MS + this.#clock.now);
    this.#redis.run(this.#costs.queue, () => {
      this.#queue.add(place, { label, pages: 1, alone: false, place });
      this.#wakeWorker();
    });
  }

  /** Has the next worker that has room take a label. */
  #wakeWorker(): void {
    for (const _ of this.#workers) {
      const worker = this.#workers[this.#nextWorker++ % this.#workers.length];
      if (worker && this.#take(worker)) return;
    }
  }

  /** A worker takes one job after the other. Returns whether it begins to. */
  #take(worker: Worker): boolean {
    const isBusy = worker.isTaking || worker.inHand.size >= JOBS_IN_HAND;
    if (worker.isDead || this.#isLost || isBusy || this.#queue.size <= this.#taking) return false;
    worker.isTaking = true;
    this.#taking++;
    this.#redis.run(this.#costs.queue, () => {
      worker.isTaking = false;
      this.#taking--;
      const job = worker.isDead ? undefined : this.#queue.take()?.value;
      if (!job) {
        this.#wakeWorker(); // another one than the worker that has died
        return;
      }
      worker.inHand.add(job);
      worker.thread.run(this.#costs.render, () => {
        worker.waiting.add(job);
        this.#fillSlots(worker);
      });
      this.#take(worker);
    });
    return true;
  }

  #fillSlots(worker: Worker): void {
    while (!worker.isDead && worker.slots.mayStart(worker.waiting.size, false)) {
      const batch = worker.waiting.takeBatch();
      const page = worker.idlePages.shift();
      if (!page) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const printed = worker.slots.occupy(batch.length, false, () => promise);
      const { fixed, each } = this.#costs.print;
      page.run(fixed + each * batch.length, () => {
        worker.idlePages.push(page);
        resolve();
        for (const job of batch) worker.thread.run(this.#costs.finish, () => this.#finish(worker, job));
        // The slot is free once `printed` has resolved, which the clock must not overtake.
        this.#clock.after(0, () => printed.then(() => this.#fillSlots(worker)));
      });
    }
  }

  #finish(worker: Worker, job: Job): void {
    if (worker.isDead || this.#isLost) return;
    const { label } = job;
    const { api } = label;
    api.admission.finished(1);
    api.thread.run(this.#costs.answer, () => {
      label.release();
      this.#end(label, this.#clock.now - label.beganAt > LABEL_TIMEOUT_MS ? 'late' : 'served');
    });
    this.#redis.run(this.#costs.queue, () => {
      worker.inHand.delete(job);
      this.#take(worker);
    });
  }
}

/** Places count from a moment of the day (`placeInLine`). */
const MORNING_MS = Date.UTC(2026, 0, 1, 10);
