import { SERVICE_TYPES, SentGuide } from '#shared/guides/guide.ts';

/** A column of the table: a field of a guide, or the type of service beside it. */
export type Field = {
  /** As errors of the API name it: `Destinatario.CodigoPostal`. */
  path: string;
  /** What people call it. */
  label: string;
  kind: 'text' | 'digits' | 'number' | 'list';
  example: string;
};

type Schema = {
  type?: string;
  description?: string;
  pattern?: string;
  examples?: readonly unknown[];
  properties?: Readonly<Record<string, Schema>>;
};

/** Fields whose description is no name. */
const LABELS: Readonly<Record<string, string>> = {
  Referencia: 'Referencia',
  'Cobro.Monto': 'Monto a cobrar',
  'Cobro.Medios': 'Medios de pago',
  'Destinatario.DestinoCode': 'Sucursal de destino',
};
/** A quote belongs to one guide, and no file has one. */
const LEFT_OUT = 'Cotizacion';
/** The order in which people read a table of orders. */
const ORDER = ['Referencia', 'Destinatario', 'Producto', 'Cobro', 'Remitente', 'Creado_por'];

export const SERVICE = 'TipoServicio';
export const WEIGHT = 'Producto.Peso';
/** A column of a file with all three sides, which are three fields. */
export const MEASURES = { path: 'Medidas', label: 'Medidas (largo × ancho × alto)' } as const;
/** In the order in which people say them. */
export const SIDES = ['Producto.Largo', 'Producto.Ancho', 'Producto.Alto'] as const;

/** All fields that a file may have, from the schema that validates guides, so that a new one is there too. */
export const FIELDS: readonly Field[] = [
  { path: SERVICE, label: 'Servicio', kind: 'text', example: SERVICE_TYPES[0] },
  ...Object.entries(SentGuide.properties as unknown as Record<string, Schema>)
    .filter(([name]) => name !== LEFT_OUT)
    .sort(([one], [other]) => placeOf(one) - placeOf(other))
    .flatMap(([name, schema]) =>
      schema.properties
        ? Object.entries(schema.properties).map(([own, inner]) => fieldOf(`${name}.${own}`, inner))
        : [fieldOf(name, schema)],
    ),
];

const BY_PATH: ReadonlyMap<string, Field> = new Map(FIELDS.map((field) => [field.path, field]));

export function fieldAt(path: string): Field | undefined {
  return BY_PATH.get(path);
}

function placeOf(name: string): number {
  const place = ORDER.indexOf(name);
  return place < 0 ? ORDER.length : place;
}

function fieldOf(path: string, { type, description = path, pattern = '', examples = [] }: Schema): Field {
  const [name = path] = description.split(/[;,]/);
  const short = name.replace(/ del (?:remitente|destinatario)$/, '');
  const [first] = examples;
  return {
    path,
    label: LABELS[path] ?? (path.startsWith('Remitente.') ? `${short} de quien envía` : short),
    kind: kindOf(type, pattern),
    example: Array.isArray(first) ? first.join(' ') : String(first ?? ''),
  };
}

/** Phones and postal codes are digits, which spreadsheets take for numbers. */
function kindOf(type: string | undefined, pattern: string): Field['kind'] {
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'array') return 'list';
  return pattern.includes('[0-9]') && !pattern.includes('A-Z') ? 'digits' : 'text';
}
