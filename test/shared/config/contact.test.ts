import { expect, test } from 'vitest';
import { explainContact, readContact } from '#shared/config/contact.ts';

test.for([
  ['81 5000 0000', 'tel:+528150000000', '81 5000 0000'],
  ['(81) 5000-0000', 'tel:+528150000000', '(81) 5000-0000'],
  ['+1 (555) 010.0199', 'tel:+15550100199', '+1 (555) 010.0199'],
  ['52 81 5000 0000', 'tel:+528150000000', '52 81 5000 0000'],
  ['01 81 5000 0000', 'tel:+528150000000', '01 81 5000 0000'],
  ['5550000', 'tel:5550000', '5550000'],
  ['+45 1234 5678', 'tel:+4512345678', '+45 1234 5678'],
  ['ayuda@paqueteria.example', 'mailto:ayuda@paqueteria.example', 'ayuda@paqueteria.example'],
  ['https://paqueteria.example/', 'https://paqueteria.example/', 'paqueteria.example'],
  [
    'http://paqueteria.example/ayuda?de=guia',
    'http://paqueteria.example/ayuda?de=guia',
    'paqueteria.example/ayuda?de=guia',
  ],
] as const)('%s leads to %s', ([setting, href, text]) => {
  expect(readContact(setting)).toMatchObject({ href, text });
  expect(explainContact(setting)).toBeUndefined();
});

test.for([
  '555',
  '8150000000 ext. 12',
  '1234567890123456',
  'ayuda@localhost',
  'ayuda@a.example?cc=b',
  'javascript:alert(1)',
  'paqueteria.example',
  'https://ana:clave@paqueteria.example',
  'https://',
  'https://a.example/dos palabras',
])('%s is none', (setting) => {
  expect(explainContact(setting)).toMatch(/^must be a phone of 7 to 15 digits, an e-mail address, or/);
});
