import { describe, expect } from 'vitest';
import { adviceForPeople, type OpenApi } from '#services/api/counter/browser/api/document.ts';
import { type GuideForm, guideForm, guideOf, isComplete } from '#services/api/counter/browser/one/form.ts';
import { arranged } from '#services/api/counter/browser/one/layout.ts';
import { besideField, spoken } from '#services/api/counter/browser/ui/api-words.ts';
import { SERVICE_TYPES, SentGuide } from '#shared/guides/guide.ts';
import { call } from '#test/fixtures/client.ts';
import { test as services } from '#test/fixtures/services.ts';

/** The form of one guide, which the OpenAPI document makes. */

const test = services
  .extend('document', { scope: 'file' }, async ({ api }) => {
    return (await call(`${api.url}/api/openapi.json`)).body as unknown as OpenApi;
  })
  .extend('form', { scope: 'file' }, ({ document }) => guideForm(document));

const fieldsOf = ({ sections }: GuideForm) => sections.flatMap(({ fields }) => fields);

/** The paths of all fields that a client may send. */
function sentFields(): string[] {
  return Object.entries(SentGuide.properties).flatMap(([name, schema]) => {
    if (!('properties' in schema)) return name;
    return Object.keys(schema.properties).map((field) => `${name}.${field}`);
  });
}

describe('the form of a guide', () => {
  test('has every field of `guide.ts` but the quote, and shows each of them', ({ form }) => {
    const paths = sentFields().filter((path) => path !== 'Cotizacion');
    expect(paths.length).toBeGreaterThan(35);
    expect(
      fieldsOf(form)
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual(paths.toSorted());
    const shown = form.sections.map(arranged).flatMap(({ usual, rest }) => [...usual, ...rest]);
    expect(shown.length).toBe(paths.length);
    expect(form.services).toEqual(SERVICE_TYPES);
  });

  test('has the words, rules and examples of the document', ({ form }) => {
    const field = (path: string) => fieldsOf(form).find((each) => each.path === path);
    expect(field('Remitente.Nombre')).toMatchObject({ required: true, maxLength: 120, example: 'Ana López' });
    expect(field('Destinatario.Celular')).toMatchObject({ label: 'Teléfono celular', required: false });
    expect(field('Producto.Paquetes')).toMatchObject({ kind: 'integer', hint: '1 si falta' });
    expect(field('Producto.Peso')).toMatchObject({ kind: 'decimal', label: 'Peso, en kg', example: '2.5' });
    expect(field('Cobro.Medios')).toMatchObject({ kind: 'choices', options: ['efectivo', 'tarjeta'] });
  });

  test('has a field that is added to the document', ({ document }) => {
    const added = structuredClone(document);
    const { Producto } = added.components.schemas;
    Object.assign(Producto?.properties ?? {}, {
      Apilable: { type: ['string', 'null'], enum: ['si', 'no', null], description: 'Si puede ir debajo' },
    });
    const field = fieldsOf(guideForm(added)).find(({ path }) => path === 'Producto.Apilable');
    expect(field).toMatchObject({ label: 'Si puede ir debajo', kind: 'choice', options: ['si', 'no'] });
  });

  test('makes a guide of what is filled in', ({ form }) => {
    const values = {
      ...{ 'Remitente.Nombre': ' Ana ', 'Destinatario.Nombre': 'Luis', 'Destinatario.CodigoPostal': '06600' },
      ...{ 'Producto.Contenido': 'Libros', 'Producto.Peso': '2,5', 'Producto.ValorDeclarado': '1,500.50' },
      ...{ 'Producto.Largo': 'largo', 'Producto.Alto': '', 'Cobro.Medios': 'efectivo|tarjeta' },
      ...{ Referencia: 'PEDIDO-1' },
    };
    expect(guideOf(form, values)).toEqual({
      Remitente: { Nombre: 'Ana' },
      Destinatario: { Nombre: 'Luis', CodigoPostal: '06600' },
      Producto: { Contenido: 'Libros', Peso: 2.5, ValorDeclarado: 1500.5, Largo: 'largo' },
      Creado_por: {},
      Cobro: { Medios: ['efectivo', 'tarjeta'] },
      Referencia: 'PEDIDO-1',
    });
    // As "Varias" reads them.
    for (const [Peso, sent] of [
      ['0,250', 0.25],
      ['2.5 kg', 2.5],
      ['1,500', '1,500'],
    ] as const) {
      expect(guideOf(form, { 'Producto.Peso': Peso })).toMatchObject({ Producto: { Peso: sent } });
    }
    expect(isComplete(form, values)).toBe(true);
    expect(isComplete(form, { ...values, 'Producto.Contenido': ' ' })).toBe(false);
  });
});

test('what to do about a problem is told without code, which is for programs', ({ document }) => {
  expect(adviceForPeople(document, 'sin_cobertura')).toBe('El transportista no entrega ahí.');
  expect(adviceForPeople(document, 'cuota_excedida')).toBe('');
  expect(adviceForPeople(document, 'de_otra_version')).toBe('');
});

test('sentences of the API name fields as people do, with accents', () => {
  const said: [string, string][] = [
    ["El campo 'Remitente.Nombre' es requerido", 'El campo «nombre de quien envía» es requerido'],
    [
      "El campo 'Producto.Peso' debe ser un numero (number), no un texto",
      'El campo «peso» debe ser un número, no un texto',
    ],
    ['Se requiere DestinoCode o CodigoPostal', 'Se requiere sucursal de destino o código postal'],
    ['Guia no encontrada', 'Guía no encontrada'],
    ['La recoleccion esta Cancelada y ya no cambia', 'La recolección está Cancelada y ya no cambia'],
    ['Las guias de esta cuenta', 'Las guías de esta cuenta'],
  ];
  expect(said.map(([message]) => spoken(message))).toEqual(said.map(([, words]) => words));
  expect(besideField(spoken(said[1]?.[0] ?? ''))).toBe('Debe ser un número, no un texto');
});
