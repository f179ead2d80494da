import { SentGuide } from '#shared/guides/guide.ts';
import type { Suggestion } from '../http/body.ts';

/** Names that other systems give to fields of a guide, without accents, `_` and capitals. */
const SYNONYMS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ correo: 'Email', correoelectronico: 'Email', mail: 'Email' },
    ...{ tel: 'Telefono', movil: 'Celular', empresa: 'RazonSocial' },
    ...{ cp: 'CodigoPostal', zip: 'CodigoPostal', zipcode: 'CodigoPostal' },
    ...{ ciudad: 'Municipio', alcaldia: 'Municipio', delegacion: 'Municipio' },
    ...{ numero: 'Numero_exterior', numext: 'Numero_exterior', numint: 'Numero_interior' },
    ...{ sucursal: 'DestinoCode', destino: 'DestinoCode', sucursaldestino: 'DestinoCode' },
    ...{ valor: 'ValorDeclarado', descripcion: 'Contenido', observaciones: 'InformacionAdicional' },
    ...{ altura: 'Alto', longitud: 'Largo', anchura: 'Ancho' },
    ...{ cantidad: 'Paquetes', bultos: 'Paquetes', piezas: 'Paquetes' },
    ...{ pedido: 'Referencia', orden: 'Referencia' },
  }),
);
/** The sections in which a field of a flat guide is looked for: where a parcel goes is said more often than from where. */
const ORDER = ['Destinatario', 'Producto', 'Remitente', 'Creado_por'] as const;

const GUIDE_FIELDS = namesIn(SentGuide);
const SECTIONS = new Map(ORDER.map((section) => [section as string, namesIn(SentGuide.properties[section])]));

/**
 * Suggests the field of a guide that an unknown one means which has another name, or stands a level too high or too low.
 * A field of the sender never means one of the recipient.
 *
 * @param section of the guide in which the unknown field stands; absent beside the sections.
 * @returns undefined if none is known.
 */
export function suggestGuideField(name: string, section?: string): Suggestion | undefined {
  const sought = comparable(name);
  const names = [sought, comparable(SYNONYMS.get(sought) ?? sought)];
  const inside = (fields: ReadonlyMap<string, string> | undefined) =>
    names.map((each) => fields?.get(each)).find((field) => field !== undefined);
  if (section !== undefined) {
    const own = inside(SECTIONS.get(section));
    if (own) return { meant: own };
    const above = inside(GUIDE_FIELDS);
    return above === undefined ? undefined : { meant: above, place: `fuera de ${section}` };
  }
  const own = inside(GUIDE_FIELDS);
  if (own) return { meant: own };
  if (sought === 'tiposervicio') return { meant: 'TipoServicio', place: 'junto a Guia' };
  for (const [each, fields] of SECTIONS) {
    const found = inside(fields);
    if (found) return { meant: `${each}.${found}` };
  }
  return undefined;
}

/** Suggests the field of a guide that an unknown one beside the array of guides means. */
export function suggestFieldInGuide(name: string): Suggestion | undefined {
  const field = GUIDE_FIELDS.get(comparable(name));
  return field === undefined ? undefined : { meant: `Guia.${field}` };
}

/** Returns the names of a schema's fields by their comparable form. */
function namesIn({ properties }: { properties: object }): ReadonlyMap<string, string> {
  return new Map(Object.keys(properties).map((name) => [comparable(name), name]));
}

/** The accents of Spanish are combining characters of NFD. */
function comparable(name: string): string {
  return name
    .normalize('NFD')
    .replaceAll(/[\p{M}_\s-]/gu, '')
    .toLowerCase();
}
