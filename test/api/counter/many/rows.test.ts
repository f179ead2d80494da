import { describe, expect, test } from 'vitest';
import { keyOf } from '#services/api/counter/browser/api/key-of.ts';
import { readCell } from '#services/api/counter/browser/many/cells.ts';
import { batchesOf, problemsByRow } from '#services/api/counter/browser/many/checking.ts';
import { bodyOf, contentOf, Occurrences } from '#services/api/counter/browser/many/request.ts';
import { type Row, sheetOf } from '#services/api/counter/browser/many/rows.ts';
import { answersTo, askedOf, withAnswers } from '#services/api/counter/browser/many/same-in-all.ts';
import { beginWork, correct, know, work } from '#services/api/counter/browser/many/work.ts';

const POSTAL_CODE = 'Destinatario.CodigoPostal';
const WEIGHT = 'Producto.Peso';
const row = (id: number, cells: Record<string, string>): Row => ({ id, line: id + 2, cells, others: [] });

describe('a cell', () => {
  test.for<[path: string, text: string, reading: object]>([
    [POSTAL_CODE, '6600', { value: '6600', proposal: '06600' }],
    [POSTAL_CODE, '6600.0', { value: '6600', proposal: '06600' }],
    [POSTAL_CODE, 'C.P. 06600', { value: '06600' }],
    ['Destinatario.Telefono', '55 1234 5678', { value: '55 1234 5678' }],
    ['Destinatario.Telefono', '5512345678.0', { value: '5512345678' }],
    ['Referencia', '1E5', { value: '1E5' }],
    ['TipoServicio', 'A domicilio', { value: 'Domicilio' }],
    ['TipoServicio', 'Ocurre', { value: 'the service' }],
    ['Cobro.Medios', 'Efectivo, tarjeta', { value: ['efectivo', 'tarjeta'] }],
    [WEIGHT, '2,5', { value: 2.5 }],
    [WEIGHT, ',5 kg', { value: 0.5 }],
    [WEIGHT, '0,250', { value: 0.25 }],
    ['Producto.ValorDeclarado', '$ 1,234.50', { value: 1234.5 }],
    ['Producto.ValorDeclarado', '1.234,50 MXN', { value: 1234.5 }],
    ['Producto.ValorDeclarado', '1,234,567', { value: 1_234_567 }],
    [WEIGHT, '800 g', { value: 0.8 }],
    [WEIGHT, '1,500.5 gramos', { value: 1.5005 }],
    [WEIGHT, '1.250', { value: 1.25 }],
    [WEIGHT, ' ', {}],
  ])('%s %s', ([path, text, reading]) => {
    expect(readCell(path, text)).toEqual(reading);
  });

  test.for<[path: string, text: string, why: string]>([
    ['Destinatario.Telefono', '5.512345678e9', 'acortado'],
    ['Destinatario.Telefono', '5,51234E+09', 'acortado'],
    [POSTAL_CODE, '6.6E+03', 'acortado'],
    ['Referencia', '3.90458E+11', 'acortado'],
    ['Destinatario.Numero_exterior', '12-mar', 'fecha'],
    ['Destinatario.Numero_exterior', '2026-03-12', 'fecha'],
    [WEIGHT, '1,234', 'coma'],
    [WEIGHT, 'dos', 'número'],
    [WEIGHT, '1,234 g', 'coma'],
    ['Producto.Largo', '25 g', 'número'],
    ['Destinatario.Colonia', '#REF!', 'fórmula'],
  ])('%s %s is refused', ([path, text, why]) => {
    expect(readCell(path, text)).toEqual({ refusal: expect.stringContaining(why) });
  });
});

test('a row is the request of one guide, without the cells that are refused', () => {
  const cells = {
    TipoServicio: 'sucursal',
    Referencia: 'P-1',
    'Destinatario.Nombre': 'Ana',
    [POSTAL_CODE]: '06600',
    [WEIGHT]: 'dos',
    'Producto.Paquetes': '2',
    'Cobro.Monto': '450.50',
  };
  expect(bodyOf(cells)).toEqual({
    TipoServicio: 'the service',
    Guia: [
      {
        Remitente: {},
        Destinatario: { Nombre: 'Ana', CodigoPostal: '06600' },
        Producto: { Paquetes: 2 },
        Creado_por: {},
        Referencia: 'P-1',
        Cobro: { Monto: 450.5 },
      },
    ],
  });
});

