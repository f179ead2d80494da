import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { repoRoot } from '#local/folders.ts';

/** The compiler takes some seconds of both cores, and minutes on busy ones. */
const COMPILE_MS = 300_000;

test('npm run check: types and lint', { timeout: COMPILE_MS }, async () => {
  const said = await promisify(execFile)('npm', ['run', '--silent', 'check'], { cwd: repoRoot }).then(
    () => '',
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );
  expect(said).toBe('');
});
