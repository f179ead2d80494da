import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { run as runCli } from '#services/api/cli.ts';
import { event, test as eventTest, wordsOf } from '#test/fixtures/events.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';

const HEADER = 'Guia,Tipo,Ocurrido,Id,Paquete,Sucursal,Motivo,Anula,Recibe,Nota';

const test = eventTest.extend('load', { scope: 'file' }, ({ folder, stores }) => {
  return async (lines: string[] | Buffer) => {
    await writeFile(join(folder, 'eventos.csv'), Array.isArray(lines) ? lines.join('\r\n') : lines);
    const env = { MONGODB_URI: stores.mongoUri, INIT_CWD: folder, OPERATOR: 'ana' };
    return runCommand(runCli, ['eventos', 'eventos.csv'], { env });
  };
});
const now = () => new Date().toISOString();

test('a file is registered line by line, and each line that is refused is named with its reason', async ({
  folder,
  load,
  newGuide,
  register,
  scanner,
  status,
  stores,
}) => {
  const guide = await newGuide();
  const known = event(guide, 'Recolectado', { Id: 'a' });
  await register(known);
  const { code, out, err } = await load([
    HEADER,
    `${guide},Recolectado,${known.Ocurrido},a,,,,,,`,
    `${guide},EnTransito,${now()},,1,mty01,,,,"Camion 7, lleno"`,
    `${guide},Incidencia,${now()},,,,,,,`,
    `390458235870,EnTransito,${now()},,,,,,,`,
    `${guide},EnTransito,ayer,,,,,,,`,
    `${guide},EnTransito,${now()},,2,,,,,`,
    `${guide},EnTransito`,
    `${guide},EnReparto,${now()},a,,,,,,`,
    '',
    `${guide},Entregado,${now()},,,,,,Luis,'-10 grados`,
  ]);
  expect({ code, out, err }).toEqual({
    code: 1,
    out: [
      'Eventos registrados: 2, repetidos: 1, rechazados: 6',
      '  linea 8: tiene 2 columnas, el encabezado 10',
      `  linea 4, Motivo: El campo 'Motivo' es requerido`,
      '  linea 5, Guia "390458235870": Guia no encontrada',
      `  linea 6, Ocurrido "ayer": El campo 'Ocurrido' debe ser una fecha y hora con zona (RFC 3339)`,
      `  linea 7, Paquete "2": El campo 'Paquete' debe ser un numero entero de 1 a 1`,
      '  linea 9, Id "a": Ya hay un evento de la guia con este Id y otro contenido',
      '',
    ].join('\n'),
    err: `${join(folder, 'eventos.csv')}: Corrija las lineas rechazadas y cargue el archivo otra vez\n`,
  });
  expect(await status(guide)).toBe('Entregado');
  const { body } = await scanner.get(`/api/guias/${guide}/eventos`);
  expect(body.data).toMatchObject([
    { Id: 'a' },
    { Sucursal: 'MTY01', Nota: 'Camion 7, lleno' },
    { Recibe: 'Luis', Nota: "'-10 grados" }, // only files of our own export have guards
  ]);
  expect(await stores.mongo.collection('audit').findOne({ action: 'admin.eventos' })).toMatchObject({
    actor: 'ana',
    outcome: 'ok',
    details: { registered: 2, repeated: 1, refused: 6 },
  });
});

test('a file of the needed columns is loaded once and again', async ({ load, newGuide, register }) => {
  const guide = await newGuide();
  const times = Array.from({ length: 1_200 }, (_, i) => new Date(Date.now() + i).toISOString());
  const lines = ['Tipo;Ocurrido;Guia', ...times.map((time) => `EnTransito;${time};${guide}`)];
  const loaded = { code: 0, out: 'Eventos registrados: 1200, repetidos: 0, rechazados: 0\n', err: '' };
  expect(await load(lines)).toEqual(loaded);
  expect(await load(lines)).toMatchObject({
    code: 0,
    out: 'Eventos registrados: 0, repetidos: 1200, rechazados: 0\n',
  });
  expect(wordsOf(await register({ Guia: guide, Tipo: 'EnTransito', Ocurrido: times[7] }))).toEqual([
    'repetido',
  ]);
});

test.for<[string, string[] | Buffer, string]>([
  [
    'a wrong header',
    ['Guia,Tipo,Cuando', 'x,y,z'],
    'Encabezado (linea 1): faltan columnas: Ocurrido; columnas desconocidas: "Cuando"',
  ],
  ['no rows', [HEADER], 'El archivo no tiene filas'],
  [
    'Latin-1',
    Buffer.from(`${HEADER}\n390458235870,EnTransito,2026-11-21T10:00:00Z,,,,,,,Camión`, 'latin1'),
    'Corrija las lineas rechazadas',
  ],
])('is refused by its name: %s', async ([, content, message], { folder, load }) => {
  const { code, err } = await load(content);
  expect([code, err]).toEqual([1, expect.stringContaining(`${join(folder, 'eventos.csv')}: ${message}`)]);
});

test('a file may have weights and sides', async ({ load, newGuide, scanner }) => {
  const guide = await newGuide();
  const { code, out } = await load([
    'Guia,Tipo,Ocurrido,Peso,Largo,Alto,Ancho',
    `${guide},Pesaje,${now()},3.4,32,22.5,15`,
    `${guide},Recolectado,${now()},,,,`,
  ]);
  expect([code, out]).toEqual([0, 'Eventos registrados: 2, repetidos: 0, rechazados: 0\n']);
  const { body } = await scanner.get(`/api/guias/${guide}/eventos`);
  expect((body.data as object[])[0]).toMatchObject({ Peso: 3.4, Largo: 32, Alto: 22.5, Ancho: 15 });
});