describe('what a file does not say', () => {
  const rowsWith = (...cells: Record<string, string>[]) => cells.map((each, id) => row(id, each));
  const required = (...cells: Record<string, string>[]) =>
    askedOf(rowsWith(...cells)).required.map((fields) => fields.map(({ path }) => path));

  test('is asked for if every guide needs it and no row has it', () => {
    expect(required({ Referencia: 'P-1' })).toEqual([
      ['Remitente.Nombre'],
      ['Destinatario.Nombre'],
      [POSTAL_CODE, 'Destinatario.DestinoCode'],
      ['Producto.Contenido'],
    ]);
    const recipient = { 'Destinatario.Nombre': 'Ana', 'Destinatario.DestinoCode': 'MEX01' };
    expect(required(recipient, { 'Producto.Contenido': 'Té' })).toEqual([['Remitente.Nombre']]);
  });

  test('is put where it is missing, and the address of a sender to no other one', () => {
    const sender = { 'Remitente.Nombre': 'Tienda', 'Remitente.Calle': 'Reforma' };
    const rows = rowsWith({ [WEIGHT]: '2' }, { 'Remitente.Nombre': 'Otra' });
    const answers = answersTo(askedOf(rows), {
      ...sender,
      [WEIGHT]: '5',
      'Producto.Alto': ' ',
      Referencia: 'x',
    });
    expect(rows.map((each) => withAnswers(each, answers).cells)).toEqual([
      { ...sender, [WEIGHT]: '2' },
      { 'Remitente.Nombre': 'Otra', [WEIGHT]: '5' },
    ]);
    const named = rowsWith({ 'Remitente.Nombre': 'Otra' });
    expect(withAnswers(named[0] as Row, answersTo(askedOf(named), sender)).cells).toEqual({
      'Remitente.Nombre': 'Otra',
      'Remitente.Calle': 'Reforma',
    });
  });
});

describe('the key of a row', () => {
  const content = (cells: Record<string, string>) => contentOf(bodyOf(cells));
  const [one, other] = [content({ Referencia: 'P-1' }), content({ Referencia: 'P-2' })];

  test('is of what is sent, without its quote, and of the service', async () => {
    const quoted = bodyOf({ Referencia: 'P-1' });
    quoted.Guia[0].Cotizacion = 'a.b.c';
    expect(contentOf(quoted)).toBe(one);
    expect(content({ Referencia: ' P-1 ' })).toBe(one);
    const key = await keyOf('https://guias.example', one, 0);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    const others = [
      keyOf('https://guias.example', one, 1),
      keyOf('https://guias.example', other, 0),
      keyOf('https://otra.example', one, 0),
    ];
    expect(new Set([key, ...(await Promise.all(others))]).size).toBe(4);
  });

  test('counts equal rows alone, among those that are sent', () => {
    const occurrences = new Occurrences();
    // The second of two equal rows is sent alone, and later the first.
    expect(occurrences.of(7, one)).toBe(0);
    expect(occurrences.of(7, one)).toBe(0);
    expect(occurrences.of(9, other)).toBe(0);
    expect(occurrences.of(3, one)).toBe(1);
    // One that was refused is corrected.
    occurrences.release(7, one);
    expect(occurrences.of(8, one)).toBe(0);
    expect(occurrences.of(3, one)).toBe(1);
  });
});

