import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkTariff, type Surroundings } from '#services/api/quotes/tariffs/check-tariff.ts';
import { compareTariffs, warnOfAmounts } from '#services/api/quotes/tariffs/compare-tariffs.ts';
import { readTariff } from '#services/api/quotes/tariffs/read-tariff.ts';
import type { TariffFile, TariffFolder } from '#services/api/quotes/tariffs/tariff-files.ts';
import { TariffReport } from '#services/api/quotes/tariffs/tariff-report.ts';
import { describeDifference } from '#shared/loads/difference.ts';
import { AROUND, changed, demoFolder } from './demo-tariff.ts';

/** Checks a folder. @returns errors, warnings, and what differs from the demo tariff, as an operator reads them. */
async function check(folder: TariffFolder, around: Partial<Surroundings> = {}) {
  const report = new TariffReport();
  const tariff = await readTariff(folder, report);
  if (tariff) checkTariff(tariff, { ...AROUND, ...around }, report);
  const differences = tariff ? compareTariffs(demoFolder, folder, AROUND.from) : new Map();
  warnOfAmounts(differences, report);
  const changes = [...differences.values()].flatMap(describeDifference).join('\n');
  return { errors: `${report.errors}`, warnings: `${report.warnings}`, changes };
}

/** Replaces a line of a file, from 1; without a text the line goes. */
const line = (number: number, text?: string) => (content: string) =>
  content
    .split('\n')
    .toSpliced(number - 1, 1, ...(text === undefined ? [] : [text]))
    .join('\n');
const added = (text: string) => (content: string) => `${content}${text}\n`;

/** Rows of a file, from the first one below the header. */
const rowsOf = (file: TariffFile) => demoFolder.get(file)?.toString().trimEnd().split('\n').length ?? 0;
const row = (file: TariffFile) => fc.integer({ min: 2, max: rowsOf(file) });
const KEYED = [
  ...(['zonas.csv', 'rutas.csv', 'precios.csv', 'recargos.csv'] as const),
  ...(['areas.csv', 'contratos.csv', 'inhabiles.csv'] as const),
];
/** A mistake in one row of one file. */
const mistake = fc.oneof(
  fc
    .constantFrom(...KEYED)
    .chain((file) => row(file).map((number) => ({ file, number, change: 'gone' as const }))),
  fc
    .constantFrom(...KEYED, 'parametros.csv' as const)
    .chain((file) => row(file).map((number) => ({ file, number, change: 'doubled' as const }))),
  row('precios.csv').map((number) => ({
    file: 'precios.csv' as const,
    number,
    change: 'times ten' as const,
  })),
);

test('any row that is gone, doubled or has ten times its price is told at its file', async () => {
  await fc.assert(
    fc.asyncProperty(mistake, async ({ file, number, change }) => {
      const mutate = (content: string) => {
        const lines = content.split('\n');
        const text = lines[number - 1] ?? '';
        if (change === 'gone') return line(number)(content);
        if (change === 'doubled') return added(text)(content);
        return line(
          number,
          text.replace(/(\d+)\.00/, (_, pesos) => `${pesos}0.00`),
        )(content);
      };
      const { errors, warnings, changes } = await check(changed(file, mutate));
      expect(`${errors}${warnings}${changes}`).toMatch(new RegExp(`${file}\n  (linea|baja) `));
    }),
    { numRuns: 300 },
  );
});

test('the demo tariff has neither errors nor warnings', async () => {
  expect(await check(demoFolder)).toEqual({ errors: '', warnings: '', changes: '' });
});

