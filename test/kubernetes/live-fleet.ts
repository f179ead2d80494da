import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Kubectl } from './kubectl.ts';

/**
 * A fleet of label workers under a load, modelled in real time. Its workers are the replicas of a real Deployment, whose pods
 * never run, and it answers `/metrics` as the api does. Labels flow like water: the model knows how many there are, not which.
 */

const STEP_MS = 250;
const LOOK_MS = 1_000;
/** What a worker prints in a second. k8s/production/scaling.yaml is set for it. */
const WORKER_LABELS_PER_S = 200;
/** From the order for a pod on a node that has its image to its first label. */
const START_MS = 8_000;
/** Labels that a worker takes at once: 2 × `PRINT_CONCURRENCY` × 25. */
const TAKEN_AT_ONCE = 100;
/** How long a label takes that waits for no other, in seconds. */
const LABEL_S = 0.15;
/** Of services/api/labels/admission.ts: the wait, in seconds, and the labels that are never refused. */
const ADMISSION = { waitS: 6, always: 200 };

export class LiveFleet {
  /** Labels that are asked for in a second. */
  load = 0;
  paused = false;
  /** When labels were refused, or waited for more than a second, for the last time, by `performance.now()`. */
  lateAt = Number.NEGATIVE_INFINITY;
  readonly #kubectl: Kubectl;
  /** When each worker is ready, by `performance.now()`. */
  #workers: number[] = [];
  #wanted = 0;
  #queued = 0;
  #printedPerS = 0;
  #last = performance.now();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' });
    response.end(this.#metrics());
  });

  private constructor(kubectl: Kubectl) {
    this.#kubectl = kubectl;
  }

  static async start(kubectl: Kubectl): Promise<LiveFleet> {
    const fleet = new LiveFleet(kubectl);
    await new Promise<void>((resolve) => fleet.#server.listen(0, '127.0.0.1', resolve));
    await fleet.#look();
    fleet.#timers.push(setInterval(() => fleet.#pass(), STEP_MS));
    fleet.#timers.push(setInterval(() => void fleet.#look().catch(() => {}), LOOK_MS));
    return fleet;
  }

  /** Where its metrics are. */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The Deployment's replicas. */
  get replicas(): number {
    return this.#workers.length;
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#server.close();
  }

  async #look(): Promise<void> {
    const { status } = await this.#kubectl.json<{ status: { replicas?: number } }>(
      'get',
      'deployment',
      'label-worker',
    );
    const replicas = status.replicas ?? 0;
    while (this.#workers.length < replicas) this.#workers.push(performance.now() + START_MS);
    this.#workers.length = replicas;
  }

  get #ready(): number {
    return this.#workers.filter((from) => from <= performance.now()).length;
  }

  /** Lets the time since the last step pass: labels are asked for, admitted or refused, and printed. */
  #pass(): void {
    const now = performance.now();
    const seconds = (now - this.#last) / 1_000;
    this.#last = now;
    const printable = (this.paused ? 0 : this.#ready) * WORKER_LABELS_PER_S;
    const asked = this.load * seconds;
    const room = Math.max(ADMISSION.always, ADMISSION.waitS * this.#printedPerS) - this.#queued;
    const admitted = Math.min(asked, Math.max(0, room + printable * seconds));
    const printed = Math.min(this.#queued + admitted, printable * seconds);
    this.#wanted += asked;
    this.#queued += admitted - printed;
    this.#printedPerS = printed / seconds;
    if (admitted < asked || this.#queued > printable) this.lateAt = now;
  }

  #metrics(): string {
    const inHand = this.#queued + this.#printedPerS * LABEL_S;
    const active = this.paused ? 0 : Math.min(inHand, this.#ready * TAKEN_AT_ONCE);
    return `labels_wanted_total{namespace="guias"} ${this.#wanted}
label_queue_jobs{namespace="guias",state="waiting"} ${inHand - active}
label_queue_jobs{namespace="guias",state="active"} ${active}
label_queue_paused{namespace="guias"} ${Number(this.paused)}
`;
  }
}
