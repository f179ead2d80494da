import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { repoRoot } from '#local/folders.ts';

const run = promisify(execFile);

/** Longest time for a command, in ms: building all images from nothing takes minutes. */
const COMMAND_TIMEOUT_MS = 900_000;

export type Container = { id: string; service: string };

/** A Compose project of a name of its own: its containers, networks and volumes are nobody else's. */
export class ComposeProject {
  readonly name: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(name: string, env: Record<string, string> = {}) {
    this.name = name;
    this.#env = { ...process.env, COMPOSE_PROJECT_NAME: name, ...env };
  }

  /** The environment in which `docker compose` means this project. */
  get env(): NodeJS.ProcessEnv {
    return this.#env;
  }

  /** Returns this project with other variables for docker-compose.yml. */
  with(variables: Record<string, string>): ComposeProject {
    return new ComposeProject(this.name, { ...(this.#env as Record<string, string>), ...variables });
  }

  /** Runs `docker compose`. @throws with its output when it fails. */
  compose(...args: string[]): Promise<string> {
    return this.docker('compose', '--progress', 'plain', ...args);
  }

  async docker(...args: string[]): Promise<string> {
    const options = { cwd: repoRoot, env: this.#env, timeout: COMMAND_TIMEOUT_MS, maxBuffer: 2 ** 26 };
    const { stdout } = await run('docker', args, options);
    return stdout.trim();
  }

  /** Returns a secret of docker-compose.yml, such as `canary/key`. */
  secret(path: string): Promise<string> {
    return this.compose('run', '--rm', '--no-deps', '-T', 'secrets', 'cat', `/secrets/${path}`);
  }

  /** Runs a script of the repository, as an operator does. @throws with its output when it fails. */
  async script(path: string): Promise<string> {
    const options = { cwd: repoRoot, env: this.#env, timeout: COMMAND_TIMEOUT_MS, maxBuffer: 2 ** 26 };
    return (await run('sh', [path], options)).stdout;
  }

  /** Returns the containers that run. */
  async containers(...services: string[]): Promise<Container[]> {
    const lines = await this.compose('ps', '--format', '{{.ID}} {{.Service}}', ...services);
    return lines
      .split('\n')
      .filter(Boolean)
      .map((line) => {
        const [id = '', service = ''] = line.split(' ');
        return { id, service };
      });
  }

  /** Returns what the engine says of a container, such as `{{.State.Health.Status}}`. */
  inspect({ id }: Pick<Container, 'id'>, format: string): Promise<string> {
    return this.docker('inspect', '--format', format, id);
  }

  /**
   * Kills a container's first process, as a crash does. `docker kill` would count as a stop by hand, after which the
   * engine does not restart it.
   */
  async crash(container: Container): Promise<void> {
    const pid = await this.inspect(container, '{{.State.Pid}}');
    const alone = ['--rm', '--network', 'none', '--pid', 'host', '--privileged', '--user', '0'];
    await this.docker('run', ...alone, '--entrypoint', 'sh', 'guias/setup:local', '-c', `kill -9 ${pid}`);
  }

  /** Returns how many times the engine has restarted it. */
  async restarts(container: Container): Promise<number> {
    return Number(await this.inspect(container, '{{.RestartCount}}'));
  }

  /** Returns what is left of this project, by name: containers, networks and volumes. */
  async remains(): Promise<string[]> {
    const label = ['--filter', `label=com.docker.compose.project=${this.name}`];
    const lists = await Promise.all([
      this.docker('ps', '--all', '--format', '{{.Names}}', ...label),
      this.docker('network', 'ls', '--format', '{{.Name}}', ...label),
      this.docker('volume', 'ls', '--format', '{{.Name}}', ...label),
    ]);
    return lists.flatMap((list) => list.split('\n')).filter(Boolean);
  }
}