describe('an error by file and line', () => {
  test.each<[string, TariffFile, (content: string) => string, string]>([
    [
      'a cell',
      'precios.csv',
      line(3, 'publica,Domicilio,,1,5,"1,17",'),
      'linea 3, Precio "1,17": debe ser un importe en pesos como 142.00, sin comas ni $',
    ],
    [
      'an empty cell',
      'rutas.csv',
      line(2, 'centro,centro,,1,1'),
      'linea 2, Zona "": falta; debe tener de 1 a 16 letras o digitos',
    ],
    [
      'a column less',
      'rutas.csv',
      line(2, 'centro,centro,1,1'),
      'linea 2: tiene 4 columnas, el encabezado 5',
    ],
    [
      'an amount with a comma',
      'precios.csv',
      line(3, 'publica,Domicilio,,1,5,117,00,'),
      'linea 3: tiene 8 columnas, el encabezado 7: ¿un importe con coma, como 117,00?',
    ],
    [
      'a header',
      'zonas.csv',
      line(1, 'Desde,Hasta,Zona'),
      'linea 1: Encabezado (linea 1): faltan columnas: Grupo; columnas desconocidas: "Zona". Debe ser: Desde,Hasta,Grupo',
    ],
    [
      'zeros that a spreadsheet took',
      'zonas.csv',
      line(2, '1000,16999,centro'),
      'linea 2, Desde "1000": debe tener 5 digitos (una hoja de calculo quita los ceros del principio)',
    ],
    [
      'a range the wrong way round',
      'zonas.csv',
      line(2, '16999,01000,centro'),
      'linea 2, Hasta "01000": es menor que Desde, 16999',
    ],
    [
      'ranges that overlap',
      'zonas.csv',
      added('64500,64600,centro'),
      'linea 31 "64500-64600": se encima con la linea 19, 64000-67999',
    ],
    [
      'a pair that is missing',
      'rutas.csv',
      line(4),
      'linea 1 "centro a noreste": falta la fila de estos dos grupos',
    ],
    [
      'a pair that is there twice',
      'rutas.csv',
      added('centro,centro,1,1,1'),
      'linea 38 "centro a centro": repetido, ya esta en la linea 2',
    ],
    [
      'an unknown group',
      'rutas.csv',
      added('centro,islas,1,1,1'),
      'linea 38, Destino "islas": no es un grupo de zonas.csv',
    ],
    [
      'days the wrong way round',
      'rutas.csv',
      line(2, 'centro,centro,1,2,1'),
      'linea 2, DiasMax "1": es menor que DiasMin, 2',
    ],
    [
      'a price that is there twice',
      'precios.csv',
      added('publica,Domicilio,,1,5,117.00,'),
      'linea 122 "publica, Domicilio, zona 1, 5 kg": repetido, ya esta en la linea 3',
    ],
    [
      'breaks that end too soon',
      'precios.csv',
      line(6, 'publica,Domicilio,,1,30,308.00,'),
      'linea 6, HastaKg "30": es el ultimo y queda abajo de MaximoKg, 70: ponga KgExtra',
    ],
    [
      'an extra price too soon',
      'precios.csv',
      line(5, 'publica,Domicilio,,1,20,236.00,8'),
      'linea 5, KgExtra: solo va en el ultimo HastaKg',
    ],
    [
      'a zone without price',
      'precios.csv',
      (content) => content.replaceAll(/^mayoreo,Domicilio,,6,.*\n/gm, ''),
      'linea 1 "mayoreo, Domicilio, zona 6": falta su precio',
    ],
    [
      'an unknown zone',
      'precios.csv',
      added('publica,Domicilio,,7,100,1.00,'),
      'linea 122, Zona "7": no esta en rutas.csv',
    ],
    [
      'an unknown service',
      'precios.csv',
      line(2, 'publica,domicilio,,1,1,91.00,'),
      'linea 2, TipoServicio "domicilio": debe ser Domicilio o the service',
    ],
    [
      'an unknown list',
      'contratos.csv',
      added('otro,menudeo,'),
      'linea 3, Lista "menudeo": no esta en precios.csv',
    ],
    [
      'an unknown area',
      'recargos.csv',
      added('islas,area:islas,,10,,,,,'),
      'linea 6, Aplica "islas": no es un area de areas.csv',
    ],
    [
      'a surcharge of nothing',
      'recargos.csv',
      added('nada,siempre,,,,,,,'),
      'linea 6 "nada": no cobra ni alarga nada: ponga Importe, Porcentaje, Minimo o Dias',
    ],
    [
      'a surcharge that looks like the tax',
      'recargos.csv',
      added('Ivá,siempre,,10,,,,,'),
      'linea 6, Concepto "Ivá": es el nombre de otra linea del precio',
    ],
    [
      'a surcharge too many',
      'recargos.csv',
      (content) => `${content}${Array.from({ length: 17 }, (_, i) => `c-${i},siempre,,10,,,,,\n`).join('')}`,
      'linea 22 "c-16": son mas de 20 recargos',
    ],
    [
      'an unknown parameter',
      'parametros.csv',
      added('Iva,16'),
      'linea 11, Nombre "Iva": debe ser Divisor, EscalonKg, MaximoKg, MaximoCm, IVA, IVAFrontera, VigenciaDias, Corte, Sabado',
    ],
    [
      'a step of nothing',
      'parametros.csv',
      line(3, 'EscalonKg,0'),
      'linea 3, Valor "0": debe ser un peso en kg de 0 a 1000, con 3 decimales a lo mas, mayor que 0',
    ],
    ['a parameter that is missing', 'parametros.csv', line(4), 'linea 1: falta MaximoKg'],
    [
      'a date',
      'inhabiles.csv',
      added('2027-02-30,Nada'),
      'linea 12, Fecha "2027-02-30": debe ser una fecha como 2026-12-25',
    ],
    [
      'an example with another total',
      'ejemplos.csv',
      line(2, 'demo,MEX01,64000,Domicilio,,1,2.5,30,20,15,1500.00,194.31'),
      'linea 2, Total "194.31": la tarifa da 194.30: flete 142.00 (Zona 3, hasta 5 kg), descuento -14.20 (10 % de 142.00), combustible 14.70 (11.5 % de 127.80), seguro 25.00 (1.5 % de 1500.00, minimo 25.00), iva 26.80 (16 % de 167.50)',
    ],
  ])('%s', async (_what, file, change, expected) => {
    expect((await check(changed(file, change))).errors).toBe(`${file}\n  ${expected}`);
  });

  test('an example of a guide of which money is collected', async () => {
    const columns = 'CodigoPostal,Origen,Cuenta,TipoServicio,TipoEnvio,Paquetes,Peso,Largo,Alto,Ancho';
    const example = (total: string) =>
      Buffer.from(
        `${columns},ValorDeclarado,Cobro,Total\n64000,MEX01,demo,Domicilio,,1,2.5,30,20,15,1500.00,2000.00,${total}\n`,
      );
    const tariff = changed('recargos.csv', added('cobro,cobro,0,,3,cobro,30.00,,'));
    const checked = (total: string) => check(new Map([...tariff, ['ejemplos.csv', example(total)]]));
    expect((await checked('263.90')).errors).toBe('');
    expect((await checked('194.30')).errors).toContain('cobro 60.00 (3 % de 2000.00, minimo 30.00)');
  });

  test('a required file that is missing', async () => {
    const folder = new Map(demoFolder);
    folder.delete('rutas.csv');
    expect((await check(folder)).errors).toContain('rutas.csv\n  linea 1: falta el archivo');
  });
});

