import { type Static, Type } from 'typebox';
import { PICTURE_NAMES, PROVEN_TYPES } from '#shared/evidence/evidence.ts';
import type { Additions } from '../http/operation.ts';
import type { ListedPicture } from './read-evidence.ts';

/** Schemas of evidence, with their texts in the OpenAPI document; a `title` is a name in it. */

const place = {
  description: 'Cuál imagen del evento: la firma de quien recibe, o una foto',
  examples: ['firma'],
};
export const PictureParam = Type.Enum([...PICTURE_NAMES], { type: 'string', ...place });
export const EventParam = Type.String({ description: '`Id` del evento', examples: ['MTY01-000123'] });

export const ListedEvidence = Type.Object(
  {
    Evento: Type.String({ description: '`Id` del evento', examples: ['MTY01-000123'] }),
    Imagen: Type.Enum([...PICTURE_NAMES], { type: 'string', ...place }),
    Tipo: Type.Enum([...PROVEN_TYPES], { type: 'string', description: 'El del evento' }),
    Ocurrido: Type.String({ description: 'Cuándo ocurrió el evento, en UTC' }),
    Paquete: Type.Optional(Type.Integer({ description: 'El del evento; todos si falta' })),
    Registrado: Type.String({ description: 'Cuándo se registró la imagen, en UTC' }),
    Ancho: Type.Integer({ description: 'En pixeles; 0 si se retiró' }),
    Alto: Type.Integer({ description: 'En pixeles; 0 si se retiró' }),
    Bytes: Type.Integer({ description: 'Del JPEG; 0 si se retiró' }),
    Anulada: Type.Boolean({ description: 'Si el evento se anuló: no sale en el comprobante' }),
    Retirada: Type.Optional(
      Type.Literal(true, {
        description: 'Si ya no se guarda: por su antigüedad, o porque una persona lo pidió',
      }),
    ),
  },
  { title: 'Evidencia', description: 'Una imagen de un evento' },
);

export const EVIDENCE_EXAMPLE: Static<typeof ListedEvidence> = {
  ...{ Evento: 'MTY01-000123', Imagen: 'firma', Tipo: 'Entregado' },
  ...{ Ocurrido: '2026-11-22T19:05:00.000Z', Registrado: '2026-11-22T19:05:31.480Z' },
  ...{ Ancho: 720, Alto: 288, Bytes: 14_210, Anulada: false },
};

export function shownEvidence(listed: ListedPicture): Static<typeof ListedEvidence> {
  const { event, picture, registered, isAnnulled, isRemoved, bytes, width, height } = listed;
  const { Id, Tipo, Ocurrido, Paquete } = event;
  return {
    Evento: Id,
    Imagen: picture,
    Tipo,
    Ocurrido,
    ...(Paquete !== undefined && { Paquete }),
    Registrado: registered.toISOString(),
    ...(isRemoved ? { Ancho: 0, Alto: 0, Bytes: 0 } : { Ancho: width, Alto: height, Bytes: bytes }),
    Anulada: isAnnulled,
    ...(isRemoved && { Retirada: true as const }),
  };
}

const OF_AN_ENTRY = {
  De: Type.Optional(
    Type.String({ description: 'De una Evidencia: el `Id` de su evento', examples: ['MTY01-000123'] }),
  ),
  Imagen: Type.Optional(
    Type.String({ description: 'De una Evidencia: cuál imagen hay', examples: ['firma'] }),
  ),
};

/** The entries of pictures in the lists of events. */
export const ENTRIES: Additions = {
  schemas: { EventoDeGuia: { properties: OF_AN_ENTRY }, EventoDeCuenta: { properties: OF_AN_ENTRY } },
};
