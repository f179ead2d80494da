import { PERMISSIONS, type Permission } from '#shared/accounts/user-store.ts';
import { type Problem, ProblemList } from '#shared/errors/domain-error.ts';
import { readerOf } from '../http/body.ts';
import { NewKeyRequest } from './schemas.ts';

/** They would reach terminals and logs. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;

export type WantedKey = { name: string; permissions?: Permission[]; expiresAt?: Date };

const readKey = readerOf(NewKeyRequest);

/**
 * Checks the body that makes a key (docs/contract.md "Keys").
 * @param now the database's time, which keys expire by.
 * @throws DomainError `fields-invalid`, with all problems.
 */
export function parseKey(body: unknown, now: Date): WantedKey {
  const problems = new ProblemList();
  const { Nombre: name, Permisos = [], Vence } = readKey(body, problems);
  if (typeof name === 'string' && UNPRINTABLE.test(name)) {
    problems.add(() => invalid('Nombre', 'no admite caracteres de control'));
  }
  const expiresAt = typeof Vence === 'string' ? new Date(Vence) : undefined;
  // A text that is no time has its problem already.
  if (expiresAt && expiresAt <= now) problems.add(() => invalid('Vence', 'debe ser un momento futuro'));
  problems.throwIfAny('fields-invalid');
  const permissions = PERMISSIONS.filter((permission) => Permisos.includes(permission));
  return { name, ...(permissions.length > 0 && { permissions }), ...(expiresAt && { expiresAt }) };
}

function invalid(campo: string, rule: string): Problem {
  return { campo, code: 'field-invalid', params: { rule } };
}
