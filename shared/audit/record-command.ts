import { hostname, userInfo } from 'node:os';
import { type AuditEvent, type AuditStore, auditEvent } from './audit-store.ts';

/** `env` identifies the operator. */
export type RecordedCommand = Pick<AuditEvent, 'action' | 'service' | 'subject' | 'details'> & {
  env: NodeJS.ProcessEnv;
};

/**
 * `text` is for the operator; `details` are added to the command's own in the audit log. A command that found everything as it
 * must be is not recorded (`changed: false`): an installation runs it at each start.
 */
export type CommandResult = { text: string; details?: AuditEvent['details']; changed?: boolean };

/**
 * Runs an operator's command, and records its result before the operator reads it.
 * @param run may call `announce`, which records the beginning of a long command, or of one that exports data.
 * @throws Error for the operator if the audit log cannot be written; otherwise the error of `run`.
 */
export async function recordCommand(
  auditLog: AuditStore,
  command: RecordedCommand,
  run: (announce: () => Promise<void>) => Promise<CommandResult>,
): Promise<string> {
  const { env, details, ...event } = command;
  const record = (outcome: AuditEvent['outcome'], more?: AuditEvent['details']) =>
    auditLog.insert(auditEvent({ ...event, ...operatorOf(env), outcome, details: { ...details, ...more } }));
  const announce = () =>
    record('started').catch((cause: unknown) => {
      throw new Error('No se hizo nada: no se pudo anotar en la bitacora (coleccion audit)', { cause });
    });
  const result = await run(announce).catch(async (error: unknown) => {
    await record('failed').catch(() => {}); // the operator must read the command's own failure
    throw error;
  });
  const { text, details: found, changed = true } = result;
  if (!changed) return text;
  await record('ok', found).catch((cause: unknown) => {
    throw new Error(`${text}\nSe hizo, pero no se pudo anotar en la bitacora (coleccion audit)`, {
      cause,
    });
  });
  return text;
}

/**
 * Returns who runs a command, and from which address. `OPERATOR` names the person if many share one user of the
 * system, as in a container. Without `OPERATOR` it is the system's user, or the user who called sudo.
 */
export function operatorOf(env: NodeJS.ProcessEnv): { actor: string; address: string } {
  const address = env.SSH_CONNECTION?.split(' ')[0] ?? hostname();
  return { actor: env.OPERATOR || env.SUDO_USER || systemUser(), address };
}

/** A container's user id may have no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}
