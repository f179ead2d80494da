import { type Static, Type } from 'typebox';
import { MAX_GUIDES } from './guide.ts';

/** A branch as the wire shows it (docs/contract.md "Branches"). */
export const Branch = Type.Object(
  {
    Codigo: Type.String({ examples: ['MEX01'] }),
    Nombre: Type.String({ examples: ['Ciudad de Mexico Centro'] }),
    Estado: Type.String(),
    Municipio: Type.String(),
    Colonia: Type.String(),
    Calle: Type.String(),
    Numero: Type.String(),
    CodigoPostal: Type.String({ examples: ['06600'] }),
    Telefono: Type.String(),
    Origen: Type.Boolean({ description: 'Guides may start here' }),
    Destino: Type.Boolean({ description: 'Guides may end here' }),
    Activa: Type.Boolean(),
  },
  { additionalProperties: false },
);
export type Branch = Static<typeof Branch>;

/** Normalizes a branch's code, as it is stored and compared: without surrounding blanks, in upper case. */
export function branchCode(code: string): string {
  return code.trim().toUpperCase();
}

/** How a destination is named: by its branch, or by the postal code that a branch covers. */
export type DestinationQuery = { code: string } | { postalCode: string };

/** Body of `POST /internal/resolve` of the branches service: the origin and all destinations of one creation request. */
export const ResolveRequest = Type.Object(
  {
    origin: Type.Union([Type.String(), Type.Null()]),
    destinations: Type.Array(
      Type.Union([
        Type.Object({ code: Type.String() }, { additionalProperties: false }),
        Type.Object({ postalCode: Type.String() }, { additionalProperties: false }),
      ]),
      { maxItems: MAX_GUIDES },
    ),
  },
  { additionalProperties: false },
);
export type ResolveRequest = Static<typeof ResolveRequest>;

/**
 * Answer to `POST /internal/resolve`. `origin` is null unless the branch is active and an origin. `destinations` are in
 * the order asked; each is null unless its branch is active and a destination.
 */
export const ResolveResponse = Type.Object({
  origin: Type.Union([Branch, Type.Null()]),
  destinations: Type.Array(Type.Union([Branch, Type.Null()])),
});
export type ResolveResponse = Static<typeof ResolveResponse>;
