import type { LabelPayload } from '../../shared/label-job.ts';

/** Numbers from 0 to 1, the same for the same seed (mulberry32, public domain, Tommy Ettinger). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const NAMES = 'María Guadalupe,José Luis,Ana Sofía,Ángel,Begoña,Martín,Iñaki,Ximena,Raúl,Zoé'.split(',');
const SURNAMES = 'Hernández,Muñoz,Pérez,Güemes,Nuñez,Ávila,López de Lara,Ibáñez,Ochoa,Xool'.split(',');
const STREETS = (
  'Av. Insurgentes Sur,Calle 5 de Mayo,Blvd. Adolfo López Mateos,Calz. de Tlalpan,Prol. Paseo de la Reforma,' +
  'Carretera México-Toluca km 14.5,Cda. de los Ciruelos,Privada Niños Héroes'
).split(',');
const DISTRICTS = 'Centro,Del Valle Norte,San Ángel,Jardines de la Montaña,Ampliación Piloto,Ejido Ñuu'.split(
  ',',
);
const PLACES = [
  ['06600', 'Cuauhtémoc', 'Ciudad de México', 'MEX01', 'Ciudad de México Centro'],
  ['64000', 'Monterrey', 'Nuevo León', 'MTY01', 'Monterrey Centro'],
  ['44100', 'Guadalajara', 'Jalisco', 'GDL01', 'Guadalajara Centro'],
  ['97000', 'Mérida', 'Yucatán', 'MID01', 'Mérida Paseo de Montejo'],
  ['68000', 'Oaxaca de Juárez', 'Oaxaca', 'OAX01', 'Oaxaca Reforma'],
  ['76000', 'Santiago de Querétaro', 'Querétaro', 'QRO01', 'Querétaro Bernardo Quintana'],
] as const;
const NOTES = [
  'Portón verde, junto a la farmacia',
  'Entre Hidalgo y Morelos, casa de dos pisos',
  'Frente al OXXO; tocar el timbre de arriba',
];

/** A label of a guide such as people send, with every kind of address; the same for the same numbers. */
export function mexicanLabel(random: () => number): LabelPayload {
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const digits = (count: number) => Array.from({ length: count }, () => Math.floor(random() * 10)).join('');
  const maybe = <T extends object>(part: T) => (random() < 0.5 ? part : {});
  const name = () => `${one(NAMES)} ${one(SURNAMES)} ${one(SURNAMES)}`;
  const [CodigoPostal, Municipio, Estado, code, branch] = one(PLACES);
  const number = `${1 + Math.floor(random() * 9)}${digits(11)}`;
  const origin = one(PLACES);
  return {
    kind: 'letter',
    packages: 1,
    number,
    createdAt: '2026-07-14T10:32:05',
    service: one(['Domicilio', 'the service']),
    carrier: 'Envíos del Valle',
    trackingUrl: `https://rastreo.example/${number}`,
    origin: { code: origin[3], name: origin[4] },
    destination: { code, name: branch },
    guide: {
      Remitente: { Nombre: name(), ...maybe({ Celular: `55${digits(8)}` }) },
      Destinatario: {
        Nombre: name(),
        Calle: one(STREETS),
        Numero_exterior: String(1 + Math.floor(random() * 4000)),
        ...maybe({ Numero_interior: `Int. ${digits(1)}B` }),
        Colonia: one(DISTRICTS),
        CodigoPostal,
        Municipio,
        Estado,
        ...maybe({ Referencias: one(NOTES) }),
        ...maybe({ Telefono: `81${digits(8)}`, Email: `correo${digits(3)}@ejemplo.mx` }),
        ...maybe({ RazonSocial: `Comercializadora ${one(SURNAMES)} SA de CV`, RFC: `CNO${digits(6)}AB1` }),
      },
      Producto: {
        Contenido: one(['Libros', 'Refacciones', 'Ropa de niño', 'Vajilla']),
        ...maybe({ Peso: 0.5 + Math.floor(random() * 400) / 10, Largo: 30, Ancho: 20, Alto: 15.5 }),
      },
      Creado_por: { Nombre: name(), Agencia: 'Agencia Centro' },
    },
  };
}
