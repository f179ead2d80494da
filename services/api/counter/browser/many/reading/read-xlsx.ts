/// <reference path="./saxen.d.ts" />
import { strFromU8, unzipSync } from 'fflate';
import { Parser } from 'saxen';
import { type Cells, isEmpty, UnreadableFile } from './read-text.ts';

/** Reads the first visible sheet of an Office Open XML workbook (ECMA-376, part 1, 18). Formulas have the values that they were saved with. */

/** Most bytes that a workbook may unfold to. */
const MAX_INFLATED = 64 * 2 ** 20;
/** Most columns that are read. */
const MAX_COLUMNS = 256;
/** Most empty rows between two others that are counted. */
const MAX_GAP = 1_000;
const DAY_MS = 86_400_000;
/** Day 0 of the two calendars of workbooks. Excel counts a 29th of February 1900, so days before March 1900 are one less. */
const EPOCHS = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) };
/** The formats of dates and times without a text of their own (18.8.30). */
const BUILT_IN_DATES = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47]);
const ERRORS = /^#(?:N\/A|REF!|VALUE!|DIV\/0!|NAME\?|NUM!|NULL!)$/;

type Attributes = Readonly<Record<string, string>>;
type Handlers = {
  open?: (name: string, attributes: () => Attributes) => void;
  close?: (name: string) => void;
  text?: (text: string) => void;
};
type Files = Readonly<Record<string, Uint8Array>>;
/** How the cells of a style are written: as dates, or as numbers of so many digits. */
type Style = { isDate: boolean; digits: number };

/** @throws UnreadableFile */
export function readXlsx(bytes: Uint8Array, maxRows: number): Cells {
  const files = unzip(bytes);
  const { path, epoch } = findSheet(files);
  const sheet = files[path];
  if (!sheet) throw new UnreadableFile('El libro no tiene la hoja que anuncia: guárdelo de nuevo.');
  return readSheet(sheet, { texts: readTexts(files), styles: readStyles(files), epoch, maxRows });
}

function unzip(bytes: Uint8Array): Files {
  let inflated = 0;
  try {
    return unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        if (!/\.(?:xml|rels)$/.test(name)) return false;
        // fflate gives a file no more bytes than it announces here.
        inflated += originalSize;
        if (inflated > MAX_INFLATED)
          throw new UnreadableFile('El libro mide más de 64 MiB: guarde solo la hoja de los pedidos.');
        return true;
      },
    });
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    throw new UnreadableFile('El libro está dañado o tiene contraseña: guárdelo de nuevo como .xlsx.');
  }
}

function findSheet(files: Files): { path: string; epoch: number } {
  const sheets: Attributes[] = [];
  const targets = new Map<string, string>();
  let epoch = EPOCHS[1900];
  walk(files['xl/workbook.xml'], {
    open: (name, attributes) => {
      if (name === 'sheet') sheets.push(attributes());
      if (name === 'workbookPr' && /^(?:1|true)$/.test(attributes().date1904 ?? '')) epoch = EPOCHS[1904];
    },
  });
  walk(files['xl/_rels/workbook.xml.rels'], {
    open: (name, attributes) => {
      if (name !== 'Relationship') return;
      const { Id = '', Target = '' } = attributes();
      targets.set(Id, Target.startsWith('/') ? Target.slice(1) : `xl/${Target}`);
    },
  });
  const visible = sheets.find(({ state = 'visible' }) => state === 'visible');
  if (!visible) throw new UnreadableFile('El archivo no es un libro de Excel (.xlsx) con una hoja visible.');
  return { path: targets.get(relationOf(visible)) ?? 'xl/worksheets/sheet1.xml', epoch };
}

/** The prefix of relations is a name that the file chooses. */
function relationOf(sheet: Attributes): string {
  return Object.entries(sheet).find(([name]) => name.endsWith(':id'))?.[1] ?? '';
}

function readTexts(files: Files): string[] {
  const texts: string[] = [];
  let text = '';
  let isText = false;
  let isPhonetic = false;
  walk(files['xl/sharedStrings.xml'], {
    open: (name) => {
      if (name === 'si') text = '';
      if (name === 'rPh') isPhonetic = true;
      isText = name === 't' && !isPhonetic;
    },
    close: (name) => {
      if (name === 'si') texts.push(text);
      if (name === 'rPh') isPhonetic = false;
      isText = false;
    },
    text: (part) => {
      if (isText) text += part;
    },
  });
  return texts;
}

