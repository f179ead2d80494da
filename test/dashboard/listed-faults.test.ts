import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, inject, onTestFinished, vi } from 'vitest';
import { type Damage, FILLER, inLabelCache, withLimits } from '#local/drill/damage.ts';
import { FAULTS, isNamed } from '#local/drill/faults.ts';
import { parseStatus, withoutLateness } from '#local/drill/status-page.ts';
import { freePort } from '#local/process/free-port.ts';
import { startProcess } from '#local/process/owned-process.ts';
import { isRunning, type ProcessId } from '#local/process/process-id.ts';
import { waitUntilReady } from '#local/process/wait-until-ready.ts';
import type { RunningSystem } from '#local/start/running-system.ts';
import type { Episode } from '#services/dashboard/diagnosis-history.ts';
import { copyCheckout } from '#test/fixtures/checkout.ts';
import { Client } from '#test/fixtures/client.ts';
import { Visitor } from '#test/fixtures/dashboard/visitor.ts';
import { test as folderTest } from '#test/fixtures/folder.ts';

/**
 * Faults of `npm run drill`, in an `npm start` of the file's own: "Estado" names each, and the drill puts it right. `npm test` tries the
 * first one to its end, `npm run test:faults` all of them, and how else a drill ends.
 */
const IS_LONG = process.env.FAULTS === 'long';
const TRIED = IS_LONG ? FAULTS : FAULTS.slice(0, 1);
/** Each leaves another kind of damage, which must be put right also when the drill is killed or interrupted. */
const DAMAGES = [
  'worker-frozen',
  'chromium-killed',
  'label-cache-full',
  'api-slow',
  'canary-key-ended',
  'receiver-500',
  'account-floods',
];

// The first test starts every service.
vi.setConfig({ testTimeout: 400_000, hookTimeout: 240_000 });

/** "Estado" is held to its time on a machine that has nothing else to do. Elsewhere this only ends what hangs. */
const within = (seconds: number) => ({
  timeout: IS_LONG ? 1_000 * seconds : 90_000,
  interval: 200,
});
const WELL = within(15);
/** Until a drill has broken something: its own start, and that of a second api. */
const BROKEN = { timeout: 120_000, interval: 50 };

/** What a person types who has found the fault, and a part of what "Estado" says once it has ended. */
const FOUND: Readonly<Record<string, { answer: string; ended?: string }>> = {
  'worker-frozen': {
    answer: 'El label-worker está congelado',
    ended: 'No hay ningún label-worker vivo: no se imprime nada',
  },
  'chromium-killed': { answer: 'algo mata al Chromium', ended: 'El Chromium de' },
  'queue-redis-frozen': {
    answer: 'el Redis de la cola se colgó',
    ended: 'El Redis de la cola no responde a',
  },
  'label-cache-frozen': {
    answer: 'el redis de las etiquetas no responde',
    ended: 'El Redis de las etiquetas no responde a',
  },
  'label-cache-full': { answer: 'label-cache lleno', ended: 'El Redis de las etiquetas ' },
  'mongodb-frozen': { answer: 'MongoDB', ended: 'MongoDB no responde a' },
  'branches-frozen': {
    answer: 'las sucursales no contestan',
    ended: 'branches',
  },
  'api-frozen': { answer: 'La API está colgada', ended: 'api' },
  'api-slow': { answer: 'una de las api va muy lenta', ended: '' },
  // A busy machine may miss its signs for a moment, which then explains the rest.
  'worker-slow': { answer: 'el label-worker imprime muy lento' },
  'canary-frozen': { answer: 'el cliente de prueba está congelado', ended: 'Nadie prueba' },
  'canary-key-ended': { answer: 'la llave del cliente de prueba ya no vale', ended: 'Nadie prueba' },
  'receiver-500': { answer: 'el servidor del cliente, su webhook' },
  'account-floods': { answer: 'la cuenta otro pide demasiado' },
};
const foundOf = (name: string) => FOUND[name] as (typeof FOUND)[string];

/** Only stores of this `npm start` can be broken. */
const OWN = { MONGODB_URI: '', REDIS_URL: '', LABEL_CACHE_URL: '' };

/** A drill in a terminal. */
class Drill {
  out = '';
  err = '';
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;

