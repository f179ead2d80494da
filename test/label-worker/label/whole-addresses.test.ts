import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { asReturn, sample } from '#services/label-worker/label/template-files/sample-labels.ts';
import { LABEL_KINDS } from '#shared/labels/label-kinds.ts';
import type { LabelPayload } from '#shared/labels/label-payload.ts';
import { phoneDigits } from '#shared/phones/phone.ts';
import { test } from '#test/fixtures/labels/label-printing.ts';
import { MEXICAN_ADDRESSES } from '#test/fixtures/labels/mexican-addresses.ts';
import { inFolder } from '#test/fixtures/labels/pictures.ts';
import { seeded } from '#test/fixtures/labels/random-labels.ts';

/** Whatever an address of ordinary words says, all of it is on the label, read back from the PDF (docs/labels.md). */

type Recipient = LabelPayload['guide']['Destinatario'];

/** What a parcel needs to reach its door. */
const NEEDED = [
  ...(['Nombre', 'Calle', 'Numero_exterior', 'Numero_interior', 'Colonia', 'CodigoPostal'] as const),
  ...(['Municipio', 'Estado', 'Celular', 'Telefono'] as const),
];

const WORDS = [
  'de la del los y a el con entre frente esquina junto piso casa lote',
  'Calle Avenida Boulevard Prolongación Calzada Privada Cerrada Andador Circuito Carretera Federal kilómetro Manzana',
  'Benito Juárez Hidalgo Insurgentes Independencia Nacional Constitución Emiliano Zapata Lázaro Cárdenas Xicoténcatl',
  'Fraccionamiento Residencial Ampliación Lomas San Agustín Unidad Habitacional Ejido Barrio Tercera Sección',
  'Guadalajara Tlajomulco Zúñiga Veracruz Ignacio Llave Parangaricutiro Michoacán Ocampo Tlahuitoltepec Dolores',
].flatMap((line) => line.split(' '));

/** Words of exactly `length` letters, but for a blank at the end. */
function words(random: () => number, length: number): string {
  let text = '';
  while (text.length < length) text += `${text && ' '}${WORDS[Math.floor(random() * WORDS.length)]}`;
  return text.slice(0, length).trim();
}

/** @param lengthOf of a field that may have so many letters. */
function recipient(random: () => number, lengthOf: (most: number) => number): Recipient {
  const text = (most: number) => words(random, lengthOf(most));
  const digits = (count: number) => Array.from({ length: count }, () => Math.floor(10 * random())).join('');
  return {
    Nombre: text(120),
    RazonSocial: words(random, 120),
    RFC: 'CNO800101AB1',
    Email: `${'direccion.larga.'.repeat(3)}x@${'dominio-largo.'.repeat(4)}mx`,
    Referencias: words(random, 250),
    Calle: text(120),
    Numero_exterior: text(20),
    Numero_interior: text(20),
    Colonia: text(120),
    CodigoPostal: digits(5),
    Municipio: text(120),
    Estado: text(120),
    Celular: digits(15),
    Telefono: digits(15),
  };
}

const random = seeded(7);
const RECIPIENTS: readonly Recipient[] = [
  ...Array.from({ length: 8 }, () => recipient(random, (most) => most)),
  ...Array.from({ length: 8 }, () => recipient(random, (most) => 1 + Math.floor(most * random()))),
  ...MEXICAN_ADDRESSES,
];

