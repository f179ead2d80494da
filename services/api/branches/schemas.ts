import { Type } from 'typebox';
import { Branch } from '#shared/branches/branch.ts';
import type { PostalCode } from '#shared/branches/postal-code.ts';

/** Branches as answers show them, with examples of the demo data. */

/** A branch, to which a later release may add fields. */
export const BranchAnswer = Type.Object(Branch.properties, {
  title: 'Sucursal',
  description: 'Una sucursal del transportista',
});

export const BRANCH_EXAMPLE: Branch = {
  Codigo: 'MEX01',
  Nombre: 'Ciudad de México Juárez',
  Estado: 'Ciudad de México',
  Municipio: 'Cuauhtémoc',
  Colonia: 'Juárez',
  Calle: 'Av. Paseo de la Reforma',
  Numero: '250',
  CodigoPostal: '06600',
  Telefono: '5550000101',
  Horario: 'Lunes a viernes de 9:00 a 19:00',
  Origen: true,
  Destino: true,
  Activa: true,
};

export const POSTAL_CODE_EXAMPLE: PostalCode = {
  CodigoPostal: '06600',
  Estado: 'Ciudad de México',
  Municipio: 'Cuauhtémoc',
  Ciudad: 'Ciudad de México',
  Colonias: ['Juárez'],
};
