import { closestName } from './closest-name.ts';

/**
 * What parameters of paths and queries allow, in Spanish: `regla` of an error. Most of it
 * follows from the parameter's schema, the rest stands in its `x-regla`.
 */

export const CURSOR_RULE = "debe ser el 'siguiente' de la pagina anterior, tal cual";
export const MOMENT_PATTERN = '^\\d{4}-\\d\\d-\\d\\d(T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d)?$';
export const MOMENT_RULE = 'debe ser una fecha que existe, YYYY-MM-DD o YYYY-MM-DDTHH:mm:ss, sin zona';
export const GUIDE_RULE = 'debe ser un numero de guia: 12 digitos, el ultimo de control';
export const POSTAL_CODE_RULE = 'debe tener 5 digitos, tambien los ceros del principio';
export const BRANCH_RULE = 'debe tener de 2 a 20 letras A-Z o digitos';
export const ONCE_RULE = 'debe ir una sola vez';

/** What a schema says of a parameter. */
type Allowed = {
  'x-regla'?: string;
  type?: string;
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
};

/** Returns what a parameter with this schema allows. */
export function ruleOf(schema: Allowed): string {
  const { 'x-regla': rule, type, enum: values, minimum, maximum, minLength, maxLength } = schema;
  if (rule) return rule;
  if (values) return `debe ser uno de: ${values.join(', ')}`;
  if (type === 'integer') return `debe ser un numero entero de ${minimum} a ${maximum}`;
  return `admite texto de ${minLength} a ${maxLength} caracteres`;
}

/** Returns the name that an unknown parameter most likely means, or else all that there are. */
export function namesRule(unknown: string, known: readonly string[]): string {
  const meant = closestName(unknown, known);
  if (meant !== undefined) return `¿quiso decir '${meant}'?`;
  return known.length === 0 ? 'la operacion no tiene parametros' : `puede ser: ${known.join(', ')}`;
}
