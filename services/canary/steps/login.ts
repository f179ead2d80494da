import { type Credential, CredentialRefused } from '../http/credential.ts';
import { type Customer, UnexpectedAnswer } from '../http/customer.ts';
import { DEADLINE_MS } from './time-limits.ts';

/** The user that logs in and may do nothing else. */
export type Login = { username: string; password: Credential };

/** Logs in, and shows the token once. @throws UnexpectedAnswer, also where the password is refused: it may be refused to everybody */
export async function logIn(customer: Customer, { username, password }: Login): Promise<void> {
  const text = takeFrom(password);
  const token = await tokenFor(customer, username, text).catch((error) => {
    if (!(error instanceof UnexpectedAnswer && error.status === 401)) throw error;
    password.judge(text, false);
    throw REFUSED;
  });
  password.judge(text, true);
  const headers = { authorization: `Bearer ${token}` };
  await customer.sendAnonymously({ path: '/api/auth/validate', headers, deadlineMs: DEADLINE_MS.read });
}

const REFUSED = new UnexpectedAnswer('401: la API rechaza la contraseña del cliente de prueba');

/** @throws UnexpectedAnswer while the same password was refused lately. */
function takeFrom(password: Credential): string {
  try {
    return password.take();
  } catch (error) {
    throw error instanceof CredentialRefused ? REFUSED : error;
  }
}

async function tokenFor(customer: Customer, username: string, password: string): Promise<string> {
  const { data } = await customer.readAnonymously<{ access_token: string }>({
    method: 'POST',
    path: '/api/auth/login',
    headers: { 'x-username': username, 'x-password': password },
    deadlineMs: DEADLINE_MS.write,
  });
  return data.access_token;
}
