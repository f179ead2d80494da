import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { parseStatus, type Status } from '#local/drill/status-page.ts';
import { repoRoot } from '#local/folders.ts';
import { freePort } from '#local/process/free-port.ts';
import { type OwnedProcess, startProcess } from '#local/process/owned-process.ts';
import { serviceSettings } from '#local/system.ts';
import { ensureCanaryAccount } from '#services/api/canary/ensure-account.ts';
import { buildDashboard } from '#services/dashboard/app.ts';
import { DashboardConfig } from '#services/dashboard/config.ts';
import { loadConfig } from '#shared/config/load-config.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { Visitor } from '#test/fixtures/dashboard/visitor.ts';
import { test as systemTest } from '#test/fixtures/system.ts';
import { keepFigures } from '../clients/under-load.ts';
import type { Closer } from '../system/servers.ts';

/** Ways in of all canaries of a file together: each may be tried as often as one canary tries its ways. */
const WAYS = 60;
/** Pause between two looks at "Estado", in ms: a dozen dashboards and proxies share this process. */
const LOOK_MS = 1_000;
/** Until a canary has had its first round, the slowest one: several start at once. */
export const STARTED = { timeout: 180_000, interval: LOOK_MS };

/** On a machine that has more to do, something is always late. */
export const SERVED = /^El cliente de prueba (?:hizo|espera demasiado)/;

/**
 * Within how many seconds "Estado" says a fault, and no more says it after its end. `isOneOfSeveral`: other faults may keep
 * customers from being served then.
 */
export type Promised = { saidS: number; goneS: number; isOneOfSeveral?: true };
const USUAL: Promised = { saidS: 30, goneS: 45 };

/** One canary, and the "Estado" of a dashboard that asks it. */
export type Watch = {
  read(): Promise<Status>;
  canary: OwnedProcess;
  port: number;
};

/** Tests with the real processes, and canaries of which each goes by a way of its own. */
export const test = systemTest
  .extend('hasCanary', true)
  .extend('room', { scope: 'file' }, async ({ stores, secrets, system }) => {
    const { key, password } = secrets.canary;
    await ensureCanaryAccount(stores.mongo, { key, password, cell: '', ways: WAYS });
    return system;
  })
  /** What is closed after the file, the last one first. */
  .extend('closers', { scope: 'file' }, ({}, { onCleanup }) => {
    const closers: Closer[] = [];
    onCleanup(async () => {
      for (const close of closers.reverse()) await close();
    });
    return closers;
  })
  /** Starts a dashboard that asks the canary at an address. */
  .extend('estadoOf', { scope: 'file' }, ({ room, closers }) => {
    return async (canaryUrl: string) => {
      const settings = { ...withoutFiles(room.environments.dashboard), CANARY_URL: canaryUrl };
      const config = loadConfig(DashboardConfig, settings);
      const server = await buildDashboard(config, createLogger('dashboard', 'silent'));
      closers.push(() => server.close());
      await server.startup.done;
      const operator = await Visitor.operator(await server.listen({ host: '127.0.0.1', port: 0 }));
      return async () => {
        const { status, text } = await operator.page('/');
        return parseStatus(status, text);
      };
    };
  })
  /** Starts a canary that goes by a way, and waits until it has had a good round. */
  .extend('watch', { scope: 'file' }, ({ room, folder, estadoOf, closers }) => {
    return async (
      name: string,
      settings: NodeJS.ProcessEnv,
      dashboardAsks?: (port: number) => Promise<string>,
    ): Promise<Watch> => {
      const port = await freePort();
      // An account has five webhooks: the system's own canary has one.
      const { CANARY_URL: _, ...usual } = room.environments.canary;
      const canary = startProcess({
        name: `canary of ${name}`,
        command: [process.execPath, join(repoRoot, 'services/canary/main.ts')],
        env: { ...process.env, ...usual, PORT: String(port), ...settings },
        logFile: join(folder, `canary-${port}.log`),
      });
      closers.push(() => canary.stop());
      const read = await estadoOf((await dashboardAsks?.(port)) ?? `http://127.0.0.1:${port}`);
      await vi.waitFor(async () => expect((await read()).customer).toMatch(SERVED), STARTED);
      return { read, canary, port };
    };
  })
  /** Starts one more api, with other settings. @returns its port. */
  .extend('startApi', { scope: 'file' }, ({ room, folder, systemOptions, closers }) => {
    return async (settings: Partial<Record<'mongoUri' | 'labelCacheUrl' | 'redisPrefix', string>>) => {
      const port = await freePort();
      const options = { ...systemOptions, ...settings };
      const api = startProcess({
        name: `api ${port}`,
        command: [process.execPath, join(repoRoot, 'services/api/main.ts')],
        env: { ...process.env, ...serviceSettings(options, room.addresses).api, PORT: String(port) },
        logFile: join(folder, `api-${port}.log`),
        stopTimeoutMs: 25_000,
      });
      closers.push(() => api.stop());
      const isAlive = async () =>
        expect((await fetch(`http://127.0.0.1:${port}/health/live`)).status).toBe(200);
      await vi.waitFor(isAlive, STARTED);
      return port;
    };
  });

export const portOf = (url: string) => Number(new URL(url).port);

/** A secret is the path of its file, `…_FILE`: other settings stay as they are. */
function withoutFiles(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const entries = Object.entries(environment).map(([name, value = '']) =>
    name.endsWith('_FILE')
      ? [name.slice(0, -'_FILE'.length), readFileSync(value, 'utf8').trim()]
      : [name, value],
  );
  return Object.fromEntries(entries);
}

/**
 * Causes a fault, waits until "Estado" says so, ends it, and waits until a customer is served again. Keeps both times.
 * @param cause returns what ends the fault.
 * @param says how a line of "Estado" reads then, usually its first one.
 */
export async function isSaid(
  { read }: Pick<Watch, 'read'>,
  fault: string,
  says: RegExp,
  cause: () => Promise<() => unknown> | (() => unknown),
  { saidS, goneS, isOneOfSeveral }: Promised = USUAL,
): Promise<void> {
  const sayingOf = ({ customer, lines }: Status) => [customer, ...lines].find((text) => says.test(text));
  const begin = performance.now();
  const end = await cause();
  const words = await until(read, sayingOf, begin, saidS);
  const said = performance.now();
  await end();
  const ended = performance.now();
  const isOver = (status: Status) =>
    !sayingOf(status) && (isOneOfSeveral ? status.customer : SERVED.exec(status.customer)?.[0]);
  await until(read, isOver, ended, goneS);
  const seconds = (from: number, to: number) => Math.round((to - from) / 100) / 10;
  keepFigures({ fault, saidS: seconds(begin, said), words, goneS: seconds(ended, performance.now()) });
}

/** Reads "Estado" until it has something. @returns that. @throws Error with its first line if it has not in time. */
async function until(
  read: Watch['read'],
  has: (status: Status) => string | false | undefined,
  from: number,
  withinS: number,
): Promise<string> {
  const look = async () => {
    const status = await read();
    const found = has(status);
    if (found) return found;
    throw new Error(`After ${Math.round(performance.now() - from)} ms "Estado" says: ${status.customer}`);
  };
  return vi.waitFor(look, { timeout: 1_000 * withinS - (performance.now() - from), interval: LOOK_MS });
}