describe('a change by file and row', () => {
  test.each<[string, TariffFile, (content: string) => string, string[]]>([
    ['a row that is gone', 'recargos.csv', line(5), ['baja  seguro, declarado, 0  1.5, declarado, 25']],
    ['the last row that is gone', 'contratos.csv', line(2), ['baja  demo  mayoreo, 10']],
    [
      'half of the rows that are gone',
      'areas.csv',
      (content) => content.split('\n').slice(0, 3).concat('frontera,21000,22999', '').join('\n'),
      [
        ...['41300, 41399', '63500, 63599', '70100, 70199'].map((range) => `baja  extendida, ${range}`),
        ...['32000, 32699', '88000, 88999'].map((range) => `baja  frontera, ${range}`),
      ],
    ],
    [
      'another base of a surcharge',
      'recargos.csv',
      line(2, 'combustible,siempre,,,11.5,subtotal,,,'),
      ['cambio  combustible, siempre  De: flete -> subtotal'],
    ],
    [
      'a surcharge on each package',
      'recargos.csv',
      line(3, 'zona extendida,area:extendida,,120.00,,,,paquete,2'),
      ['cambio  zona extendida, area:extendida  Por: (vacio) -> paquete'],
    ],
    [
      'more days by a surcharge',
      'recargos.csv',
      line(3, 'zona extendida,area:extendida,,120.00,,,,,3'),
      ['cambio  zona extendida, area:extendida  Dias: 2 -> 3'],
    ],
    [
      'a surcharge that applies elsewhere',
      'recargos.csv',
      line(3, 'zona extendida,area:frontera,,120.00,,,,,2'),
      ['baja  zona extendida, area:extendida  120, 2', 'alta  zona extendida, area:frontera   120, 2'],
    ],
    [
      'quotes that bind no longer',
      'parametros.csv',
      line(8, 'VigenciaDias,0'),
      ['cambio  VigenciaDias  Valor: 7 -> 0'],
    ],
    ['a later cutoff', 'parametros.csv', line(9, 'Corte,18:30'), ['cambio  Corte  Valor: 17:00 -> 18:30']],
    ['a divisor', 'parametros.csv', line(2, 'Divisor,4500'), ['cambio  Divisor  Valor: 5000 -> 4500']],
    [
      'a parameter that takes its default',
      'parametros.csv',
      line(7),
      ['cambio  IVAFrontera  Valor: 8 -> 16'],
    ],
    ['Saturdays', 'parametros.csv', line(10, 'Sabado,no'), ['cambio  Sabado  Valor: si -> no']],
    [
      'another list',
      'contratos.csv',
      line(2, 'demo,publica,10'),
      ['cambio  demo  Lista: mayoreo -> publica'],
    ],
    [
      'more days of a route',
      'rutas.csv',
      line(2, 'centro,centro,1,1,2'),
      ['cambio  centro, centro  DiasMax: 1 -> 2'],
    ],
    ['another zone', 'rutas.csv', line(4, 'centro,noreste,4,2,3'), ['cambio  centro, noreste  Zona: 3 -> 4']],
  ])('%s', async (_what, file, change, expected) => {
    const { warnings, changes } = await check(changed(file, change));
    expect([warnings, changes.split('\n')]).toEqual(['', [file, ...expected.map((line) => `  ${line}`)]]);
  });
});

