import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Handlebars from 'handlebars';
import { ConfigError } from '#shared/config/load-config.ts';
import type { carrierOf } from '../tracking/page/pages.ts';

/** What a template may say. `shop` is empty if it was erased. */
type Words = {
  shop: string;
  /** What happened, as the subject says it, as a heading and as a sentence. */
  event: string;
  title: string;
  sentence: string;
  number: string;
  tracking: string;
  carrier: string;
  contact: ReturnType<typeof carrierOf>['contact'];
  privacyNotice: string;
  refusal: string;
};
/** What a mail says. */
type Written = { subject: string; text: string; html: string };

const OURS = fileURLToPath(new URL('aviso.hbs', import.meta.url));
/** The subject in a line, the text, and from here on HTML: one mail in one file. */
const HTML = '<!doctype html>';
/** A helper `log` would write a person's data to the log. */
const OPTIONS = { strict: true, knownHelpersOnly: true, knownHelpers: { log: false } };
/** What no mail may lack, in its text and in its HTML. */
const REQUIRED = ['title', 'number', 'tracking', 'privacyNotice', 'refusal'] as const;
const contact = { kind: 'phone', words: 'Llame al', text: '5512345678', href: 'tel:5512345678' } as const;
const SAMPLE: Words = {
  ...{
    shop: 'Tienda',
    event: 'llegó',
    title: 'Llegó',
    sentence: 'Su paquete llegó.',
    number: '390458235877',
  },
  ...{ tracking: 'https://a.example/r', carrier: 'Paquetería', contact },
  ...{ privacyNotice: 'https://a.example/p', refusal: 'https://a.example/n' },
};

/**
 * Returns what fills the template of a mail, ours unless `NOTICE_TEMPLATE` names another file.
 * @throws ConfigError if the file is none that can be sent: a field that does not exist, a part that is missing, or text that HTML
 * would not escape.
 */
export function mailTemplate(path = OURS): (words: Words) => Written {
  try {
    const file = readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
    const start = file.indexOf(HTML);
    if (start < 0) throw new Error(`has no ${HTML}`);
    if (/\{\{~?[{&]/.test(file)) throw new Error('has {{{ }}} or {{& }}, which escapes nothing');
    const words = Handlebars.compile(file.slice(0, start), { ...OPTIONS, noEscape: true });
    const html = Handlebars.compile(file.slice(start), OPTIONS);
    const write = (values: Words) => {
      const [subject = '', ...text] = words(values).split('\n');
      return { subject, text: text.join('\n'), html: html(values) };
    };
    for (const values of [SAMPLE, { ...SAMPLE, shop: '', contact: null }]) requireAll(write(values));
    return write;
  } catch (error) {
    const why = (error as Error).message;
    throw new ConfigError(`Wrong configuration:\n  NOTICE_TEMPLATE: ${path} ${why}`, { cause: error });
  }
}

function requireAll({ subject, text, html }: Written): void {
  if (subject.trim() === '') throw new Error('has no subject in its first line');
  const shown = html.replaceAll('&#x3D;', '=');
  const missing = REQUIRED.find((name) => !text.includes(SAMPLE[name]) || !shown.includes(SAMPLE[name]));
  if (missing) throw new Error(`has no {{${missing}}} in its text or in its HTML`);
}
