import { describe, expect } from 'vitest';
import { BRANCHES } from '#local/demo-data.ts';
import { marksOf } from '#services/api/cod/marks.ts';
import { guidePage, trackingView } from '#services/api/tracking/page/pages.ts';
import type { Branch } from '#shared/branches/branch.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import type { ManifestPayload } from '#shared/manifests/manifest-payload.ts';
import { manifestViews } from '#shared/manifests/manifest-view.ts';
import type { EventBody, LogEntry } from '#shared/tracking/event-model.ts';
import { changed } from '#test/api/quotes/tariffs/demo-tariff.ts';
import { newRecord } from '#test/bench/load/guides.ts';
import { cancel } from '#test/fixtures/conformance.ts';
import { manifestPayload } from '#test/fixtures/labels/manifests.ts';
import { textOf } from '#test/fixtures/page-visits.ts';
import { loadTariff } from '#test/fixtures/tariffs.ts';
import { test as cod, codGuide } from './fixture.ts';

/** Who sees what is to be collected: the courier on the label, the recipient on the page, the customer in prices and lists. */

type Row = ManifestPayload['guides'][number];
const test = cod;
const guideWith = (Cobro: object | undefined, more: Partial<GuideDocument> = {}): GuideDocument => {
  const record = newRecord();
  return {
    ...record,
    guide: { ...record.guide, ...(Cobro && { Cobro }) } as GuideDocument['guide'],
    ...more,
  };
};

test('the first package says the amount, and the others where it is', () => {
  const guide = guideWith({ Monto: 12_450.5 });
  expect(marksOf(guide, 1)).toEqual({ marks: [{ text: 'COBRAR $12,450.50' }] });
  expect(marksOf(guide, 3)).toEqual({
    marks: [{ text: 'COBRAR $12,450.50', others: 'COBRO EN EL PAQUETE 1 DE 3' }],
  });
  expect(marksOf(guideWith(undefined), 3)).toEqual({});
});

describe('the tracking page', () => {
  const pickUp = BRANCHES.find(({ Codigo }) => Codigo === 'MTY01') as Branch;
  const cities = new Map([['MTY01', 'Monterrey']]);
  const viewOf = trackingView('America/Mexico_City', Date.now);
  const says = (guide: GuideDocument, ...told: Partial<EventBody>[]) => {
    const entries = told.map((event, i) => {
      const Ocurrido = new Date(Date.now() + i * 1_000).toISOString();
      return { told: { Guia: guide._id, Id: `e${i}`, Ocurrido, ...event } } as LogEntry;
    });
    const view = viewOf({ guide, entries, cities, pickUp });
    return textOf(guidePage({ carrier: 'Correcaminos', contact: null, ...view })).match(
      /Tenga listo [^.]*\.\d\d[^.]*\./,
    )?.[0];
  };
  const paid = (Monto: number) =>
    ({ Tipo: 'Entregado', Paquete: 1, Cobrado: { Monto, Medio: 'efectivo' } }) as const;
  const home = (Cobro: object = { Monto: 450.5 }) => guideWith(Cobro);

  test('says what to have ready from the first delivery tour on, and no longer once it is over', () => {
    expect(says(home(), { Tipo: 'Recolectado' }, { Tipo: 'EnTransito' })).toBeUndefined();
    expect(says(home(), { Tipo: 'EnReparto' })).toBe('Tenga listo $450.50.');
    const absent = { Tipo: 'Incidencia', Motivo: 'destinatario_ausente' } as const;
    expect(says(home(), { Tipo: 'EnReparto' }, absent)).toBe('Tenga listo $450.50.');
    for (const last of [{ Tipo: 'Entregado' }, { Tipo: 'Devuelto', Motivo: 'rechazado' }] as const)
      expect(says(home(), { Tipo: 'EnReparto' }, last)).toBeUndefined();
    expect(says(guideWith(undefined), { Tipo: 'EnReparto' })).toBeUndefined();
  });

  test('says it of a parcel that is ready to be picked up', () => {
    const guide = guideWith(
      { Monto: 5, Medios: ['efectivo', 'tarjeta'] },
      { service: 'the service', destination: { code: 'MTY01', name: 'Monterrey' } },
    );
    expect(says(guide, { Tipo: 'EnSucursal', Sucursal: 'GDL01' })).toBeUndefined();
    expect(says(guide, { Tipo: 'EnSucursal', Sucursal: 'MTY01' })).toBe(
      'Tenga listo $5.00 en efectivo o con tarjeta.',
    );
  });

  test('says what is left, without what was annulled', () => {
    const guide = home({ Monto: 450.5, Medios: ['tarjeta'] });
    guide.guide.Producto.Paquetes = 2;
    expect(says(guide, { Tipo: 'EnReparto' }, paid(400))).toBe('Tenga listo $50.50 con tarjeta.');
    expect(says(guide, { Tipo: 'EnReparto' }, paid(450.5))).toBeUndefined();
    expect(says(guide, { Tipo: 'EnReparto' }, paid(400), { Tipo: 'Anulacion', Anula: 'e1' })).toBe(
      'Tenga listo $450.50 con tarjeta.',
    );
  });
});