describe('a warning by file and line', () => {
  test.each<[string, TariffFile, (content: string) => string, string]>([
    [
      'a price that falls with weight',
      'precios.csv',
      line(3, 'publica,Domicilio,,1,5,90.00,'),
      'linea 3, Precio "90.00": es menor que el de menos peso, 91.00 en la linea 2',
    ],
    [
      'a price times ten',
      'precios.csv',
      line(6, 'publica,Domicilio,,1,30,3080.00,8'),
      'linea 6, Precio "3080.00": cambia mas de un tercio: antes 308.00',
    ],
    [
      'a fraction',
      'recargos.csv',
      added('revision,siempre,,,0.5,flete,,,'),
      'linea 6, Porcentaje: es menos de 1 %: ¿quiso decir 50 %?',
    ],
    [
      'an account that does not exist',
      'contratos.csv',
      added('tienda,publica,5'),
      'linea 3, Cuenta "tienda": ninguna cuenta se llama asi',
    ],
    [
      'an amount where there was none',
      'recargos.csv',
      line(2, 'combustible,siempre,,50.00,11.5,flete,,,'),
      'linea 2, Importe "50.00": cambia mas de un tercio: antes 0.00',
    ],
    [
      'a discount where there was none',
      'contratos.csv',
      added('nueva,mayoreo,100'),
      'linea 3, Descuento "100 %": quita la mitad del flete o mas',
    ],
    [
      'a percentage with its point moved',
      'recargos.csv',
      line(5, 'seguro,declarado,0,,15,declarado,25.00,,'),
      'linea 5, Porcentaje "15 %": cambia mas de un tercio: antes 1.5 %',
    ],
  ])('%s', async (_what, file, change, expected) => {
    const folder = new Map(changed(file, change));
    folder.delete('ejemplos.csv');
    const accounts = new Set(['demo', 'nueva']);
    const { errors, warnings } = await check(folder, { accounts });
    expect({ errors, warnings }).toEqual({ errors: '', warnings: `${file}\n  ${expected}` });
  });

  test('a required file with a header alone is an error, as is an optional one without a header', async () => {
    const header = (content: string) => content.slice(0, content.indexOf('\n') + 1);
    const { errors } = await check(changed('rutas.csv', header));
    expect(errors).toContain('rutas.csv\n  linea 1: El archivo no tiene filas');
    expect((await check(changed('contratos.csv', () => ''))).errors).toContain('no tiene filas');
  });

  test('holidays that end soon', async () => {
    const folder = changed('inhabiles.csv', (content) => content.replaceAll(/^202[78].*\n/gm, ''));
    expect((await check(folder, { inForce: undefined })).warnings).toBe(
      'inhabiles.csv\n  linea 1 "2026-12-25": es la ultima fecha: faltan las de los meses que siguen',
    );
  });

  test('places without a group, and later versions that lack the change', async () => {
    const { warnings } = await check(demoFolder, {
      laterVersions: [14],
      origins: new Map([['NVO01', '00500']]),
      coveredPostalCodes: ['00100', '06600'],
    });
    expect(warnings).toBe(
      [
        'parametros.csv',
        '  linea 1: la version 14 entra despues y no tiene estos cambios: cargue tambien esa otra vez',
        'zonas.csv',
        '  linea 1: codigos postales con cobertura y sin grupo: 00100',
        '  linea 1 "00500": no tiene grupo y es el de la sucursal de origen NVO01',
      ].join('\n'),
    );
  });
});
