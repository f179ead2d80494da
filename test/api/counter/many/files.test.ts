import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { readCell } from '#services/api/counter/browser/many/cells.ts';
import { FIELDS } from '#services/api/counter/browser/many/fields.ts';
import { recognise } from '#services/api/counter/browser/many/headings.ts';
import { MAX_ROWS, readFile, readPasted } from '#services/api/counter/browser/many/reading/read-file.ts';
import { rowsOf, sheetOf } from '#services/api/counter/browser/many/rows.ts';
import { correctedTable, sampleTable } from '#services/api/counter/browser/many/saved.ts';
import { writeCsv, writeXlsx } from '#services/api/counter/browser/many/tables.ts';
import * as exported from './exports.ts';

const rowsIn = (bytes: Uint8Array) => {
  const sheet = sheetOf(readFile(bytes));
  return rowsOf(sheet, recognise(sheet.headings));
};
const cellsIn = (bytes: Uint8Array) => rowsIn(bytes).map(({ cells }) => cells);

describe('files as people export them', () => {
  test('from Excel in Spanish, with what it has lost', () => {
    const rows = rowsIn(exported.excelCsv());
    expect(rows.map(({ line }) => line)).toEqual([3, 4]);
    expect(rows[0]?.cells).toEqual({
      Referencia: 'P-1',
      'Destinatario.Nombre': 'José Núñez',
      'Destinatario.CodigoPostal': '6600',
      'Destinatario.Calle': 'Reforma',
      'Destinatario.Numero_exterior': '12-mar',
      'Destinatario.Colonia': 'Juárez',
      'Destinatario.Celular': '5512345678',
      'Producto.Peso': '2,5',
      'Producto.Contenido': 'Libros; dos',
    });
  });

  test('from Excel as UTF-8, LibreOffice and Google Sheets', () => {
    expect(cellsIn(exported.excelUtf8())).toEqual([
      {
        Referencia: 'P-1',
        'Destinatario.Nombre': 'José',
        'Destinatario.CodigoPostal': '06600',
        'Producto.Contenido': 'Té',
      },
    ]);
    expect(cellsIn(exported.libreOffice())).toEqual([
      {
        Referencia: 'P-1',
        'Destinatario.Nombre': 'Ana "la jefa"',
        'Destinatario.CodigoPostal': '06600',
        'Destinatario.Referencias': 'Portón\nverde',
      },
    ]);
    expect(cellsIn(exported.googleSheets())).toEqual([
      {
        Referencia: 'P-1',
        'Destinatario.Nombre': 'Pérez, Luis',
        'Destinatario.CodigoPostal': '06600',
        'Destinatario.Municipio': 'Cuauhtémoc',
        'Destinatario.Celular': '+52 55 1234 5678',
      },
    ]);
  });

  test("from WooCommerce: the recipient's address, the buyer's phone", () => {
    expect(cellsIn(exported.wooCommerce())).toEqual([
      expect.objectContaining({
        Referencia: '1001',
        'Destinatario.Nombre': 'Luis Pérez',
        'Destinatario.Email': 'rosa@ejemplo.mx',
        'Destinatario.Celular': '5512345678',
        'Destinatario.Calle': 'Av. Reforma 250',
        'Destinatario.Referencias': 'Depto 4B',
        'Destinatario.Municipio': 'Cuauhtémoc',
        'Destinatario.CodigoPostal': '06600',
      }),
    ]);
  });

  test('from Shopify: the lines of an order are one row', () => {
    const rows = cellsIn(exported.shopify());
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({
      Referencia: '#1001',
      'Destinatario.Nombre': 'Luis Pérez',
      'Destinatario.CodigoPostal': "'06600",
      'Destinatario.Celular': "'+525512345678",
      'Destinatario.Estado': 'Ciudad de México',
      'Producto.Contenido': 'Taza, Plato',
    });
    expect(readCell('Destinatario.CodigoPostal', "'06600")).toEqual({ value: '06600' });
    expect(readCell('Destinatario.Telefono', "'+525512345678")).toEqual({ value: '+525512345678' });
  });

  test('from a workbook: the first visible sheet, kept values, dates, formats of digits', () => {
    expect(readFile(exported.excelWorkbook())).toEqual([
      ['Pedido', 'Nombre', 'CP', 'Celular', 'Fecha', 'Peso'],
      ['P-1', 'Luis & Pérez', '06600', '5512345678', '2025-11-22', '2.5'],
      [],
      ['P-2', '', '6600', '', '', '#DIV/0!'],
    ]);
  });

  test('with three sides in one column, and grams in a heading', () => {
    const measured = 'Medidas;Peso (g)\n25x20x15;800\n25 cm X 20 cm × 1,5 cm;2 kg\n25*20;\n';
    expect(cellsIn(strToU8(measured))).toEqual([
      { 'Producto.Largo': '25', 'Producto.Ancho': '20', 'Producto.Alto': '15', 'Producto.Peso': '800 g' },
      {
        'Producto.Largo': '25 cm',
        'Producto.Ancho': '20 cm',
        'Producto.Alto': '1,5 cm',
        'Producto.Peso': '2 kg',
      },
      { 'Producto.Largo': '25*20' },
    ]);
  });

  test('pasted from a spreadsheet', () => {
    expect(readPasted('Pedido\tNombre\r\nP-1\t"Luis\nPérez"\r\n')).toEqual([
      ['Pedido', 'Nombre'],
      ['P-1', 'Luis\nPérez'],
    ]);
  });
});

