import { POSTAL_CODE_FORM } from '#shared/branches/postal-code.ts';
import { MAX_PACKAGES, SentGuide } from '#shared/guides/guide.ts';
import type { Shipment } from '../../guides/guide-request.ts';
import { toPesos } from '../../platform/amounts.ts';
import type { Tariff } from '../tariffs/tariff.ts';

/** The form of the calculator: what people type, as it stands in the address of the page. */

/** What the form asks for, once every field is good. */
export type Inquiry = { origin: string; destination: string; goods: Shipment['Producto'] };

/** A field with what was typed. `problem`: what it allows, if that is something else. */
export type FieldView = Omit<Field, 'read' | 'rule'> & {
  name: string;
  value: string;
  problem: string | null;
  /** Whether the page begins there: the first field that is wrong. */
  focus: boolean;
};

type Field = {
  label: string;
  keyboard: 'numeric' | 'decimal';
  required: boolean;
  /** Columns of the form that it takes. */
  size: 'uno' | 'dos';
  /** Returns undefined for a text that the field does not allow. */
  read: (text: string) => string | number | undefined;
  /** What it allows. */
  rule: string;
};

/** Returns the largest value that a guide may have; it holds here too. */
function largest(name: 'Peso' | 'Largo' | 'Alto' | 'Ancho' | 'ValorDeclarado'): number {
  const schema: object = SentGuide.properties.Producto.properties[name];
  return (schema as { maximum: number }).maximum;
}
const PLAIN = new Intl.NumberFormat('es-MX');

const postalCode = (which: string): Field => ({
  label: `Código postal de ${which}`,
  ...{ keyboard: 'numeric', required: true, size: 'dos' },
  read: (text) => (POSTAL_CODE_FORM.test(text) ? text : undefined),
  rule: 'El código postal tiene 5 dígitos.',
});
const measure = (name: 'Peso' | 'Largo' | 'Alto' | 'Ancho', unit: string): Field => ({
  label: `${name} (${unit})`,
  ...{ keyboard: 'decimal', required: true, size: 'uno' },
  read: (text) => within(readDecimal(text), Number.MIN_VALUE, largest(name)),
  rule: `Escriba un número mayor que 0 y hasta ${PLAIN.format(largest(name))} ${unit}.`,
});

const FIELDS = {
  origen: postalCode('origen'),
  destino: postalCode('destino'),
  peso: measure('Peso', 'kg'),
  largo: measure('Largo', 'cm'),
  alto: measure('Alto', 'cm'),
  ancho: measure('Ancho', 'cm'),
  valor: {
    label: 'Valor declarado ($, opcional)',
    ...{ keyboard: 'decimal', required: false, size: 'dos' },
    read: (text) => within(readMoney(text), 0, largest('ValorDeclarado')),
    rule: `Escriba una cantidad de 0 a ${PLAIN.format(largest('ValorDeclarado'))} pesos, o déjelo vacío.`,
  },
  paquetes: {
    label: 'Paquetes iguales (opcional)',
    ...{ keyboard: 'numeric', required: false, size: 'dos' },
    read: (text) => (/^[0-9]+$/.test(text) ? within(Number(text), 1, MAX_PACKAGES) : undefined),
    rule: `Escriba un número entero de 1 a ${MAX_PACKAGES}, o déjelo vacío.`,
  },
} as const satisfies Record<string, Field>;
type Name = keyof typeof FIELDS;
const NAMES = Object.keys(FIELDS) as Name[];

/** Longest text that is shown again, in characters: longer than any that a field allows. */
const MAX_SHOWN = 20;

/** Of a field that stands twice in the address. */
const TWICE = 'Este dato llegó más de una vez: escriba uno solo.';

/** The parameters of the page's address, of any shape. */
export type Query = Readonly<Record<string, unknown>>;

/** Returns whether a visitor has asked for a price; other parameters, as links from elsewhere have them, do not count. */
export function isAsked(query: Query): boolean {
  return NAMES.some((name) => Object.hasOwn(query, name));
}

/**
 * Returns the form filled in with an example of the tariff, as the part of the page's address after `?`: the first one of
 * the public list that begins at a postal code and of which nothing is collected. Returns null if there is none.
 */
export function exampleOf({ examples }: Pick<Tariff, 'examples'>): string | null {
  const example = examples.find(
    ({ account, parcel: { type, origin, cod } }) =>
      account === '' && type === '' && POSTAL_CODE_FORM.test(origin) && cod === undefined,
  );
  if (!example) return null;
  const { origin, destination, grams, sides, declared, packages } = example.parcel;
  const [ancho, alto, largo] = sides.map((millimetres) => millimetres / 10);
  const fields: Partial<Record<Name, string | number | undefined>> = {
    ...{ origen: origin, destino: destination, peso: grams / 1_000, largo, alto, ancho },
    ...(declared > 0 && { valor: toPesos(declared) }),
    ...(packages > 1 && { paquetes: packages }),
  };
  const texts = Object.entries(fields).map(([name, value]) => [name, String(value)]);
  return String(new URLSearchParams(Object.fromEntries(texts)));
}

/** Reads the form: what was asked, unless a field is wrong, and the fields to show again. */
export function readForm(query: Query): { inquiry: Inquiry | undefined; fields: FieldView[] } {
  const values: Partial<Record<Name, string | number>> = {};
  const fields = NAMES.map((name) => {
    const { read, rule, ...field }: Field = FIELDS[name];
    const sent = [query[name] ?? ''].flat();
    const text = String(sent[0]).trim();
    const value = text.length > MAX_SHOWN ? undefined : read(text);
    const isGood = sent.length === 1 && (value !== undefined || (text === '' && !field.required));
    if (isGood && value !== undefined) values[name] = value;
    const problem = sent.length > 1 ? TWICE : rule;
    return {
      ...field,
      name,
      value: text.slice(0, MAX_SHOWN),
      problem: isGood ? null : problem,
      focus: false,
    };
  });
  const wrong = fields.find(({ problem }) => problem !== null);
  if (wrong)
    return { inquiry: undefined, fields: fields.map((field) => ({ ...field, focus: field === wrong })) };
  const { origen, destino, peso, largo, alto, ancho, valor, paquetes } = values as Record<Name, never>;
  const measures = { Peso: peso, Largo: largo, Alto: alto, Ancho: ancho };
  const goods = { ...measures, ValorDeclarado: valor, Paquetes: paquetes };
  return { inquiry: { origin: origen, destination: destino, goods }, fields };
}

/** Returns the fields as a visitor finds them, or as they were sent, without a word about them. */
export function plainFields(query: Query): FieldView[] {
  return readForm(query).fields.map((field) => ({ ...field, problem: null, focus: false }));
}

/** Reads `2.5` and `2,5`: no weight and no side needs a separator of thousands. */
function readDecimal(text: string): number | undefined {
  return /^[0-9]*[.,]?[0-9]+$|^[0-9]+[.,]$/.test(text) ? Number(text.replace(',', '.')) : undefined;
}

/** Reads `1500.50`, `$1,500.50` and `1500,50`: before three digits a comma separates thousands, as Mexicans write it. */
function readMoney(text: string): number | undefined {
  const amount = text.replace(/^\$\s*/, '');
  const isGrouped = /^[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?$/.test(amount);
  return isGrouped ? Number(amount.replaceAll(',', '')) : readDecimal(amount);
}

function within(value: number | undefined, minimum: number, maximum: number): number | undefined {
  return value !== undefined && value >= minimum && value <= maximum ? value : undefined;
}
