import { type Static, Type } from 'typebox';

/** A branch as the wire shows it. */
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
    Horario: Type.Optional(
      Type.String({ description: 'When it is open', examples: ['Lunes a viernes de 9:00 a 18:00'] }),
    ),
    Zona: Type.Optional(
      Type.String({
        description: 'IANA time zone of its pick-ups; if absent, that of the service',
        examples: ['America/Tijuana'],
      }),
    ),
    CobraHasta: Type.Optional(
      Type.Number({ description: 'Most that it collects on delivery of a guide, in MXN', examples: [5000] }),
    ),
    Origen: Type.Boolean({ description: 'Guides may start here' }),
    Destino: Type.Boolean({ description: 'Guides may end here' }),
    Activa: Type.Boolean(),
  },
  { additionalProperties: false },
);
export type Branch = Static<typeof Branch>;

/** Where a recipient picks a parcel up, as the branch was when the guide was created. */
export const PickUpPlace = Type.Pick(Branch, [
  'Calle',
  'Numero',
  'Colonia',
  'CodigoPostal',
  'Municipio',
  'Estado',
  'Telefono',
  'Horario',
]);
export type PickUpPlace = Static<typeof PickUpPlace>;

export function pickUpPlace(branch: Branch): PickUpPlace {
  const { Calle, Numero, Colonia, CodigoPostal, Municipio, Estado, Telefono, Horario } = branch;
  return { Calle, Numero, Colonia, CodigoPostal, Municipio, Estado, Telefono, ...(Horario && { Horario }) };
}

/** A delivery tour or sorting bin of a postal code: the column `Ruta` of the file of coverage. */
export const ROUTE_FORM = /^[A-Z0-9-]{1,8}$/;
export const Route = Type.String({
  pattern: ROUTE_FORM.source,
  description: 'Recorrido de reparto o casilla de clasificación del código postal; falta donde no hay',
  examples: ['R-12'],
});

/** Returns a code as it is stored and compared: without surrounding blanks, in upper case. */
export function branchCode(code: string): string {
  return code.trim().toUpperCase();
}

/** A destination is named by its branch, or by the postal code that a branch covers. */
export type DestinationQuery = { code: string } | { postalCode: string };

/** Most origins, and most destinations, of one query. */
export const MAX_RESOLVED = 500;

/** Body of `POST /internal/resolve` of the branches service. */
export const ResolveRequest = Type.Object(
  {
    origins: Type.Array(Type.String(), { maxItems: MAX_RESOLVED }),
    destinations: Type.Array(
      Type.Union([
        Type.Object({ code: Type.String() }, { additionalProperties: false }),
        Type.Object({ postalCode: Type.String() }, { additionalProperties: false }),
      ]),
      { maxItems: MAX_RESOLVED },
    ),
  },
  { additionalProperties: false },
);
export type ResolveRequest = Static<typeof ResolveRequest>;

/**
 * Answer to `POST /internal/resolve`, in the order asked. An origin or destination is null unless its branch is active
 * and allows that use.
 */
export const ResolveResponse = Type.Object({
  /** Changes with every load. The answer is valid while the version is in force. */
  version: Type.String(),
  origins: Type.Array(Type.Union([Branch, Type.Null()])),
  destinations: Type.Array(Type.Union([Branch, Type.Null()])),
  /** Of each destination, null for a code of a branch. Absent if none has a route. */
  routes: Type.Optional(Type.Array(Type.Union([Route, Type.Null()]))),
});
export type ResolveResponse = Static<typeof ResolveResponse>;

/** Answer to `GET /internal/version` of the branches service. */
export const VersionResponse = Type.Object({ version: Type.String() });
export type VersionResponse = Static<typeof VersionResponse>;

/** Writes a version: the numbers of the loads of branches and of coverage that are in force, each 0 before its first load. */
export function versionOf({ branches, coverage }: { branches: number; coverage: number }): string {
  return `${branches}.${coverage}`;
}

/** Returns whether coverage was ever loaded, by a version. */
export function hasCoverage(version: string): boolean {
  return !version.endsWith('.0');
}

/**
 * Answer to `GET /internal/coverage`: the first and the last postal code of each range, the branch that covers all of it,
 * and the route of all its codes, if they have one. Valid as long as the version.
 */
export type CoverageResponse = {
  version: string;
  ranges: [from: string, to: string, branch: string, route?: string][];
};

/**
 * Body of `POST /internal/cities`: codes of branches, active or not. The answer has each branch's city and state, or
 * null for an unknown branch.
 */
export const CitiesRequest = Type.Array(Type.String(), { maxItems: 2_000 });
export const CitiesResponse = Type.Array(Type.Union([Type.String(), Type.Null()]));
