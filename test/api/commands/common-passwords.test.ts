import { expect, it } from 'vitest';
import { isCommonPassword } from '#services/api/commands/common-passwords.ts';

it.each([
  ['of the list', 'administrator'],
  ['with capitals', 'Qwerty123456'],
  ['with accents', 'Contraseña'],
  ['with digits and signs at its ends', '¡2026-Password.2026!'],
  ['of this country', 'Guadalajara2026'],
  ['twice', 'dragondragon'],
  ['that is one letter', 'aaaaaaaaaaaaaaa'],
  ['of digits', '1234567890123'],
  ['of signs', '!!!!!!!!!!!!'],
])('a password %s is common', (_, password) => {
  expect(isCommonPassword(password)).toBe(true);
});

it.each([
  'una clave larga',
  'correo-tinta-monte-7',
  'x9$kQ2mVt7Lw',
  'el perro de san roque',
  '日本語のパスワード長い言葉',
])('%s is not common', (password) => {
  expect(isCommonPassword(password)).toBe(false);
});
