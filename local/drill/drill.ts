import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEMO_PASSWORD } from '../demo-data.ts';
import { isRunning } from '../process/process-id.ts';
import { type Log, SetupError } from '../setup-error.ts';
import { type RunningSystem, readRunning } from '../start/running-system.ts';
import { type Damage, DamageRecord } from './damage.ts';
import { useApi } from './demo-client.ts';
import { type Fault, isNamed } from './faults.ts';
import { type Status, StatusPage, WELL, withoutLateness } from './status-page.ts';

/** In ms. */
const READ_PAUSE_MS = 500;
/** Readings in a row without the fault after which it has ended: for a moment each may look well. */
const WELL_READINGS = 6;
/** Until "Estado" is well before a drill, and again after it, in ms. */
const WELL_TIMEOUT_MS = 90_000;
/** Until "Estado" shows what was named before, in ms. */
const SHOWN_TIMEOUT_MS = 5_000;
/** "Estado" says that requests fail until so many have succeeded in a row, 200 at most. */
const AFTERWARDS = { customers: 5, pauseMs: 20 };

/** Said at the end of a drill for which nobody waited until then. */
export const NOT_WELL_YET = '"Estado" todavía no dice "Todo bien": mírelo antes de seguir.';

/** What became of a drill. Times in ms since the fault began. */
type Course = {
  shown?: { after: number; line: string };
  named?: number;
  wrongAnswers: number;
  /** Since when it is mended by the person. */
  mended?: number;
  ended?: number;
};

type Terminal = {
  say: Log;
  /** What the person types, line by line, until its end. */
  input: NodeJS.ReadableStream;
  /** Aborts when the person interrupts the drill, and when the person will not wait until "Estado" is well. */
  interrupted: AbortSignal;
  hurried: AbortSignal;
};

/**
 * Breaks a running `npm start`, and waits until the person on call names the cause, mends it, or interrupts. Then it puts
 * everything right, and says how it went.
 * @throws SetupError if "Estado" names a problem before, or something cannot be put right.
 */
export async function runDrill(fault: Fault, system: RunningSystem, terminal: Terminal): Promise<void> {
  const { say, interrupted, hurried } = terminal;
  const end = new AbortController();
  const traffic = new AbortController();
  const page = new StatusPage(system.addresses.dashboard);
  await page.logIn();
  if (!(await isWell(page, fault, interrupted))) {
    if (interrupted.aborted) return;
    const { lines } = await page.read();
    throw new SetupError(`"Estado" ya dice otra cosa. Arréglela antes del simulacro: ${lines.join('; ')}`);
  }
  const record = DamageRecord.begin(fault.name);
  const course: Course = { wrongAnswers: 0 };
  let began = performance.now();
  try {
    say(introduction(system));
    useApi(system.addresses.api, traffic.signal, { customers: 1, pauseMs: 200 });
    const willBreak = (damage: Damage) => record.add(damage);
    // A process may have been started again since.
    const running = readRunning() ?? system;
    await fault.begin({ system: running, ended: end.signal, well: traffic.signal, willBreak });
    began = performance.now();
    say('Algo falla desde ahora. ¿Qué es? Escriba la causa, o arréglelo.');
    await untilOver({ fault, record, page, course, began, ...terminal });
  } finally {
    end.abort();
    say('El simulacro arregla lo que descompuso…');
    await record.repairAll(readRunning() ?? system);
  }
  if (await useUntilWell(readRunning() ?? system, fault, hurried)) course.ended = performance.now() - began;
  traffic.abort();
  say(report(fault, system, course));
}

/** Uses a system until "Estado" says that all is well. @returns false if that lasts too long. */
export async function useUntilWell(
  { addresses }: RunningSystem,
  fault: Fault,
  hurried: AbortSignal,
): Promise<boolean> {
  const traffic = new AbortController();
  const page = new StatusPage(addresses.dashboard);
  useApi(addresses.api, traffic.signal, AFTERWARDS);
  const isAsBefore = await isWell(page, fault, hurried);
  traffic.abort();
  return isAsBefore;
}

type Watched = Terminal & {
  fault: Fault;
  record: DamageRecord;
  page: StatusPage;
  course: Course;
  began: number;
};

/** Resolves when the cause is named, mended, or the person interrupts. Writes down meanwhile when "Estado" showed it. */
async function untilOver(watched: Watched): Promise<void> {
  const { course, interrupted } = watched;
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, interrupted]);
  try {
    await Promise.race([untilNamed(watched, signal), untilMended(watched, signal)]);
  } finally {
    over.abort();
  }
  if (course.named !== undefined) await untilShown(watched);
}

