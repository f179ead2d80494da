import { Type } from 'typebox';
import { MAX_GUIDES } from '#shared/guides/guide.ts';
import { Event } from '#shared/tracking/event.ts';
import type { Additions } from '../http/operation.ts';

const { Ocurrido, Sucursal } = Event.properties;
const number = (description: string) =>
  Type.Optional(Type.String({ description, examples: ['M48291365074'] }));
const scanned = Type.Optional(Type.String({ description: 'El que se escaneó; falta si fue la guía' }));

/**
 * The scan of a manifest in the operations of events. `scanManifest` validates the body. Descriptions say which fields go
 * together, because generators would make two types.
 */
export const SCANS: Additions = {
  errors: { registrarEventos: ['manifest-not-found', 'guide-not-in-manifest'] },
  sentences: {
    registrarEventos:
      'Con `Manifiesto` se registra `Recolectado` de cada guía del manifiesto, salvo las que `Faltan`. ',
  },
  schemas: {
    SolicitudDeEventos: {
      description: 'Eventos de guías, o el escaneo de un manifiesto',
      properties: {
        Manifiesto: number(
          'Número de un manifiesto, en lugar de `Eventos` y con `Tipo` y `Ocurrido`: cada una de sus guías se recogió',
        ),
        Tipo: Type.Optional(
          Type.Enum(['Recolectado'], { type: 'string', description: 'Solo con `Manifiesto`, y obligatorio' }),
        ),
        Ocurrido: Type.Optional({ ...Ocurrido, description: 'Solo con `Manifiesto`, y obligatorio' }),
        Sucursal: Type.Optional({ ...Sucursal, description: 'Solo con `Manifiesto`: dónde se recogió' }),
        Faltan: Type.Optional(
          Type.Array(Type.String({ description: 'Número de guía' }), {
            maxItems: MAX_GUIDES,
            description: 'Solo con `Manifiesto`: sus guías que no llegaron',
            examples: [['390458235877']],
          }),
        ),
      },
      'x-examples': {
        manifiesto: {
          summary: 'Un manifiesto que se recoge, salvo una guía que falta',
          value: {
            Manifiesto: 'M48291365074',
            Tipo: 'Recolectado',
            Ocurrido: '2026-11-21T18:30:00-06:00',
            Faltan: ['390458235877'],
          },
        },
      },
    },
    ResultadoDeEvento: {
      properties: {
        indice: Type.Integer({ description: 'Posición en la solicitud, o en el manifiesto, desde 0' }),
        SEND_GUIA: Type.Optional(Type.String({ description: 'La guía, de un manifiesto' })),
      },
    },
    EventoDeGuia: { properties: { Manifiesto: scanned } },
    EventoDeCuenta: { properties: { Manifiesto: scanned } },
    RespuestaGuiaCancelada: {
      properties: {
        Manifiesto: number(
          'El manifiesto en que está la guía: la lista no cambia, así que avise a quien la recoge',
        ),
      },
    },
  },
};
