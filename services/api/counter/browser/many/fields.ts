import { SERVICE_TYPES, SentGuide } from '#shared/guides/guide.ts';
import { type FieldSpec, sectionsOf } from '../one/form.ts';

/** A column of the table: a field of a guide, or the type of service beside it. */
export type Field = {
  /** As errors of the API name it: `Destinatario.CodigoPostal`. */
  path: string;
  /** What people call it. */
  label: string;
  kind: 'text' | 'digits' | 'number' | 'list';
  example: string;
};

/** Fields whose description is no name. */
const LABELS: Readonly<Record<string, string>> = {
  'Cobro.Monto': 'Monto a cobrar',
  'Destinatario.DestinoCode': 'Sucursal de destino',
};
/** The order in which people read a table of orders. */
const ORDER = ['Referencia', 'Destinatario', 'Producto', 'Cobro', 'Remitente', 'Creado_por'];

export const SERVICE = 'TipoServicio';
export const WEIGHT = 'Producto.Peso';
/** A column of a file with all three sides, which are three fields. */
export const MEASURES = { path: 'Medidas', label: 'Medidas (largo × ancho × alto)' } as const;
/** In the order in which people say them. */
export const SIDES = ['Producto.Largo', 'Producto.Ancho', 'Producto.Alto'] as const;

/** A guide's fields, from the schema that validates guides, so that a new one is there too. */
export const SECTIONS = sectionsOf(SentGuide as unknown as Parameters<typeof sectionsOf>[0]);

/** All fields that a file may have. */
export const FIELDS: readonly Field[] = [
  { path: SERVICE, label: 'Servicio', kind: 'text', example: SERVICE_TYPES[0] },
  ...SECTIONS.flatMap(({ fields }) => fields)
    .sort((one, other) => placeOf(one) - placeOf(other))
    .map(fieldOf),
];

const BY_PATH: ReadonlyMap<string, Field> = new Map(FIELDS.map((field) => [field.path, field]));

export function fieldAt(path: string): Field | undefined {
  return BY_PATH.get(path);
}

function placeOf({ path }: FieldSpec): number {
  const place = ORDER.findIndex((name) => path.startsWith(name));
  return place < 0 ? ORDER.length : place;
}

function fieldOf({ path, label, kind, example = '', options }: FieldSpec): Field {
  const short = label.replace(/,.*| del (?:remitente|destinatario)$/g, '');
  return {
    path,
    label: LABELS[path] ?? (path.startsWith('Remitente.') ? `${short} de quien envía` : short),
    kind: kindOf(path, kind),
    example: kind === 'choices' ? options.join(' ') : example,
  };
}

/** Phones and postal codes are digits, which spreadsheets take for numbers. */
function kindOf(path: string, kind: FieldSpec['kind']): Field['kind'] {
  if (kind === 'decimal' || kind === 'integer') return 'number';
  if (kind === 'choices') return 'list';
  return /\.(?:Telefono|Celular|CodigoPostal)$/.test(path) ? 'digits' : 'text';
}
