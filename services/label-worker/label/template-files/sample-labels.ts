import { KINDS, type LabelKind } from '#shared/labels/label-kinds.ts';
import type { LabelPayload } from '#shared/labels/label-payload.ts';

/** Labels for the trial of a template and for the preview. Tests use them too. */

type Guide = LabelPayload['guide'];

const GUIDE: Guide = {
  Remitente: {
    Nombre: 'Ana López Ibáñez',
    Celular: '5598765432',
    Telefono: '5512345678',
    Email: 'ana@ejemplo.mx',
  },
  Destinatario: {
    Nombre: 'Luis Pérez Muñoz',
    Celular: '8198765432',
    Telefono: '8112345678',
    Email: 'luis.perez@ejemplo.mx',
    RazonSocial: 'Comercial del Norte SA de CV',
    RFC: 'CNO800101AB1',
    Calle: 'Av. Benito Juárez',
    Numero_exterior: '800',
    Numero_interior: '4B',
    Colonia: 'Centro',
    CodigoPostal: '64000',
    Municipio: 'Monterrey',
    Estado: 'Nuevo León',
    Referencias: 'Portón verde, junto a la farmacia; tocar el timbre de arriba',
  },
  Producto: {
    TipoEnvio: 'Paquete',
    Contenido: 'Libros de texto',
    InformacionAdicional: 'Frágil: no apilar. Este lado arriba',
    Peso: 2.5,
    Largo: 30,
    Ancho: 20,
    Alto: 15,
    ValorDeclarado: 1500.5,
    Paquetes: 3,
  },
  Creado_por: { Nombre: 'Marta Ruiz', Agencia: 'Agencia Centro' },
  Referencia: 'PEDIDO-1042',
};

/** Returns a letter label with every field. */
export function sample(changes: Partial<LabelPayload> = {}): LabelPayload {
  return {
    kind: 'letter',
    packages: 1,
    number: '482913650724',
    createdAt: '2026-07-14T10:32:05',
    service: 'Domicilio',
    carrier: 'Envíos del Valle',
    trackingUrl: 'https://rastreo.example/482913650724',
    origin: { code: 'MEX01', name: 'Ciudad de México Centro' },
    destination: { code: 'MTY01', name: 'Monterrey Centro' },
    guide: GUIDE,
    ...changes,
  };
}

/** Puts the same text into every text field, up to the field's length. */
export function everywhere(text: string, changes: Partial<LabelPayload> = {}): LabelPayload {
  const upTo = (length: number) => [...text].slice(0, length).join('');
  const [t20, t40, t120, t250] = [upTo(20), upTo(40), upTo(120), upTo(250)];
  return sample({
    carrier: t120,
    origin: { code: t120, name: t120 },
    destination: { code: t120, name: t120 },
    guide: {
      Remitente: { ...GUIDE.Remitente, Nombre: t120 },
      Destinatario: {
        ...GUIDE.Destinatario,
        Nombre: t120,
        RazonSocial: t120,
        Referencias: t250,
        Estado: t120,
        Municipio: t120,
        Colonia: t120,
        Calle: t120,
        Numero_exterior: t20,
        Numero_interior: t20,
      },
      Producto: {
        TipoEnvio: t40,
        Contenido: t250,
        InformacionAdicional: t250,
        ValorDeclarado: 999_999_999_999.99,
        Peso: 999.999,
        Largo: 499.999,
        Ancho: 499.999,
        Alto: 499.999,
        Paquetes: 99,
      },
      Creado_por: { Nombre: t120, Agencia: t120 },
      Referencia: upTo(60),
    },
    ...changes,
  });
}

const ADDRESS = [
  'CodigoPostal',
  'Estado',
  'Municipio',
  'Colonia',
  'Calle',
  'Numero_exterior',
  'Numero_interior',
] as const;

/** Returns a label whose parcel returns to the recipient's address. */
export function withReturnAddress(label: LabelPayload): LabelPayload {
  const { Remitente, Destinatario, ...guide } = label.guide;
  const address = Object.fromEntries(ADDRESS.map((name) => [name, Destinatario[name]]));
  return { ...label, guide: { ...guide, Remitente: { ...Remitente, ...address }, Destinatario } };
}

/** Only what a guide must have. */
export const LEAST: Guide = {
  Remitente: { Nombre: 'Ana Ruiz' },
  Destinatario: { Nombre: 'Luis Paz', DestinoCode: 'MTY01' },
  Producto: { Contenido: 'Libros' },
  Creado_por: {},
};

