import { strToU8, zipSync } from 'fflate';
import Papa from 'papaparse';
import { addFormulaGuards } from '#shared/commands/formula-guards.ts';

/** Texts to save, whose first row has the headings. */
export type Table = readonly (readonly string[])[];

const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const CSV_TYPE = 'text/csv;charset=utf-8';

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const part = (name: string, kind: string) =>
  `<Override PartName="/xl/${name}" ContentType="${TYPES}.${kind}+xml"/>`;
const relation = (id: number, kind: string, target: string) =>
  `<Relationship Id="rId${id}" Type="${RELATIONS}/${kind}" Target="${target}"/>`;
const relations = (...each: string[]) =>
  `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${each.join('')}</Relationships>`;
const xf = (format: number) =>
  `<xf numFmtId="${format}" fontId="0" fillId="0" borderId="0" applyNumberFormat="1"/>`;
/** Every workbook begins with these two, and strict programs refuse one without. */
const fill = (pattern: 'none' | 'gray125') => `<fill><patternFill patternType="${pattern}"/></fill>`;
/** The format of texts (ECMA-376, part 1, 18.8.30): a spreadsheet takes no cell of it for a number or a formula. */
const TEXT_FORMAT = 49;

/** Writes a workbook of one sheet, all of whose cells are texts. */
export function writeXlsx(table: Table): Uint8Array {
  const width = Math.max(...table.map((row) => row.length));
  const rows = table
    .map((row, i) => `<row r="${i + 1}">${row.map((text) => cell(text)).join('')}</row>`)
    .join('');
  return zipSync({
    '[Content_Types].xml': strToU8(
      `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${part('workbook.xml', 'sheet.main')}${part('worksheets/sheet1.xml', 'worksheet')}${part('styles.xml', 'styles')}</Types>`,
    ),
    '_rels/.rels': strToU8(relations(relation(1, 'officeDocument', 'xl/workbook.xml'))),
    'xl/workbook.xml': strToU8(
      `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets><sheet name="Guías" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': strToU8(
      relations(relation(1, 'worksheet', 'worksheets/sheet1.xml'), relation(2, 'styles', 'styles.xml')),
    ),
    'xl/styles.xml': strToU8(
      `${HEAD}<styleSheet xmlns="${MAIN}"><fonts count="1"><font/></fonts><fills count="2">${fill('none')}${fill('gray125')}</fills><borders count="1"><border/></borders><cellStyleXfs count="1">${xf(0)}</cellStyleXfs><cellXfs count="2">${xf(0)}${xf(TEXT_FORMAT)}</cellXfs></styleSheet>`,
    ),
    'xl/worksheets/sheet1.xml': strToU8(
      `${HEAD}<worksheet xmlns="${MAIN}"><cols><col min="1" max="${width}" width="22" style="1" customWidth="1"/></cols><sheetData>${rows}</sheetData></worksheet>`,
    ),
  });
}

function cell(text: string): string {
  return text === ''
    ? '<c s="1"/>'
    : `<c s="1" t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;
}

/** XML has no other control characters, not even escaped (XML 1.0, 2.2). */
function escaped(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** Writes CSV as the exports of the service do: a spreadsheet runs no cell of it. */
export function writeCsv(table: Table): string {
  return `\ufeff${Papa.unparse(table.map((row) => row.map(addFormulaGuards)))}\r\n`;
}

/** The same as files of a page. */
export function asXlsx(table: Table): Blob {
  return new Blob([writeXlsx(table) as Uint8Array<ArrayBuffer>], { type: XLSX_TYPE });
}
export function asCsv(table: Table): Blob {
  return new Blob([writeCsv(table)], { type: CSV_TYPE });
}
