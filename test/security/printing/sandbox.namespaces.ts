import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, inject, it } from 'vitest';

/**
 * Chromium's own sandbox (Chromium, "Linux Sandboxing"): its documents are drawn in processes without network, files
 * or most system calls. It is on where the system allows it, and where not the log says why, once.
 */

type Found = {
  uid: number;
  bytes: number;
  log: { msg: string; reason: string }[];
  renderers: { seccomp: string; ownNetwork: boolean }[];
};

/** Runs the worker's browser below these commands, each of which runs the next. */
const printOnce = (...below: string[]) => run(below);
/** The same with `CHROMIUM_SANDBOX=required`. */
const printInSandbox = (...below: string[]) => run(below, 'required');

async function run(below: string[], ...options: string[]): Promise<Found> {
  const [program = '', ...args] = [
    ...below,
    process.execPath,
    'test/security/printing/print-once.ts',
    inject('chromiumPath'),
    ...options,
  ];
  const { stdout } = await promisify(execFile)(program, args, { timeout: 60_000 });
  return JSON.parse(stdout);
}

/** As a user who is not root, in a user namespace where that is nobody else; it may make more namespaces. */
const AS_USER = ['unshare', '--user', '--map-user=1000', '--map-group=1000'];
/** The same where that one namespace is all that the system allows. */
const NO_MORE_NAMESPACES = [
  'unshare',
  '--user',
  '--map-root-user',
  'sh',
  '-c',
  'echo 1 >/proc/sys/user/max_user_namespaces && exec "$0" "$@"',
];

describe('the sandbox of the browser that prints', () => {
  it('is on for a user, and nothing need be said', async () => {
    const { uid, bytes, log, renderers } = await printOnce(...AS_USER);
    expect([uid, log]).toEqual([1_000, []]);
    expect(bytes).toBeGreaterThan(500);
    expect(renderers.length).toBeGreaterThan(0);
    for (const renderer of renderers) expect(renderer).toEqual({ seccomp: '2', ownNetwork: true });
  });

  it('is off where the system allows no namespaces, and the log says why, once', async () => {
    const { uid, bytes, log, renderers } = await printOnce(...NO_MORE_NAMESPACES, ...AS_USER);
    expect([uid, log]).toEqual([
      1_000,
      [
        expect.objectContaining({
          msg: 'Chromium runs without its sandbox',
          reason: expect.stringMatching(/^No usable sandbox!/),
        }),
      ],
    ]);
    expect(bytes).toBeGreaterThan(500);
    for (const { ownNetwork } of renderers) expect(ownNetwork).toBe(false);
  });

  it.each([
    ['the system allows no namespaces', [...NO_MORE_NAMESPACES, ...AS_USER], 'No usable sandbox!'],
    ['the worker is root', ['unshare', '--user', '--map-root-user'], 'Running as root without --no-sandbox'],
  ])('is refused to be left out where it is required and %s', async (_, below, reason) => {
    const start = printInSandbox(...below);
    await expect(start).rejects.toThrow(
      `Chromium has no sandbox here, and CHROMIUM_SANDBOX=required demands it. Chromium says: ${reason}`,
    );
    await expect(start).rejects.toThrow('the seccomp profile k8s/chromium-seccomp.json');
    await expect(start).rejects.toThrow('CHROMIUM_SANDBOX=auto prints without the sandbox.');
  });
});
