import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Labels, resize, Scrapes, WORKER_LABELS_PER_S } from '#test/ops/scaling/fleet.ts';
import type { Kubectl } from '../kubectl.ts';

/** The fleet of test/ops/scaling in real time: its workers are the replicas of a real Deployment, whose pods never run. */

const STEP_MS = 250;
const LOOK_MS = 1_000;

export class LiveFleet {
  /** Labels that are asked for in a second. */
  load = 0;
  paused = false;
  /** When labels were refused, or waited for more than a second, for the last time, by `performance.now()`. */
  lateAt = Number.NEGATIVE_INFINITY;
  readonly #labels = new Labels();
  readonly #kubectl: Kubectl;
  #workers: number[] = [];
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
    this.#workers = resize(this.#workers, status.replicas ?? 0, performance.now() / 1_000);
  }

  get #ready(): number {
    return this.#workers.filter((from) => from <= performance.now() / 1_000).length;
  }

  #pass(): void {
    const now = performance.now();
    const seconds = (now - this.#last) / 1_000;
    this.#last = now;
    const ready = this.paused ? 0 : this.#ready;
    const refused = this.#labels.pass(seconds, this.load * seconds, ready, true);
    if (refused > 0 || this.#labels.queued > ready * WORKER_LABELS_PER_S) this.lateAt = now;
  }

  #metrics(): string {
    const scrapes = new Scrapes();
    this.#labels.scrape(scrapes, 0, this.#ready, { paused: this.paused, redis: true });
    const lines = scrapes.series.map(({ name, labels, samples }) => {
      const pairs = Object.entries(labels).map(([key, value]) => `${key}="${value}"`);
      return `${name}{${pairs.join(',')}} ${samples[0]?.value}`;
    });
    return `${lines.join('\n')}\n`;
  }
}
