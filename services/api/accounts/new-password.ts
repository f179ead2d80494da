import { Type } from 'typebox';
import { ProblemList } from '#shared/errors/domain-error.ts';
import { readerOf } from '../http/body.ts';
import type { NewPassword } from './change-password.ts';
import { brokenPasswordRule, MAX_PASSWORD, MIN_PASSWORD } from './password-rule.ts';

const fields = {
  ContrasenaNueva: Type.String({
    description: `De ${MIN_PASSWORD} caracteres o más, hasta ${MAX_PASSWORD} bytes, y no de las comunes`,
    examples: ['tinta-monte-correo-7'],
  }),
  ConservarAnterior: Type.Optional(
    Type.Boolean({
      description:
        'Si la contraseña de antes vale 24 horas más, y los tokens siguen. Una temporal no se conserva',
    }),
  ),
};

/** Documents the body; `brokenPasswordRule` has the words for each rule of a password. */
export const PasswordChange = Type.Object(
  {
    ...fields,
    ContrasenaNueva: { ...fields.ContrasenaNueva, minLength: MIN_PASSWORD, maxLength: MAX_PASSWORD },
  },
  {
    title: 'CambioDeContrasena',
    additionalProperties: false,
    'x-examples': {
      cambio: { summary: 'La de antes deja de valer', value: { ContrasenaNueva: 'tinta-monte-correo-7' } },
      relevo: {
        summary: 'La de antes vale un día más',
        value: { ContrasenaNueva: 'tinta-monte-correo-7', ConservarAnterior: true },
      },
    },
  },
);

const read = readerOf(Type.Object(fields));

/**
 * Checks the body of a change of the own password. A password is taken to the letter, without trimming.
 * @param present the password that is changed.
 * @throws DomainError `bad-request` for no object, `fields-invalid` with all problems.
 */
export function parsePasswordChange(body: unknown, present: string): NewPassword {
  const problems = new ProblemList();
  const { ConservarAnterior: keepsPrevious = false } = read(body ?? {}, problems);
  const { ContrasenaNueva: password } = (body ?? {}) as { ContrasenaNueva?: unknown };
  if (typeof password === 'string' && password.trim() !== '') {
    const isSame = password === present;
    const rule = isSame ? 'debe ser distinta de la actual' : brokenPasswordRule(password);
    if (rule) {
      const campo = 'ContrasenaNueva';
      problems.add(() => ({ campo, code: 'field-invalid', params: { rule } }));
    }
  }
  problems.throwIfAny('fields-invalid');
  return { password: password as string, keepsPrevious };
}