describe.each(LABEL_KINDS)('on a %s label', (kind) => {
  test('every part of an address in words is whole, in 6 points or more', async ({ printer }) => {
    const lost: string[] = [];
    await Promise.all(
      RECIPIENTS.map(async (to) => {
        const label = sample({ kind, route: 'WMB-80-1', guide: { ...sample().guide, Destinatario: to } });
        const { text, smallest } = await readBack(await printer.print(label));
        expect(smallest).toBeGreaterThanOrEqual(5.99);
        for (const field of NEEDED) {
          const isPhone = field === 'Celular' || field === 'Telefono';
          const value = isPhone ? phoneDigits(to[field] ?? '') : to[field];
          if (value && !text.includes(lettersOf(value))) lost.push(`${field}: ${value}`);
        }
        const { Contenido, InformacionAdicional } = label.guide.Producto;
        for (const value of [to.Referencias, Contenido, InformacionAdicional])
          if (value) expect(text).toContain(lettersOf(value).slice(0, 12));
      }),
    );
    expect(lost).toEqual([]);
  });

  test('every part is whole on a return too, beside its mark and both numbers', async ({ printer }) => {
    const lost: string[] = [];
    await Promise.all(
      RECIPIENTS.slice(0, 24).map(async (to) => {
        const label = asReturn(
          sample({ kind, route: 'WMB-80-1', guide: { ...sample().guide, Destinatario: to } }),
        );
        const { text, smallest } = await readBack(await printer.print(label));
        expect(smallest).toBeGreaterThanOrEqual(5.99);
        for (const field of NEEDED) {
          const isPhone = field === 'Celular' || field === 'Telefono';
          const value = isPhone ? phoneDigits(to[field] ?? '') : to[field];
          if (value && !text.includes(lettersOf(value))) lost.push(`${field}: ${value}`);
        }
        for (const shown of ['DEVOLUCIÓN', label.number, label.former ?? '', label.guide.Remitente.Nombre])
          expect(text).toContain(lettersOf(shown));
        expect(text).toContain(lettersOf(label.guide.Producto.Contenido).slice(0, 12));
      }),
    );
    expect(lost).toEqual([]);
  });

  test('a place to pick up is whole, with its phone and its hours', async ({ printer }) => {
    for (const lengthOf of [(most: number) => most, (most: number) => Math.ceil(most / 4)]) {
      const at = recipient(random, lengthOf);
      const pickUp = {
        Calle: at.Calle ?? '',
        Numero: at.Numero_exterior ?? '',
        Colonia: at.Colonia ?? '',
        CodigoPostal: at.CodigoPostal ?? '',
        Municipio: at.Municipio ?? '',
        Estado: words(random, 40),
        Telefono: at.Telefono ?? '',
        Horario: 'Lunes a viernes de 9:00 a 18:00, sábado de 9:00 a 14:00',
      };
      const guide = { ...sample().guide, Destinatario: { Nombre: at.Nombre, DestinoCode: 'MTY01' } };
      const label = sample({ kind, service: 'the service', pickUp, guide });
      const { text, smallest } = await readBack(await printer.print(label));
      expect(smallest).toBeGreaterThanOrEqual(5.99);
      for (const value of ['RECOGER EN', at.Nombre, ...Object.values(pickUp)])
        expect(text).toContain(lettersOf(value));
    }
  });

  test('numbers, postal code and phones are whole whatever else is long', async ({ printer }) => {
    const wide = (length: number) => 'W'.repeat(length);
    const all = recipient(random, (most) => most);
    const cases: Recipient[] = [
      {
        ...all,
        Nombre: wide(120),
        Calle: wide(120),
        Colonia: wide(120),
        Municipio: wide(120),
        Estado: wide(120),
      },
      { ...all, Calle: wide(120), Numero_exterior: wide(20), Numero_interior: wide(20) },
      { ...all, Municipio: wide(120), Numero_exterior: wide(20), Estado: wide(120) },
    ];
    for (const to of cases) {
      const label = sample({ kind, guide: { ...sample().guide, Destinatario: to } });
      const { text } = await readBack(await printer.print(label));
      for (const field of [
        'Numero_exterior',
        'Numero_interior',
        'CodigoPostal',
        'Celular',
        'Telefono',
      ] as const)
        expect(text, field).toContain(lettersOf(to[field] ?? ''));
      // Those that are cut first leave a line at least.
      for (const field of ['Nombre', 'Calle', 'Colonia', 'Municipio', 'Estado'] as const)
        expect(text, field).toContain(lettersOf(to[field] ?? '').slice(0, 12));
    }
  });
});

const run = promisify(execFile);

/** Returns the letters of a label's first page in the order in which they are drawn, and its smallest type, in points. */
async function readBack(pdf: Uint8Array): Promise<{ text: string; smallest: number }> {
  return inFolder(async (folder) => {
    const file = join(folder, 'label.pdf');
    await writeFile(file, pdf);
    const { stdout } = await run('mutool', ['draw', '-q', '-F', 'stext', '-o', '-', file, '1'], {
      maxBuffer: 1 << 26,
    });
    const sizes = [...stdout.matchAll(/<font [^>]*size="([\d.]+)"/g)].map(([, size]) => Number(size));
    const letters = [...stdout.matchAll(/<char [^>]* c="([^"]*)"/g)].map(([, letter = '']) =>
      letter.replace(/&#x([0-9a-f]+);/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16))),
    );
    return { text: lettersOf(letters.join('')), smallest: Math.min(...sizes) };
  });
}

/** Without blanks, which lines break at, and signs. */
function lettersOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '');
}
