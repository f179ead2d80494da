import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** Longest time for a command, in ms. */
const COMMAND_TIMEOUT_MS = 600_000;

export type Pod = {
  metadata: { name: string; uid: string; labels: Record<string, string> };
  spec: { containers: { name: string; resources: { limits?: Record<string, string> } }[] };
  status: {
    phase: string;
    conditions?: { type: string; status: string }[];
    containerStatuses?: { name: string; ready: boolean; restartCount: number }[];
  };
};

/** `kubectl` in one namespace of the cluster of `KUBECONFIG`. */
export class Kubectl {
  readonly #namespace: string;

  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  /** Returns what the command prints. @throws with its errors when it fails. */
  run(...args: string[]): Promise<string> {
    return this.pipe('', ...args);
  }

  /** Runs a command that reads this from standard input. */
  async pipe(input: string, ...args: string[]): Promise<string> {
    const command = ['--namespace', this.#namespace, ...args];
    const child = spawn('kubectl', command, { timeout: COMMAND_TIMEOUT_MS });
    child.stdin.on('error', () => {}); // a command that fails at once reads nothing
    child.stdin.end(input);
    const ended = new Promise((resolve) => child.once('close', resolve));
    const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    if ((await ended) !== 0) throw new Error(`kubectl ${args.join(' ')} failed:\n${errors}${out}`);
    return out.trim();
  }

  async json<T>(...args: string[]): Promise<T> {
    return JSON.parse(await this.run(...args, '--output', 'json')) as T;
  }

  /** Returns the pods that are there, of an app or all, without those of jobs that are done. */
  async pods(app?: string): Promise<Pod[]> {
    const selector = app ? ['--selector', `app.kubernetes.io/name=${app}`] : [];
    const { items } = await this.json<{ items: Pod[] }>('get', 'pods', ...selector);
    return items.filter(({ status }) => status.phase !== 'Succeeded');
  }

  /** Waits until as many pods run as asked for, all of them ready. @throws with all pods' states after the time. */
  async rolledOut(kind: 'deployment' | 'statefulset', name: string, seconds = 240): Promise<void> {
    try {
      await this.run('rollout', 'status', `${kind}/${name}`, `--timeout=${seconds}s`);
    } catch (cause) {
      throw new Error(`${name} is not ready after ${seconds} s:\n${await this.run('get', 'pods')}`, {
        cause,
      });
    }
  }
}
