import type { FieldSpec, Section } from './form.ts';

/** The fields that most guides have, in the order in which people know them. All others are there too, behind "Más datos". */
const USUAL = [
  ...['Nombre', 'Celular', 'Telefono'],
  ...[
    'CodigoPostal',
    'Colonia',
    'Municipio',
    'Estado',
    'Calle',
    'Numero_exterior',
    'Numero_interior',
    'Referencias',
  ],
  ...['Contenido', 'Peso', 'Largo', 'Alto', 'Ancho', 'Paquetes', 'ValorDeclarado', 'Referencia'],
];
/** Nobody needs these for a parcel to arrive. */
const RARE_SECTIONS = ['Creado_por'];

/** Without these a parcel has no price. */
export const PRICED_BY = ['Peso', 'Largo', 'Alto', 'Ancho'].map((name) => `Producto.${name}`);
/** Without these nobody finds a home. */
const FOUND_BY = ['Calle', 'Numero_exterior', 'Colonia'].map((name) => `Destinatario.${name}`);

/** Returns what a field is good for that a guide may lack. */
export function purposeOf({ path }: FieldSpec): string | undefined {
  if (PRICED_BY.includes(path)) return 'para el precio';
  return FOUND_BY.includes(path) ? 'para entregar a domicilio' : undefined;
}

/** Returns the fields that stand in sight, and the rest. */
export function arranged({ name, fields }: Section): { usual: FieldSpec[]; rest: FieldSpec[] } {
  if (name === 'Cobro') return { usual: fields, rest: [] };
  const place = ({ name: field }: FieldSpec) => USUAL.indexOf(field);
  const isUsual = (field: FieldSpec) =>
    !RARE_SECTIONS.includes(name) && (field.required || place(field) >= 0);
  return {
    usual: fields.filter(isUsual).toSorted((one, other) => place(one) - place(other)),
    rest: fields.filter((field) => !isUsual(field)),
  };
}