test('a manifest has what is collected of each guide, and the sum', async ({ demo, newCod, newGuide }) => {
  const guides = [await newCod(450.5), await newGuide(), await newCod(0.01)];
  const made = await demo.post('/api/manifiestos', { Guias: guides });
  expect(made.body.data).toMatchObject({ Cobro: 450.51, Detalle: [{ Cobro: 450.5 }, {}, { Cobro: 0.01 }] });
  const { Manifiesto } = made.body.data as { Manifiesto: string };
  await cancel(demo, guides[2] ?? '');
  const { body } = await demo.get(`/api/manifiestos/${Manifiesto}`);
  // The list does not change.
  expect(body.data).toMatchObject({ Cobro: 450.51, Canceladas: 1 });
  const plain = await demo.post('/api/manifiestos', { Guias: [await newGuide()] });
  expect(plain.body.data).not.toHaveProperty('Cobro');
});

test('its PDF has a column of it, and the sum without what was cancelled', () => {
  const [one, two, three, ...rest] = manifestPayload(4).guides as [Row, Row, Row, Row];
  const guides = [
    { ...one, cod: 1_450.5 },
    { ...two, cod: 0.01 },
    { ...three, cod: 9, cancelled: true as const },
  ];
  const [page] = manifestViews({ ...manifestPayload(4), guides: [...guides, ...rest] });
  expect(page?.codHead).toBe('COBRO');
  // GDL01 before MTY01, below a line for each.
  expect(page?.lines.flatMap((line) => ('cod' in line ? [line.cod] : []))).toEqual([
    ...['$0.01', undefined, '$1,450.50', undefined],
  ]);
  expect(page?.totals?.notes).toMatch(/^Por cobrar al entregar: \$1,450\.51\. /);
  const [plain] = manifestViews(manifestPayload(4));
  expect([plain?.codHead, plain?.totals?.notes]).toEqual([undefined, expect.not.stringContaining('cobrar')]);
});

const GOODS = { Contenido: 'Libros', Peso: 1, Largo: 10, Alto: 10, Ancho: 10 };
const shipment = (Cobro?: object) => ({ ...codGuide(), Producto: GOODS, Cobro });
type Option = {
  Cotizacion: string;
  Conceptos: { Concepto: string; Importe: number; Descripcion: string }[];
};

/** Tests with a tariff that has a price for it. */
const priced = cod
  .extend('load', { scope: 'file' }, ({ api, stores }) => {
    const fee = (text: string) => `${text.trimEnd()}\ncontra entrega,cobro,0,,3,cobro,30.00,,\n`;
    return loadTariff(api, stores.mongo, changed('recargos.csv', fee));
  })
  .extend('quote', { scope: 'file' }, ({ demo, load }) => async (Cobro?: object) => {
    expect(load.version).toBeGreaterThan(0);
    const asked = { TipoServicio: 'Domicilio', Guia: [shipment(Cobro)] };
    const { body } = await demo.post('/api/guias/cotizar', asked);
    const [{ Opciones }] = body.data as [{ Opciones: [Option] }];
    const [{ Cotizacion, Conceptos }] = Opciones;
    return { Cotizacion, fee: Conceptos.find(({ Concepto }) => Concepto === 'contra entrega') };
  });

priced(
  'a price has a share of the amount, or the least, and nothing without an amount',
  async ({ quote }) => {
    expect((await quote({ Monto: 2_000 })).fee).toEqual({
      ...{ Concepto: 'contra entrega', Importe: 60, Descripcion: '3 % de 2000.00, minimo 30.00' },
    });
    expect((await quote({ Monto: 1 })).fee?.Importe).toBe(30);
    expect((await quote()).fee).toBeUndefined();
  },
);

priced('a guide collects no more than was quoted', async ({ demo, quote }) => {
  const { Cotizacion } = await quote({ Monto: 100 });
  const more = await demo.create([{ ...shipment({ Monto: 100.01 }), Cotizacion }]);
  expect([more.status, more.body.codigo, more.body.details?.[0]?.campo]).toEqual([
    ...[409, 'cotizacion_distinta', 'Cobro.Monto'],
  ]);
  for (const Cobro of [{ Monto: 100 }, { Monto: 1 }, undefined])
    expect((await demo.create([{ ...shipment(Cobro), Cotizacion }])).status).toBe(200);
  const unquoted = await quote();
  const refused = await demo.create([{ ...shipment({ Monto: 1 }), Cotizacion: unquoted.Cotizacion }]);
  expect(refused.body.codigo).toBe('cotizacion_distinta');
});