describe('a file that cannot be read', () => {
  const sheets = 'xl/workbook.xml';
  test.for<[why: string, bytes: Uint8Array]>([
    ['más de 64 MiB', zipSync({ [sheets]: new Uint8Array(65 * 2 ** 20) }, { level: 1 })],
    ['dañado', exported.excelWorkbook({ 'xl/worksheets/sheet2.xml': '<worksheet><row></c>' })],
    ['dañado o tiene contraseña', exported.excelWorkbook().slice(0, 400)],
    ['no es un libro', zipSync({ 'leeme.xml': strToU8('<a/>') })],
    ['antes de 2007', Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1)],
    ['PDF', strToU8('%PDF-1.7')],
    ['comillas', strToU8('a,b\n"c,d\ne,f\n')],
    [`más de ${MAX_ROWS} filas`, strToU8('a,b\n'.repeat(MAX_ROWS + 2))],
  ])('says why: %s', ([why, bytes]) => {
    expect(() => readFile(bytes)).toThrow(why);
  });
});

test('every field is recognised by its name on the wire, and by its label in our own files', () => {
  const paths = FIELDS.map(({ path }) => path);
  expect(recognise(paths)).toEqual(paths);
  expect(recognise(FIELDS.map(({ label }) => label))).toEqual(paths);
});

test('headings of the sender and the recipient are told apart', () => {
  const headings = [
    'Remitente nombre',
    'CP remitente',
    'Nombre del destinatario',
    'CP destino',
    'Sender phone',
    'To: City',
    'Color',
  ];
  expect(recognise(headings)).toEqual([
    'Remitente.Nombre',
    'Remitente.CodigoPostal',
    'Destinatario.Nombre',
    'Destinatario.CodigoPostal',
    'Remitente.Celular',
    'Destinatario.Municipio',
    undefined,
  ]);
});

test.for<[headings: string[], meant: (string | undefined)[]]>([
  [
    ['No.', 'Núm.'],
    [undefined, 'Destinatario.Numero_exterior'],
  ],
  [
    ['Número', 'Núm.', 'No. ext.'],
    [undefined, undefined, 'Destinatario.Numero_exterior'],
  ],
])('a number of a row is none of a house: %j', ([headings, meant]) => {
  expect(recognise(headings)).toEqual(meant);
});

test('our own files come back as they were, and run nothing', () => {
  const cells = {
    Referencia: '=cmd()',
    'Destinatario.Nombre': '<img src=x onerror=alert(1)>',
    'Destinatario.CodigoPostal': '06600',
    'Destinatario.Telefono': '+525512345678',
    'Producto.Contenido': 'Té; "del" bueno\u0001 & \'rico\'',
  };
  const table = correctedTable([{ id: 0, line: 2, cells, others: ['rojo'] }], {
    headings: ['Clave', 'Color', 'Cliente'],
    mapping: ['Referencia', undefined, 'Destinatario.Nombre'],
  });
  expect(table[0]?.slice(0, 4)).toEqual(['Referencia', 'Color', 'Cliente', 'Teléfono fijo']);
  const clean = { ...cells, 'Producto.Contenido': 'Té; "del" bueno & \'rico\'' };
  expect(rowsIn(writeXlsx(table))).toEqual([{ id: 0, line: 2, cells: clean, others: ['rojo'] }]);
  expect(writeCsv(table)).toContain("'=cmd()");
  const { 'xl/styles.xml': styles = new Uint8Array() } = unzipSync(writeXlsx(table));
  // Each fill has a pattern (ECMA-376, part 1, 18.8.20): a strict reader refuses the file otherwise.
  expect(strFromU8(styles).match(/(?<=<fill>).*?(?=<\/fill>)|<fill\/>/g)).toEqual(
    ['none', 'gray125'].map((pattern) => `<patternFill patternType="${pattern}"/>`),
  );
  const [back] = cellsIn(strToU8(writeCsv(table)));
  expect(readCell('Referencia', back?.Referencia ?? '')).toEqual({ value: '=cmd()' });
  const sample = cellsIn(writeXlsx(sampleTable()));
  expect(sample).toMatchObject([{ TipoServicio: 'Domicilio', 'Destinatario.CodigoPostal': '06600' }]);
});
