import type { Command } from 'commander';
import type { AuditEvent } from '#shared/audit/audit-store.ts';
import type { CommandResult } from '#shared/audit/record-command.ts';
import { confirm } from '#shared/commands/confirm.ts';
import { type AnyDifference, describeDifference, describeLoss, warningsOf } from './difference.ts';

/** What the descriptions of commands say of loads and restores. */
export const ASKS = 'pregunta si con eso se quita o cambia mas de una decima parte';

/** `dryRun` only compares; `yes` stores in spite of warnings. */
export type LoadOptions = { dryRun?: boolean; yes?: boolean };

export function addLoadOptions(command: Command): Command {
  return command
    .option('--dry-run', 'solo revisa y dice que cambiaria')
    .option('--yes', 'guarda aunque haya avisos, sin preguntar');
}

/** Returns the options that were typed, as the audit log has them. */
export function typedOptions({ dryRun, yes }: LoadOptions): Record<string, boolean> {
  return { ...(dryRun && { dryRun }), ...(yes && { yes }) };
}

/** A load, or the restore of one, that is not stored yet. */
export type Load = {
  differences: readonly AnyDifference[];
  /** What guides use of what is loaded: only what they lose is shown. */
  uses?: readonly AnyDifference[];
  /** What the load's own rules find, in lines for the operator. */
  warnings?: readonly string[];
  /** How much the load has, in words such as `Filas: 2.`, and as the audit log has it. */
  size: string;
  details?: AuditEvent['details'];
  /** Whether a load with no difference is stored all the same, since it heals or changes something else. */
  storesMore?: boolean;
  done: 'Cargado' | 'Restaurado';
  /** Which version is in force meanwhile. */
  version: string | number;
  /** Stores all or nothing. @returns more for the audit log, and what is then so, in words. */
  store: () => Promise<{ details?: AuditEvent['details']; state?: string }>;
};

/**
 * Shows what a load changes, and stores it. With warnings it is stored by `--yes`, or by the answer of a person at a terminal.
 * One that changes nothing stores nothing.
 * @throws Error with the warnings if the load is refused, or the error of `store`.
 */
export async function carryOut(
  load: Load,
  { dryRun = false, yes = false }: LoadOptions,
): Promise<CommandResult> {
  const { differences, uses = [], size, version, storesMore = false } = load;
  const count = (kind: 'added' | 'changed' | 'removed') =>
    differences.reduce((sum, difference) => sum + difference[kind].length, 0);
  const [added, changed, removed] = [count('added'), count('changed'), count('removed')];
  const details = { ...load.details, added, changed, removed };
  const warnings = [...(load.warnings ?? []), ...[...differences, ...uses].flatMap(warningsOf)];
  const shown = [...differences.flatMap(describeDifference), ...uses.flatMap(describeLoss), ...warnings];
  const finish = (done: string) =>
    `${done}. ${size} Altas: ${added}, cambios: ${changed}, bajas: ${removed}.`;
  const isEqual = !storesMore && added + changed + removed === 0;
  const asks = !isEqual && warnings.length > 0 && !yes;
  const kept = `sigue la version ${version}`;
  if (dryRun) {
    const then = isEqual ? `tampoco: ${kept}` : asks ? 'pregunta, o pide --yes' : 'se guarda';
    return {
      text: [...shown, finish('Prueba, no se cambio nada'), `Sin --dry-run ${then}`].join('\n'),
      details,
    };
  }
  if (isEqual) return { text: finish(`Sin cambios, ${kept}`), details: { ...details, version } };
  const isRead = asks && (await askToGoOn(shown.join('\n')));
  const stored = await load.store();
  const text = [...(isRead ? [] : shown), finish(load.done), ...(stored.state ? [stored.state] : [])];
  return { text: text.join('\n'), details: { ...details, ...stored.details } };
}

/** Says when a load was put in force, and by whom, such as ` el 2026-11-28 20:05 UTC por ana`; nothing of an unknown moment. */
export function describeOrigin({ at, by }: { at?: Date; by?: string }): string {
  const who = by === undefined ? '' : ` por ${by}`;
  return at ? ` el ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC${who}` : '';
}

/** Asks a person at a terminal. @returns true. @throws Error if there is none, or the person refuses. */
async function askToGoOn(shown: string): Promise<true> {
  if (!process.stdin.isTTY)
    throw new Error(`${shown}\nNo se cambio nada: revise los avisos, y si asi debe ser agregue --yes`);
  process.stderr.write(`${shown}\n`);
  if (!(await confirm('¿Seguir con estos avisos? Escriba SI para seguir: ')))
    throw new Error('Cancelado: no se cambio nada');
  return true;
}
