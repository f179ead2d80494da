import { SentGuide } from '#shared/contracts/guide.ts';

/** A column of a file of orders: a field of a guide, by the name that errors give it in `campo`. */
export type Column = {
  name: string;
  required: boolean;
  /** Whether the field is a number and no text. */
  numeric: boolean;
  description: string;
  example: string;
};

/** What an order is found by, when the same file is sent again. */
export const REFERENCE = 'Referencia';
/** How an order is delivered; it stands beside the guides of a request. */
export const SERVICE = 'TipoServicio';

type Schema = {
  type?: string;
  description?: string;
  examples?: unknown[];
  required?: string[];
  properties?: Record<string, Schema>;
};

/** The columns of a file of orders, in the order of the fields of a guide (docs/contract.md "Guides"). */
export const COLUMNS: readonly Column[] = [
  {
    name: SERVICE,
    required: false,
    numeric: false,
    description: 'Tipo de servicio; Domicilio donde no se indica',
    example: 'Domicilio',
  },
  ...fieldsOf(SentGuide as unknown as Schema).map((column) =>
    column.name === REFERENCE ? { ...column, required: true } : column,
  ),
];

function fieldsOf(section: Schema, prefix = ''): Column[] {
  return Object.entries(section.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    if (field.properties) return fieldsOf(field, `${path}.`);
    const { description = '', examples = [], type } = field;
    return {
      name: path,
      required: section.required?.includes(name) ?? false,
      numeric: type === 'number' || type === 'integer',
      description,
      example: String(examples[0] ?? ''),
    };
  });
}
