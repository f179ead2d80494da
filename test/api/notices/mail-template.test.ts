import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { mailTemplate } from '#services/api/notices/mail-template.ts';
import { test } from '#test/fixtures/folder.ts';

/** A mail of the operator's own (`NOTICE_TEMPLATE`). */

const OURS = readFileSync(new URL('../../../services/api/notices/aviso.hbs', import.meta.url), 'utf8');
const LINK = { carrier: 'Rápido', contact: null, privacyNotice: 'https://p', refusal: 'https://n?a=b' };
const WORDS = {
  event: 'llegó',
  title: 'Llegó',
  sentence: 'Ya.',
  number: '1',
  tracking: 'https://r',
  ...LINK,
};

test('is written from its file, and only its HTML is escaped', ({ folder }) => {
  const path = join(folder, 'aviso.hbs');
  writeFileSync(path, OURS.replace('Su paquete', 'Hola: su paquete').replaceAll('\n', '\r\n'));
  const { subject, text, html } = mailTemplate(path)({ ...WORDS, shop: 'Tú & <b>Yo</b>' });
  expect(subject).toBe('Hola: su paquete de Tú & <b>Yo</b>: llegó');
  expect(text).toMatch(/^Llegó\nYa\.\n\nGuía 1, de Tú & <b>Yo<\/b>\n/);
  expect(html).toContain('de Tú &amp; &lt;b&gt;Yo&lt;/b&gt;');
});

test.for<[what: string, wrong: (file: string) => string, why: string]>([
  ['no HTML', (file) => file.replace('<!doctype html>', ''), 'has no <!doctype html>'],
  ['no subject', (file) => `\n${file}`, 'has no subject'],
  ['no way to refuse', (file) => file.replace('{{refusal}}', ''), 'has no {{refusal}}'],
  ['an unknown field', (file) => file.replace('{{sentence}}', '{{domicilio}}'), '"domicilio" not defined'],
  ...['{{{sentence}}}', '{{~{sentence}}}', '{{&sentence}}', '{{~&sentence}}'].map(
    (bare): [string, (file: string) => string, string] => [
      `what is not escaped, ${bare},`,
      (file) => file.replace('<p style="margin:8px 0 0">{{sentence}}', bare),
      'escapes nothing',
    ],
  ),
  ['what writes into the log', (file) => file.replace('{{sentence}}', '{{log shop}}'), 'unknown helper log'],
  ['a block that is open', (file) => file.replace('{{/if}}', ''), 'Parse error'],
])('with %s is refused', ([, wrong, why], { folder }) => {
  const path = join(folder, 'malo.hbs');
  writeFileSync(path, wrong(OURS));
  expect(() => mailTemplate(path)).toThrow(why);
  expect(() => mailTemplate(path)).toThrow(`NOTICE_TEMPLATE: ${path}`);
});

test('that is not there is refused', () => {
  expect(() => mailTemplate('/no/hay.hbs')).toThrow('NOTICE_TEMPLATE: /no/hay.hbs');
});
