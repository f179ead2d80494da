import { type Problem, ProblemList } from '#shared/errors/domain-error.ts';
import { PERMISSIONS, type Permission } from '#shared/rooms.ts';
import { readerOf } from '../http/body.ts';
import { isPrintable } from './key.ts';
import { MAX_YEARS, MOMENT_RULE, NewKeyRequest } from './schemas.ts';

export type WantedKey = { name: string; permissions?: Permission[]; expiresAt?: Date };

const FUTURE_RULE = `debe ser un momento futuro, de los proximos ${12 * MAX_YEARS} meses`;

const readKey = readerOf(NewKeyRequest);

/**
 * Checks the body that makes a key (docs/contract.md "Keys").
 * @param now the database's time, which keys expire by.
 * @throws DomainError `fields-invalid`, with all problems.
 */
export function parseKey(body: unknown, now: Date): WantedKey {
  const problems = new ProblemList();
  const { Nombre: name, Permisos, Vence } = readKey(body, problems);
  if (typeof name === 'string' && !isPrintable(name)) {
    problems.add(() => invalid('Nombre', 'no admite caracteres de control'));
  }
  const expiresAt = typeof Vence === 'string' ? new Date(Vence) : undefined;
  const hasForm = problems.first.every(({ campo }) => campo !== 'Vence');
  if (expiresAt && hasForm && !(expiresAt > now && expiresAt <= latestEnd(now))) {
    // A leap second and a zone without minutes have the form of a time, and are none.
    const rule = Number.isNaN(expiresAt.getTime()) ? MOMENT_RULE : FUTURE_RULE;
    problems.add(() => invalid('Vence', rule));
  }
  problems.throwIfAny('fields-invalid');
  const permissions = Permisos && PERMISSIONS.filter((permission) => Permisos.includes(permission));
  return { name, ...(permissions && { permissions }), ...(expiresAt && { expiresAt }) };
}

function latestEnd(now: Date): Date {
  const end = new Date(now);
  end.setUTCFullYear(now.getUTCFullYear() + MAX_YEARS);
  return end;
}

function invalid(campo: string, rule: string): Problem {
  return { campo, code: 'field-invalid', params: { rule } };
}
