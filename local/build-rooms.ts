import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repoRoot } from './folders.ts';

/** In ms: many times the usual second, for a busy machine. */
const TIMEOUT_MS = 120_000;

/** Builds what the rooms of the api serve, in a process of its own, so that the tools to build leave with it. */
export async function buildRooms(): Promise<void> {
  const program = join(repoRoot, 'services/api/build.ts');
  await promisify(execFile)(process.execPath, [program], { timeout: TIMEOUT_MS });
}