  constructor(cwd: string, args: string[]) {
    const child = spawn(process.execPath, ['local/drill.ts', ...args], { cwd, stdio: 'pipe' });
    child.stdout.setEncoding('utf8').on('data', (text) => {
      this.out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      this.err += text;
    });
    this.ended = once(child, 'close').then(([code]) => code);
    this.#child = child;
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  type(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  /** Waits until something is broken. @throws with what it wrote if it ends before. */
  async hasBroken(): Promise<void> {
    const state = () => (/Algo falla desde ahora/.test(this.out) ? 'broken' : this.err);
    await expect.poll(state, BROKEN).toBe('broken');
  }
}

const test = folderTest
  .extend('checkout', { scope: 'file' }, ({ folder }, { onCleanup }) => {
    const checkout = join(folder, 'checkout');
    onCleanup(copyCheckout(checkout));
    return checkout;
  })
  .extend('drill', { scope: 'file' }, ({ checkout }) => (...args: string[]) => {
    const drill = new Drill(checkout, args);
    onTestFinished(async () => {
      drill.kill('SIGINT');
      await drill.ended;
    });
    return drill;
  })
  .extend('system', { scope: 'file' }, async ({ checkout }, { onCleanup }): Promise<RunningSystem> => {
    const names = ['API', 'BRANCHES', 'LABEL_WORKER', 'DASHBOARD', 'WEBHOOKS', 'CANARY'];
    const ports = await Promise.all(names.map(async (name) => [`${name}_PORT`, String(await freePort())]));
    const npmStart = startProcess({
      name: 'npm start',
      command: [process.execPath, 'local/start.ts'],
      cwd: checkout,
      env: {
        ...process.env,
        ...OWN,
        ...Object.fromEntries(ports),
        CHROMIUM_PATH: inject('chromiumPath'),
      },
      logFile: join(checkout, 'npm-start.log'),
      stopTimeoutMs: 60_000,
    });
    onCleanup(() => npmStart.stop());
    const file = join(checkout, '.local', 'running.json');
    await waitUntilReady(npmStart, async () => existsSync(file), 200_000);
    return JSON.parse(readFileSync(file, 'utf8'));
  })
  .extend('operator', { scope: 'file' }, ({ system }) => Visitor.operator(system.addresses.dashboard))
  .extend('read', { scope: 'file' }, ({ operator }) => async () => {
    const { status, text } = await operator.page('/');
    return parseStatus(status, text);
  })
  /** Waits until a fault is all that "Estado" names, although guides are created and labels asked for all the time. */
  .extend(
    'isShown',
    { scope: 'file' },
    ({ read }) =>
      async ({ line, shownWithinS }: (typeof FAULTS)[number]) => {
        const look = async () => {
          const status = await read();
          const others = withoutLateness(status).lines.filter((each) => !line.test(each));
          return others.length === 0 && status.lines.some((each) => line.test(each)) ? 'shown' : status.lines;
        };
        await expect.poll(look, within(shownWithinS)).toBe('shown');
      },
  )
  /** Waits until what is shown has lasted: what one look alone has seen is not told after its end. */
  .extend('hasLasted', { scope: 'file' }, ({ read, system }, { onCleanup }) => {
    const file = system.environments.dashboard.REDIS_URL_FILE as string;
    const redis = new Redis(readFileSync(file, 'utf8'), { commandTimeout: 1_000 });
    redis.on('error', () => {});
    onCleanup(() => redis.disconnect());
    return async (line: RegExp) => {
      const lasting = async () => {
        await read();
        const stored = await redis.hgetall('{guias}:problems');
        const episodes = Object.values(stored).map((text) => JSON.parse(text) as Episode);
        return episodes.some(({ text, from, to }) => line.test(text) && to - from >= 1_000);
      };
      await expect.poll(lasting, WELL).toBe(true);
    };
  })
  /** What is still broken. */
  .extend('left', { scope: 'file' }, ({ checkout, system }) => async () => {
    const { processes }: RunningSystem = JSON.parse(
      readFileSync(join(checkout, '.local', 'running.json'), 'utf8'),
    );
    const pids = Object.values(processes).map(({ pid }) => String(pid));
    const states = execFileSync('ps', ['-o', 'stat=', '-p', pids.join()], { encoding: 'utf8' }).trim();
    const demo = await Client.login(system.addresses.api);
    return {
      processes: states.split('\n').length,
      frozen: states.split('\n').filter((state) => state.startsWith('T')).length,
      record: existsSync(join(checkout, '.local', 'drill.json')),
      labelCache: await inLabelCache(system, (redis) =>
        Promise.all([redis.config('GET', 'maxmemory*'), redis.exists(FILLER)]),
      ),
      webhooks: (await demo.get('/api/webhooks')).body.data,
      limits: await withLimits(system, (limits) => limits.find('otro')),
    };
  })
  .extend('whole', { scope: 'file' }, async ({ left }) => left())
  /** Runs commands of the runbook in a shell. @returns their output. */
  .extend('onCall', { scope: 'file' }, ({ checkout }) => (commands: string) => {
    const script = `. local/start/on-call.sh; ${commands}`;
    return execFileSync('bash', ['-c', script], { cwd: checkout, encoding: 'utf8', stdio: 'pipe' });
  });

/** What else a person meets during a fault. */
const ALSO: Readonly<Record<string, (stranger: Visitor, operator: Visitor) => Promise<void>>> = {
  async 'mongodb-frozen'(stranger) {
    const why = /MongoDB no responde al tablero: ahora nadie puede entrar, .* href="\/runbook#mongodown"/;
    expect((await stranger.page('/entrar')).text).toMatch(why);
    const attempt = await stranger.login('operaciones');
    expect([attempt.status, attempt.text]).toEqual([503, expect.stringMatching(why)]);
  },
  async 'queue-redis-frozen'(stranger, operator) {
    const page = await operator.page('/');
    expect([page.status, page.text]).toEqual([503, expect.stringContaining('href="/runbook#redisdown"')]);
    // So that it lasts for two looks.
    for (let more = 0; more < 3; more++) expect((await operator.page('/')).status).toBe(503);
    expect((await stranger.page('/entrar')).text).toMatch(
      /El Redis de la cola no responde al tablero: ahora nadie puede entrar ni ver Estado/,
    );
  },
};

test('the answer of a person names the fault, and no other one', () => {
  for (const { name } of FAULTS) {
    const named = FAULTS.filter((fault) => isNamed(fault, foundOf(name).answer));
    expect(named.map((fault) => fault.name)).toEqual([name]);
  }
});

test('each fault leads to a section of the runbook', async ({ checkout }) => {
  const runbook = readFileSync(join(checkout, 'k8s', 'runbook.md'), 'utf8');
  const sections = [...runbook.matchAll(/^## (.*)$/gm)].map(([, title = '']) => title.toLowerCase());
  expect(sections).toEqual(expect.arrayContaining(FAULTS.map(({ section }) => section)));
});

test('without npm start there is no drill', async ({ drill }) => {
  const run = drill();
  expect(await run.ended).toBe(1);
  expect([run.out, run.err]).toEqual(['', expect.stringMatching(/^npm start no corre/)]);
});

test('a MongoDB that was given is left alone', async ({ checkout, drill, system }) => {
  const file = join(checkout, '.local', 'running.json');
  const written = readFileSync(file, 'utf8');
  const { MongoDB, FerretDB, ...processes } = system.processes;
  expect(MongoDB ?? FerretDB).toBeDefined();
  writeFileSync(file, JSON.stringify({ ...system, processes }));
  onTestFinished(() => writeFileSync(file, written));
  const run = drill();
  expect([await run.ended, run.out, run.err]).toEqual([1, '', expect.stringContaining('que no inició')]);
});

test('a fault that there is not is wrong usage', async ({ drill }) => {
  const run = drill('nada');
  expect(await run.ended).toBe(2);
  expect(run.err).toBe('Falla desconocida. Vea npm run drill -- --list\n');
});

if (IS_LONG) {
  test('a drill without a name breaks something, and says nothing of what', async ({
    drill,
    left,
    whole,
  }) => {
    const run = drill();
    await run.hasBroken();
    for (const { cause, name, section } of FAULTS) {
      for (const word of [cause, name, section]) expect(run.out).not.toContain(word);
    }
    const other = drill();
    expect([await other.ended, other.out]).toEqual([1, '']);
    run.kill('SIGINT');
    expect([await run.ended, run.err]).toEqual([0, '']);
    expect(run.out).toContain('/runbook#');
    expect(await left()).toEqual(whole);
  });

  test('who mends it is told so, and npm start runs what was killed', async ({
    checkout,
    drill,
    isShown,
    left,
    onCall,
    system,
    whole,
  }) => {
    const [fault] = FAULTS;
    if (!fault) throw new Error('No faults');
    const run = drill(fault.name);
    await run.hasBroken();
    await isShown(fault);
    const worker = system.processes['label-worker'] as ProcessId;
    expect(onCall('pods label-worker')).toMatch(new RegExp(`^${worker.pid} Paused `));
    expect(onCall('replace 1 || echo refused')).toBe('refused\n');
    expect(onCall('redis PING; cache PING')).toBe('PONG\nPONG\n');
    expect(onCall('replace "$(pids label-worker)"')).toMatch(/^npm start inicia otro/);
    expect([await run.ended, run.err]).toEqual([0, '']);
    expect(run.out).toMatch(/Usted lo arregló: dejó de fallar a los \d+ s/);
    expect(run.out).toMatch(/Usted no nombró la causa/);
    const now: RunningSystem = JSON.parse(readFileSync(join(checkout, '.local', 'running.json'), 'utf8'));
    expect(now.processes['label-worker']?.pid).not.toBe(worker.pid);
    expect(await left()).toEqual(whole);
  });

  test.for(FAULTS.filter(({ name }) => DAMAGES.includes(name)))(
    '$name: a drill that is killed or interrupted leaves nothing broken',
    async (fault, { checkout, drill, left, whole }) => {
      // Killed, and put right by another process.
      const killed = drill(fault.name);
      await killed.hasBroken();
      killed.kill('SIGKILL');
      await killed.ended;
      const { damages }: { damages: Damage[] } = JSON.parse(
        readFileSync(join(checkout, '.local', 'drill.json'), 'utf8'),
      );
      const next = drill(fault.name);
      expect([await next.ended, next.out]).toEqual([1, '']);
      const end = drill('--end');
      expect([await end.ended, end.err]).toEqual([0, '']);
      const started = damages.flatMap((damage) => (damage.kind === 'started' ? [damage.process] : []));
      expect(started.filter(isRunning)).toEqual([]);
      expect(await left()).toEqual(whole);

      // Interrupted.
      const interrupted = drill(fault.name);
      await interrupted.hasBroken();
      interrupted.kill('SIGINT');
      expect([await interrupted.ended, interrupted.err]).toEqual([0, '']);
      expect(await left()).toEqual(whole);
    },
  );
}

test.for(TRIED)(
  '$name',
  async (fault, { drill, hasLasted, isShown, left, operator, read, system, whole }) => {
    const { answer, ended } = foundOf(fault.name);

    // Shown, and named.
    const run = drill(fault.name);
    await run.hasBroken();
    await isShown(fault);
    await ALSO[fault.name]?.(new Visitor(system.addresses.dashboard), operator);
    if (fault.isNote) expect((await read()).headline).toBe('Todo bien');
    else if (fault.name !== 'queue-redis-frozen') await hasLasted(fault.line);
    run.type('no sé');
    await expect.poll(() => run.out, WELL).toMatch(/Eso no es/);
    run.type(answer);
    expect([await run.ended, run.err]).toEqual([0, '']);
    expect(run.out).toContain(fault.cause);
    expect(run.out).toMatch(/"Estado" lo mostró a los \d+ s; se espera en \d+ s a lo más/);
    expect(run.out).toMatch(/Usted nombró la causa a los \d+ s, tras 1 que no eran/);
    expect(run.out).toMatch(/Lo arregló el simulacro/);
    expect(run.out).toMatch(/Todo bien a los \d+ s/);
    expect(run.out).toContain(`${system.addresses.dashboard}/runbook#${fault.section}`);
    expect(await left()).toEqual(whole);
    const last = async () => withoutLateness(await read());
    await expect.poll(last, WELL).toMatchObject({ headline: 'Todo bien', lines: [] });
    if (ended === undefined) return;
    const told = new RegExp(`^Terminó a las \\d\\d:\\d\\d, desde las \\d\\d:\\d\\d: .*${ended}`);
    expect((await read()).ended).toEqual(expect.arrayContaining([expect.stringMatching(told)]));
  },
);