/** Returns a label as a return has it: the second code, and a recipient without what no sender has. */
export function asReturn(label: LabelPayload): LabelPayload {
  const { Destinatario, ...guide } = label.guide;
  const { RazonSocial: _, RFC: __, Referencias: ___, ...recipient } = Destinatario;
  return {
    ...label,
    guide: { ...guide, Destinatario: recipient },
    marks: [{ text: 'DEVOLUCIÓN' }],
    former: '390458235877',
  };
}

/** Where the recipient of a sample picks the parcel up. */
const PICK_UP: NonNullable<LabelPayload['pickUp']> = {
  Calle: 'Av. Universidad',
  Numero: '1200',
  Colonia: 'Mitras Centro',
  CodigoPostal: '64460',
  Municipio: 'Monterrey',
  Estado: 'Nuevo León',
  Telefono: '8183334455',
  Horario: 'Lunes a viernes de 9:00 a 18:00',
};

/** An address as long as a guide allows, in words as addresses have. */
const LONGEST_RECIPIENT: Guide['Destinatario'] = {
  ...GUIDE.Destinatario,
  Nombre:
    'María Guadalupe de los Ángeles Villaseñor Gutiérrez de Velasco y Fernández de la Concha, Coordinación de Compras, Almacén',
  RazonSocial:
    'Distribuidora y Comercializadora de Productos Farmacéuticos y Hospitalarios del Bajío y Occidente, S. de R. L. de C. V.',
  Calle:
    'Prolongación Paseo de la Reforma entre Hidalgo y Benito Juárez, edificio azul frente a la farmacia, segundo piso, der.',
  Numero_exterior: 'Km 14.5, Mz 3 Lote 7',
  Numero_interior: 'Edif. C, Depto. 302B',
  Colonia:
    'Fraccionamiento Residencial Lomas de San Agustín y Ampliación Ejidal Emiliano Zapata, Segunda Sección, Privada del Río',
  Municipio:
    'Dolores Hidalgo Cuna de la Independencia Nacional, Localidad de San Antonio del Varal y Ranchería de la Cañada del Agua',
  Estado:
    'Veracruz de Ignacio de la Llave, Región de las Altas Montañas, Distrito Judicial de Orizaba y Zongolica, Rep. Mexicana',
  CodigoPostal: '37800',
  Celular: '528198765432109',
  Telefono: '528112345678901',
  Referencias:
    'Entrada por la calle lateral, frente a la gasolinera; preguntar en la caseta por el almacén de farmacia y entregar solo de lunes a viernes de 8 a 14 horas. Si está cerrado, llamar al celular antes de dejarlo con los vecinos de enfrente, casa verde.',
};

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 60">' +
  '<path d="M4 46 34 8l18 23 12-14 24 29z" fill="none" stroke="#000" stroke-width="6" stroke-linejoin="round"/>' +
  '<path d="M4 55h112" stroke="#000" stroke-width="5"/><circle cx="98" cy="16" r="8"/></svg>';
const MARKUP = `</style></section><script>alert(1)</script>{{this}} {{{carrier}}} &amp; &lt;b&gt; <img src=x onerror=y>`;

export const USUAL = 'usual';
export const LONGEST = 'longest';
const MARKS: NonNullable<LabelPayload['marks']> = [
  { text: 'COBRAR $12,450.50', others: 'COBRO EN EL PAQUETE 1 DE 3' },
];

/** Returns the extremes of a kind by name: every field, the fewest, the longest, and markup as text. */
export function sampleLabels(kind: LabelKind): Record<string, LabelPayload> {
  const packages = KINDS[kind].pagePerPackage ? 3 : 1;
  const logo = `data:image/svg+xml;base64,${Buffer.from(LOGO).toString('base64')}`;
  return {
    [USUAL]: sample({ kind, packages, route: 'R-12' }),
    logo: sample({ kind, logo }),
    'pick-up': sample({ kind, guide: LEAST, service: 'the service', pickUp: PICK_UP }),
    // Of a guide older than 1.7.0.
    'pick-up-without-place': sample({ kind, guide: LEAST, service: 'the service' }),
    [LONGEST]: sample({ kind, packages, guide: { ...GUIDE, Destinatario: LONGEST_RECIPIENT } }),
    'return-address': withReturnAddress(sample({ kind, packages })),
    words: withReturnAddress(everywhere('palabra '.repeat(32), { kind, packages })),
    wide: withReturnAddress(everywhere('W'.repeat(250), { kind, packages })),
    markup: everywhere(MARKUP.repeat(3), { kind }),
    test: sample({ kind, packages, number: '082913650726' }),
    marked: sample({ kind, packages, route: 'R-12', marks: MARKS }),
    return: asReturn(sample({ kind, packages, route: 'R-12' })),
  };
}
