import { ask } from './ask.ts';
import type { Problem } from './problem.ts';
import { endSession, logIn, session } from './session.ts';

/** Logs in, and asks who that is and what it may do. `contrasena_temporal` is the problem of a password that must be changed first. */
export async function enter(username: string, password: string): Promise<Problem | undefined> {
  const login = await logIn(username, password);
  // Who asks again for a password knows the rest.
  if (!login.ok || session.get()) return login.ok ? undefined : login.problem;
  const [who, may] = await Promise.all([
    ask<{ usuario: string; cuenta: string; prueba?: true }>({ method: 'GET', path: '/api/auth/validate' }),
    ask<string[]>({ method: 'GET', path: '/api/apipermissions/my-permissions' }),
  ]);
  if (who.ok && may.ok) {
    const { usuario, cuenta, prueba } = who.data;
    session.set({ username: usuario, account: cuenta, isTest: prueba === true, permissions: may.data });
    return undefined;
  }
  endSession();
  return [who, may].flatMap((answer) => (answer.ok ? [] : answer.problem))[0];
}
