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