function readStyles(files: Files): Style[] {
  const formats = new Map<number, string>();
  const styles: Style[] = [];
  let isOfCells = false;
  walk(files['xl/styles.xml'], {
    open: (name, attributes) => {
      if (name === 'numFmt') formats.set(Number(attributes().numFmtId), attributes().formatCode ?? '');
      if (name === 'cellXfs') isOfCells = true;
      if (name === 'xf' && isOfCells) styles.push(styleOf(Number(attributes().numFmtId ?? 0), formats));
    },
    close: (name) => {
      if (name === 'cellXfs') isOfCells = false;
    },
  });
  return styles;
}

function styleOf(id: number, formats: ReadonlyMap<number, string>): Style {
  // Without quoted texts, colours and places, whose letters are no dates.
  const code = (formats.get(id) ?? '').replace(/"[^"]*"|\\.|\[[^\]]*\]/g, '');
  return {
    isDate: BUILT_IN_DATES.has(id) || /[dyhs]/i.test(code),
    digits: /^0+$/.test(code) ? code.length : 0,
  };
}

type Sheet = { texts: readonly string[]; styles: readonly Style[]; epoch: number; maxRows: number };

function readSheet(bytes: Uint8Array, { texts, styles, epoch, maxRows }: Sheet): Cells {
  const rows: Cells = [];
  let row: string[] = [];
  let number = 0;
  let count = 0;
  let cell: Attributes = {};
  let value = '';
  let isValue = false;
  walk(bytes, {
    open: (name, attributes) => {
      if (name === 'row') {
        row = [];
        number = Number(attributes().r ?? rows.length + 1);
      }
      if (name === 'c') {
        cell = attributes();
        value = '';
      }
      // Not the formula, `f`.
      isValue = name === 'v' || name === 't';
    },
    text: (part) => {
      if (isValue) value += part;
    },
    close: (name) => {
      isValue = false;
      if (name === 'c') {
        const column = columnOf(cell.r) ?? row.length;
        if (column < MAX_COLUMNS) row[column] = cellText(cell, value, texts, styles, epoch);
      }
      if (name !== 'row') return;
      const whole = Array.from(row, (text = '') => text);
      if (isEmpty(whole)) return;
      if (++count > maxRows)
        throw new UnreadableFile(`El archivo tiene más de ${maxRows - 1} filas: divídalo en varios.`);
      const gap = number - 1 - rows.length;
      if (gap > 0 && gap <= MAX_GAP) rows.push(...Array.from({ length: gap }, () => []));
      rows.push(whole);
    },
  });
  return rows;
}

function cellText(
  { t, s }: Attributes,
  value: string,
  texts: readonly string[],
  styles: readonly Style[],
  epoch: number,
): string {
  if (t === 's') return texts[Number(value)] ?? '';
  if (t === 'inlineStr' || t === 'str') return value;
  if (t === 'b') return value === '1' ? 'VERDADERO' : 'FALSO';
  if (t === 'e' || ERRORS.test(value)) return value;
  if (value === '' || t === 'd') return value.replace(/T00:00:00(?:\.0+)?Z?$/, '');
  const number = Number(value);
  if (!Number.isFinite(number)) return value;
  const style = styles[Number(s ?? 0)];
  if (style?.isDate) return dateText(epoch + number * DAY_MS);
  return style?.digits && Number.isInteger(number)
    ? String(number).padStart(style.digits, '0')
    : String(number);
}

function dateText(ms: number): string {
  const date = new Date(Math.round(ms / 1_000) * 1_000);
  if (Number.isNaN(date.getTime())) return '';
  return date
    .toISOString()
    .slice(0, 19)
    .replace(/T00:00:00$/, '')
    .replace('T', ' ');
}

/** Returns the column of a cell such as `AB12`, from 0. */
function columnOf(reference = ''): number | undefined {
  const [letters] = /^[A-Z]{1,3}/.exec(reference) ?? [];
  if (!letters) return undefined;
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

/** Reads one part of the workbook; names come without the prefix of their namespace. */
function walk(bytes: Uint8Array | undefined, { open, close, text }: Handlers): void {
  if (!bytes) return;
  const parser = new Parser();
  const local = (name: string) => name.slice(name.indexOf(':') + 1);
  if (open)
    parser.on('openTag', (name, attributes, decodeEntities) => {
      open(local(name), () =>
        Object.fromEntries(
          Object.entries(attributes() || {}).map(([key, value]) => [key, decodeEntities(value)]),
        ),
      );
    });
  if (close) parser.on('closeTag', (name) => close(local(name)));
  if (text) {
    parser.on('text', (value, decodeEntities) => text(decodeEntities(value)));
    parser.on('cdata', text);
  }
  parser.on('error', () => {
    throw new UnreadableFile('El libro está dañado: guárdelo de nuevo como .xlsx.');
  });
  parser.parse(strFromU8(bytes));
}