/** Looks a little longer for a fault that was named before "Estado" showed it. */
async function untilShown(watched: Watched): Promise<void> {
  const { course, interrupted } = watched;
  const deadline = performance.now() + SHOWN_TIMEOUT_MS;
  while (!course.shown && performance.now() < deadline && !interrupted.aborted) {
    await look(watched).catch(() => {});
    if (!course.shown) await sleep(READ_PAUSE_MS, undefined, { signal: interrupted }).catch(() => {});
  }
}

async function untilNamed({ fault, input, say, course, began }: Watched, signal: AbortSignal): Promise<void> {
  const lines = createInterface({ input });
  signal.addEventListener('abort', () => lines.close());
  for await (const line of lines) {
    if (line.trim() === '') continue;
    if (isNamed(fault, line)) {
      course.named = performance.now() - began;
      return;
    }
    course.wrongAnswers++;
    say('Eso no es, o no lo dice todo. Siga mirando.');
  }
  // Nobody types any more: only mending it ends the drill.
  if (!signal.aborted) await once(signal, 'abort');
}

async function untilMended(watched: Watched, signal: AbortSignal): Promise<void> {
  const { course, began, record } = watched;
  const isReplaced = () => {
    const processes = record.damages.flatMap((damage) =>
      'process' in damage && damage.kind !== 'started' ? [damage.process] : [],
    );
    return processes.length > 0 && !processes.some(isRunning);
  };
  let well: number[] = [];
  while (well.length < WELL_READINGS && !isReplaced()) {
    if (signal.aborted) return;
    const now = performance.now() - began;
    const isWell = await look(watched).catch(() => undefined);
    if (isWell && course.shown) well.push(now);
    else if (isWell === false) well = [];
    await sleep(READ_PAUSE_MS, undefined, { signal }).catch(() => {});
  }
  course.mended = well[0] ?? performance.now() - began;
}

/** Reads "Estado", and writes down when it first shows the fault. @returns whether all is well. */
async function look({ page, fault, course, began }: Watched): Promise<boolean> {
  const status = await page.read();
  const line = status.lines.find((each) => fault.line.test(each));
  if (line) course.shown ??= { after: performance.now() - began, line };
  return saysWell(status, fault);
}

function saysWell(status: Status, fault: Fault): boolean {
  return withoutLateness(status).headline === WELL && !status.lines.some((line) => fault.line.test(line));
}

/** Waits until "Estado" says that all is well, and does not show the fault. @returns false if that lasts too long. */
async function isWell(page: StatusPage, fault: Fault, stopped: AbortSignal): Promise<boolean> {
  const deadline = performance.now() + WELL_TIMEOUT_MS;
  while (performance.now() < deadline && !stopped.aborted) {
    const status: Status | undefined = await page.read().catch(() => undefined);
    if (status && saysWell(status, fault)) return true;
    await sleep(READ_PAUSE_MS, undefined, { signal: stopped }).catch(() => {});
  }
  return false;
}

function introduction({ addresses: { dashboard } }: RunningSystem): string {
  return `Usted está de guardia. En este npm start falla algo en unos segundos.

  Estado     ${dashboard}   (operaciones, ${DEMO_PASSWORD})
  Runbook    ${dashboard}/runbook
  Registros  .local/logs

Arréglelo con los comandos del runbook, o escriba aquí la causa. Ctrl-C termina el simulacro, y arregla lo que descompuso.
`;
}

function report(fault: Fault, { addresses }: RunningSystem, course: Course): string {
  const { shown, named, mended, ended, wrongAnswers } = course;
  const wrong = wrongAnswers > 0 ? `, tras ${wrongAnswers} que no eran` : '';
  const times = [
    shown
      ? `"Estado" lo mostró a los ${seconds(shown.after)}; se espera en ${fault.shownWithinS} s a lo más`
      : '"Estado" no llegó a mostrarlo',
    named === undefined
      ? 'Usted no nombró la causa'
      : `Usted nombró la causa a los ${seconds(named)}${wrong}`,
    mended === undefined
      ? 'Lo arregló el simulacro'
      : `Usted lo arregló: dejó de fallar a los ${seconds(mended)}`,
    ended === undefined ? NOT_WELL_YET : `Todo bien a los ${seconds(ended)}`,
  ];
  const line = shown ? `"Estado" decía: ${shown.line}\n` : '';
  return `
${fault.cause}

${times.map((time) => `  ${time}`).join('\n')}

Qué mirar: ${fault.clue}
${line}Qué hacer: ${addresses.dashboard}/runbook#${fault.section}`;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