test('a row that is another one again is not chosen, until a person says so or it is corrected', () => {
  const order = { Referencia: 'P-1', 'Destinatario.Nombre': 'Ana' };
  const rows = [order, { ...order, [WEIGHT]: '2' }, { ...order, Referencia: ' P-1 ' }, { [WEIGHT]: 'dos' }];
  const source = { name: '', sheet: sheetOf([]), mapping: [], same: {} };
  const begin = (answers = {}) =>
    beginWork(
      source,
      [...rows, { [WEIGHT]: 'tres' }].map((cells, id) => row(id, cells)),
      answers,
    );
  begin();
  const known = () => work.get()?.orders.map(({ isChosen, same }) => [isChosen, same?.line, same?.isWhole]);
  const others = [
    [true, 2, false],
    [false, 2, true],
    [true, undefined, undefined],
    [true, undefined, undefined],
  ];
  expect(known()).toEqual([[true, undefined, undefined], ...others]);
  know(new Map([[2, { isChosen: true }]]));
  correct(new Map([[3, { [WEIGHT]: '3' }]]));
  expect(known()?.[2]).toEqual([true, 2, true]);
  correct(new Map([[0, { Referencia: 'P-0' }]]));
  expect(known()?.slice(0, 3)).toEqual([
    [true, undefined, undefined],
    [true, undefined, undefined],
    [true, 3, false],
  ]);
  // Whoever goes back to the columns loses nothing of it.
  know(new Map([[1, { isChosen: false }]]));
  begin({ [WEIGHT]: '7' });
  expect(
    work.get()?.orders.map(({ isChosen, cells }) => [isChosen, cells.Referencia, cells[WEIGHT]]),
  ).toEqual([
    [true, 'P-0', '7'],
    [false, 'P-1', '2'],
    [true, ' P-1 ', '7'],
    [true, undefined, '3'],
    [true, undefined, 'tres'],
  ]);
});

test('what was asked about the rows of one file is said of no other one', () => {
  const begin = (count: number) => {
    const rows = Array.from({ length: count }, (_, id) => row(id, { Referencia: `P-${id}` }));
    beginWork({ name: '', sheet: sheetOf([]), mapping: [], same: {} }, rows, {});
    return work.get()?.occurrences;
  };
  const former = begin(2);
  begin(1);
  const answers = new Map([0, 1].map((id) => [id, { state: 'created', guide: '1' } as const]));
  know(answers, former);
  expect(work.get()?.orders.map(({ state }) => state)).toEqual(['open']);
});

describe('rows that are checked', () => {
  test('go 500 at a time, by service', () => {
    const rows = Array.from({ length: 1_003 }, (_, id) =>
      row(id, { TipoServicio: id < 3 ? 'sucursal' : '' }),
    );
    const batches = batchesOf(rows);
    expect(batches.map(({ body, rows }) => [body.TipoServicio, body.Guia.length, rows[0]?.id])).toEqual([
      ['the service', 3, 0],
      ['Domicilio', 500, 3],
      ['Domicilio', 500, 503],
    ]);
  });

  test('get each problem in its cell, and their own where a cell means nothing', () => {
    const [batch] = batchesOf([row(4, {}), row(9, { [WEIGHT]: 'dos', 'Cobro.Medios': 'oro' })]);
    const found = problemsByRow(batch as NonNullable<typeof batch>, [
      { indice: 0, campo: POSTAL_CODE, codigo: 'destino_requerido', message: 'Falta' },
      { indice: 1, campo: WEIGHT, codigo: 'campo_requerido', message: 'Falta' },
      { indice: 1, campo: 'Cobro.Medios.0', codigo: 'campo_formato', message: 'Mal', regla: 'efectivo' },
      { indice: 1, campo: 'SEND_SUCU_ORIG', codigo: 'cotizacion_distinta', message: 'Otra' },
      { campo: 'TipoServicio', codigo: 'tipo', message: 'Servicio' },
    ]);
    const service = { path: 'TipoServicio', codigo: 'tipo', message: 'Servicio' };
    expect(Object.fromEntries(found)).toEqual({
      4: [{ path: POSTAL_CODE, codigo: 'destino_requerido', message: 'Falta' }, service],
      9: [
        { path: 'Cobro.Medios', codigo: 'campo_formato', message: 'Mal: efectivo' },
        { codigo: 'cotizacion_distinta', message: 'Otra' },
        service,
      ],
    });
  });
});
