import { addAbortSignal } from 'node:stream';
import askHidden from '@inquirer/password';
import { brokenPasswordRule, MAX_PASSWORD, MIN_PASSWORD } from '../password-rule.ts';

const TIMEOUT_MS = 120_000;
/** Ctrl-C, time limit, end of standard input. */
const CANCELLED = new Set(['ExitPromptError', 'AbortError', 'AbortPromptError']);

export const PASSWORD_RULE = `La contrasena se pide dos veces en la terminal, o se lee de la entrada estandar (una linea).
Debe tener al menos ${MIN_PASSWORD} caracteres, ${MAX_PASSWORD} bytes como maximo, y no ser de las comunes.`;

/**
 * Reads a new password: on a terminal twice without echo, otherwise the first line of standard input.
 * @throws Error for the operator if the password is unusable, common or late.
 */
export async function readPassword(): Promise<string> {
  const reading = process.stdin.isTTY ? passwordFromTerminal() : firstLine();
  const password = await reading.catch(explainCancel);
  const broken = brokenPasswordRule(password);
  if (broken) throw new Error(`La contrasena ${broken}`);
  return password;
}

function explainCancel(cause: Error): never {
  throw CANCELLED.has(cause.name) ? new Error('Cancelado: no se recibio la contrasena', { cause }) : cause;
}

async function passwordFromTerminal(): Promise<string> {
  const ask = (message: string) =>
    askHidden(
      { message, toggleMask: false, theme: { style: { maskedText: '' } } },
      { signal: AbortSignal.timeout(TIMEOUT_MS) },
    );
  const password = await ask(`Contrasena (al menos ${MIN_PASSWORD} caracteres):`);
  if ((await ask('Otra vez:')) !== password) throw new Error('Las contrasenas no coinciden');
  return password;
}

/** Stops reading once the input is longer than any password. */
async function firstLine(): Promise<string> {
  const input = addAbortSignal(AbortSignal.timeout(TIMEOUT_MS), process.stdin.setEncoding('utf8'));
  let text = '';
  for await (const chunk of input) {
    text += chunk;
    if (text.includes('\n') || text.length > MAX_PASSWORD) break;
  }
  return (text.split('\n')[0] ?? '').replace(/\r$/, '');
}
