/** The states of Mexico: the postal codes of each, and how shops write it. */

type State = {
  name: string;
  /** First two digits of its postal codes (Correos de México), from and to. 00, 17, 18 and 19 are of no state. */
  from: number;
  to: number;
  /**
   * Other names: the long official one, usual abbreviations, codes of ISO 3166-2:MX, WooCommerce and Shopify. A name
   * of two states stands at both. `NA` and `MX` are left out: they also say that nothing is known, and the country.
   */
  also: readonly string[];
};

const STATES: readonly State[] = [
  {
    name: 'Ciudad de México',
    from: 1,
    to: 16,
    also: [
      ...['CDMX', 'CMX', 'CX', 'Cd. de México', 'Cd. México', 'Mexico City', 'México', 'Méx.'],
      ...['Distrito Federal', 'D.F.', 'DIF', 'México, D.F.', 'México, Distrito Federal', 'México, CDMX'],
    ],
  },
  { name: 'Aguascalientes', from: 20, to: 20, also: ['Ags.', 'AGU', 'AG'] },
  { name: 'Baja California', from: 21, to: 22, also: ['Baja California Norte', 'B.C.', 'B.C.N.'] },
  { name: 'Baja California Sur', from: 23, to: 23, also: ['B.C.S.', 'BS'] },
  { name: 'Campeche', from: 24, to: 24, also: ['Camp.', 'CAM', 'CM'] },
  { name: 'Coahuila', from: 25, to: 27, also: ['Coahuila de Zaragoza', 'Coah.', 'COA', 'CO', 'CL'] },
  { name: 'Colima', from: 28, to: 28, also: ['Col.', 'CL', 'CM'] },
  { name: 'Chiapas', from: 29, to: 30, also: ['Chis.', 'CHP', 'CS'] },
  { name: 'Chihuahua', from: 31, to: 33, also: ['Chih.', 'CHH', 'CH'] },
  { name: 'Durango', from: 34, to: 35, also: ['Dgo.', 'DUR', 'DG'] },
  { name: 'Guanajuato', from: 36, to: 38, also: ['Gto.', 'GUA', 'GT'] },
  { name: 'Guerrero', from: 39, to: 41, also: ['Gro.', 'GR'] },
  { name: 'Hidalgo', from: 42, to: 43, also: ['Hgo.', 'HID', 'HG'] },
  { name: 'Jalisco', from: 44, to: 49, also: ['Jal.', 'JA'] },
  {
    name: 'Estado de México',
    from: 50,
    to: 57,
    also: [
      ...['México', 'Méx.', 'Edo. de México', 'Edo. México', 'Edo. de Méx.', 'Edo. Mex.', 'Est. de México'],
      ...['Estado México', 'State of Mexico', 'Edomex', 'EM'],
    ],
  },
  { name: 'Michoacán', from: 58, to: 61, also: ['Michoacán de Ocampo', 'Mich.', 'MIC', 'MI'] },
  { name: 'Morelos', from: 62, to: 62, also: ['Mor.', 'MO'] },
  { name: 'Nayarit', from: 63, to: 63, also: ['Nay.'] },
  { name: 'Nuevo León', from: 64, to: 67, also: ['N.L.', 'NLE', 'Nvo. León'] },
  { name: 'Oaxaca', from: 68, to: 71, also: ['Oax.', 'OA'] },
  { name: 'Puebla', from: 72, to: 75, also: ['Pue.', 'PU'] },
  {
    name: 'Querétaro',
    from: 76,
    to: 76,
    also: ['Querétaro de Arteaga', 'Querétaro Arteaga', 'Qro.', 'QUE', 'QT', 'QE', 'QR'],
  },
  { name: 'Quintana Roo', from: 77, to: 77, also: ['Q. Roo', 'ROO', 'QR'] },
  { name: 'San Luis Potosí', from: 78, to: 79, also: ['S.L.P.', 'SL'] },
  { name: 'Sinaloa', from: 80, to: 82, also: ['Sin.', 'SI', 'SL'] },
  { name: 'Sonora', from: 83, to: 85, also: ['Son.', 'SO'] },
  { name: 'Tabasco', from: 86, to: 86, also: ['Tab.', 'TB'] },
  { name: 'Tamaulipas', from: 87, to: 89, also: ['Tamps.', 'TAM', 'TM'] },
  { name: 'Tlaxcala', from: 90, to: 90, also: ['Tlaxcala de Xicohténcatl', 'Tlax.', 'TLA', 'TL'] },
  {
    name: 'Veracruz',
    from: 91,
    to: 96,
    also: ['Veracruz de Ignacio de la Llave', 'Veracruz-Llave', 'Ver.', 'VE'],
  },
  { name: 'Yucatán', from: 97, to: 97, also: ['Yuc.', 'YU'] },
  { name: 'Zacatecas', from: 98, to: 99, also: ['Zac.', 'ZA'] },
];

/** The name of the state by the first two digits of its postal codes. */
const BY_PREFIX = new Map(
  STATES.flatMap(({ name, from, to }) =>
    Array.from({ length: to - from + 1 }, (_, i) => [String(from + i).padStart(2, '0'), name] as const),
  ),
);

/** The states by the letters of each of their names. */
const BY_LETTERS = Map.groupBy(
  STATES.flatMap(({ name, also }) => [name, ...also].map((text) => ({ name, letters: lettersOf(text) }))),
  ({ letters }) => letters,
);

/** Returns the state of a postal code of five digits, or undefined if no state has such codes. */
export function stateOfPostalCode(postalCode: string): string | undefined {
  return BY_PREFIX.get(postalCode.slice(0, 2));
}

/**
 * Returns whether a text is known to name other states than this one. Case, accents, blanks and signs do not count.
 *
 * @param state its name, as `stateOfPostalCode` returns it.
 */
export function namesOtherState(text: string, state: string): boolean {
  if (text === state) return false;
  const named = BY_LETTERS.get(lettersOf(text));
  return named?.every(({ name }) => name !== state) ?? false;
}

/** Returns only the letters, so that `Edo. de Méx.` is `edodemex`. */
function lettersOf(text: string): string {
  return text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z]/g, '');
}
