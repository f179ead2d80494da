import { CommanderError } from 'commander';
import { untilPipeBreaks } from '#shared/commands/broken-pipe.ts';
import { explainUsage, isHelp, spanishCommand } from '#shared/commands/terminal.ts';
import { DamageRecord } from './drill/damage.ts';
import { NOT_WELL_YET, runDrill, useUntilWell } from './drill/drill.ts';
import { culpritOf, FAULTS, type Fault } from './drill/faults.ts';
import { repoRoot } from './folders.ts';
import { tryLock } from './process/lock.ts';
import { ensurePrograms } from './programs/ensure-programs.ts';
import { SetupError } from './setup-error.ts';
import { type RunningSystem, readRunning } from './start/running-system.ts';

/**
 * `npm run drill`: practice for whoever is on call, in a running `npm start`. Exit code 0: the drill has ended, also by Ctrl-C,
 * and everything is as before, 1: it could not begin, or not put everything right, 2: wrong usage.
 */

const NAME = 'npm run drill --';
/** A given one may have a customer's guides. */
const OWN_MONGODB = ['MongoDB', 'FerretDB'];
/** In ms: two signals within this time are one Ctrl-C, which comes from the terminal and from npm. */
const SAME_SIGNAL_MS = 500;

try {
  process.exitCode = await untilPipeBreaks(async () => {
    await program()
      .parseAsync()
      .catch((error: unknown) => {
        if (!isHelp(error)) throw error;
      });
    return 0;
  });
} catch (error) {
  process.exitCode = explain(error);
}
process.exit();

function program() {
  return spanishCommand(NAME)
    .description(
      'Practica una guardia en el npm start que corre: descompone algo, no dice qué, y mide cuánto tarda usted en nombrarlo o arreglarlo. Al final arregla lo que descompuso.',
    )
    .argument('[falla]', 'la que se practica; si falta, una al azar')
    .option('--list', 'muestra las fallas')
    .option('--end', 'arregla lo que dejó un simulacro que fue matado')
    .action(async (name: string | undefined, { list, end }: { list?: true; end?: true }) => {
      if (list) say(FAULTS.map((fault) => `${fault.name.padEnd(20)}${fault.cause}`).join('\n'));
      else if (end) await endKilledDrill();
      else await begin(name);
    });
}

async function begin(name: string | undefined): Promise<void> {
  const named = name === undefined ? undefined : FAULTS.find((fault) => fault.name === name);
  if (name !== undefined && !named) throw new CommanderError(2, 'drill.unknownFault', 'unknown fault');
  const system = readRunning();
  if (!system) throw new SetupError('npm start no corre en este directorio: inícielo en otra terminal.');
  if (!OWN_MONGODB.some((name) => system.processes[name]))
    throw new SetupError('npm start usa un MongoDB que no inició: un simulacro crearía guías en él.');
  await ensurePrograms([{ names: ['ps'], apt: 'procps' }], say);
  await lock();
  if (DamageRecord.read())
    throw new SetupError('Un simulacro fue matado, y dejó algo descompuesto: npm run drill -- --end');
  const fault = named ?? pickOne(system);
  if (!canBreak(fault, system))
    throw new SetupError(`${fault.name}: npm start no inició ese proceso, así que no se toca.`);
  await runDrill(fault, system, { say, input: process.stdin, ...interruptions() });
}

async function endKilledDrill(): Promise<void> {
  await lock();
  const record = DamageRecord.read();
  if (!record) return say('Ningún simulacro dejó nada descompuesto.');
  const system = readRunning();
  await record.repairAll(system);
  const fault = FAULTS.find(({ name }) => name === record.fault);
  const { interrupted } = interruptions();
  const isWell = !system || !fault || (await useUntilWell(system, fault, interrupted));
  say(`Quedó arreglado lo que dejó el simulacro ${record.fault}.`);
  if (!isWell) say(NOT_WELL_YET);
}

/** @throws SetupError while another drill of this checkout runs. */
async function lock(): Promise<void> {
  if (!(await tryLock(`drill in ${repoRoot}`)))
    throw new SetupError('Ya corre un simulacro: termínelo con Ctrl-C en su terminal.');
}

function canBreak(fault: Fault, system: RunningSystem): boolean {
  return !fault.culprit || culpritOf(fault, system) !== undefined;
}

function pickOne(system: RunningSystem): Fault {
  const possible = FAULTS.filter((fault) => canBreak(fault, system));
  return possible[Math.floor(Math.random() * possible.length)] as Fault;
}

/** `interrupted` aborts at Ctrl-C, `hurried` at a second one. Neither keeps a drill from putting everything right. */
function interruptions(): { interrupted: AbortSignal; hurried: AbortSignal } {
  const [first, second] = [new AbortController(), new AbortController()];
  let firstAt: number | undefined;
  const interrupt = () => {
    firstAt ??= performance.now();
    if (performance.now() - firstAt > SAME_SIGNAL_MS) second.abort();
    first.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
  // The terminal is closed.
  process.stdout.on('error', interrupt);
  process.stdin.on('error', interrupt);
  return { interrupted: first.signal, hurried: second.signal };
}

function explain(error: unknown): number {
  const { message } = error as Error;
  const isUsage = error instanceof CommanderError;
  const isFault = isUsage && error.code === 'drill.unknownFault';
  const usage = isFault ? `Falla desconocida. Vea ${NAME} --list` : isUsage && explainUsage(error, NAME);
  process.stderr.write(`${usage || message}\n`);
  return isUsage ? 2 : 1;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
