import { type Static, Type } from 'typebox';

export const POSTAL_CODE_FORM = /^[0-9]{5}$/;
/** What the checks of operators' files say of another form. */
export const POSTAL_CODE_CELL_RULE =
  'debe tener 5 digitos (una hoja de calculo quita los ceros del principio)';

/** A postal code of the national catalogue, as the wire shows it (docs/contract.md "Postal codes"). */
export const PostalCode = Type.Object({
  CodigoPostal: Type.String({ examples: ['06600'] }),
  Estado: Type.String({ examples: ['Ciudad de México'] }),
  Municipio: Type.String({ description: 'O alcaldía', examples: ['Cuauhtémoc'] }),
  Ciudad: Type.String({ description: 'Vacía fuera de las ciudades', examples: ['Ciudad de México'] }),
  Colonias: Type.Array(Type.String({ examples: ['Juárez'] }), {
    description: 'Colonias, barrios, pueblos y demás asentamientos, por su nombre',
  }),
});
export type PostalCode = Static<typeof PostalCode>;
