import { removeFormulaGuards } from '#shared/commands/formula-guards.ts';
import { NUMBER_REFUSALS, readNumber, SHORTENED } from '../one/read-number.ts';
import { fieldAt, SERVICE, WEIGHT } from './fields.ts';

/** What a cell says. A `proposal` is offered in its place, a `refusal` says why it means nothing. */
export type Reading = { value?: unknown; proposal?: string; refusal?: string };

/** How spreadsheets write a number that they took for a day. */
const DAY =
  /^(?:\d{1,2}[-/](?:ene|feb|mar|abr|may|jun|jul|ago|sep|oct|nov|dic|jan|apr|aug|dec)[a-z]*\.?(?:[-/]\d{2,4})?|\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d)?)$/i;
const GRAMS = /(?<=\d)\s*(?:g|grs?|gramos?)\.?$/i;
const FORMULA_ERROR = /^#(?:N\/A|¡?REF!|¡?VALOR!|VALUE!|¡?DIV\/0!|¿?NOMBRE\?|NAME\?|¡?NUM!|NULL!)$/i;

const REFUSALS = {
  day: 'La hoja de cálculo hizo una fecha de este número. Escríbalo otra vez.',
  formula: 'La fórmula de esta celda no dio un valor.',
} as const;

/** The words for the two services. */
const SERVICES: Readonly<Record<string, string>> = {
  domicilio: 'Domicilio',
  adomicilio: 'Domicilio',
  entregaadomicilio: 'Domicilio',
  home: 'Domicilio',
  sucursal: 'the service',
  ensucursal: 'the service',
  ocurre: 'the service',
  recoge: 'the service',
  recogeensucursal: 'the service',
  theservice: 'the service',
};

/** Reads a cell as the API wants it. */
export function readCell(path: string, text: string): Reading {
  // An apostrophe marks a text in a spreadsheet.
  const cell = removeFormulaGuards(text.trim()).replace(/^'(?=\d)/, '');
  if (cell === '') return {};
  if (FORMULA_ERROR.test(cell)) return { refusal: REFUSALS.formula };
  if (path === SERVICE) return { value: SERVICES[cell.toLowerCase().replaceAll(/[\s_]/g, '')] ?? cell };
  const kind = fieldAt(path)?.kind;
  if (path === WEIGHT) return readWeight(cell);
  if (kind === 'number') return readNumber(cell);
  if (kind === 'list') return { value: cell.split(/[\s,;/]+/).map((each) => each.toLowerCase()) };
  if (SHORTENED.test(cell) && (kind === 'digits' || /e\+/i.test(cell)))
    return { refusal: NUMBER_REFUSALS.shortened };
  if (/Numero_(?:ex|in)terior$/.test(path) && DAY.test(cell)) return { refusal: REFUSALS.day };
  if (path.endsWith('.CodigoPostal')) return readPostalCode(cell);
  return { value: kind === 'digits' ? cell.replace(/\.0$/, '') : cell };
}

/** A spreadsheet takes away the zero in front. */
function readPostalCode(cell: string): Reading {
  const code = cell.replace(/^c\.?\s*p\.?\s*/i, '').replace(/\.0$/, '');
  return /^\d{4}$/.test(code) ? { value: code, proposal: `0${code}` } : { value: code };
}

/** Reads kilograms, or grams that say so. */
function readWeight(cell: string): Reading {
  const kilograms = cell.replace(GRAMS, '');
  const { value, ...rest } = readNumber(kilograms);
  return typeof value === 'number' && kilograms !== cell ? { value: value / 1_000 } : { value, ...rest };
}
