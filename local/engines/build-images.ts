import { join } from 'node:path';
import { repoRoot } from '../folders.ts';
import { runToEnd } from '../process/run-to-end.ts';
import type { Log } from '../setup-error.ts';
import { home } from './docker-root.ts';

/** Builds every image of docker-compose.yml that is not pulled. @param env the engine's, and that of its images. */
export async function buildImages(env: Record<string, string>, log: Log): Promise<void> {
  log('Building the images…');
  const started = performance.now();
  await runToEnd({
    name: 'docker compose build',
    command: ['docker', 'compose', '--profile', 'operator', '--progress', 'plain', 'build'],
    cwd: repoRoot,
    logFile: join(home, 'build.log'),
    env: { ...process.env, ...env },
  });
  log(`The images are built, after ${Math.round((performance.now() - started) / 1_000)} s.`);
}
