import { Type } from 'typebox';
import type { Additions } from '../http/operation.ts';
import { SCENARIOS } from './play-scenarios.ts';
import { TOPIC } from './publish-news.ts';

/**
 * What pick-ups add to operations of rooms below: their code in the scan of a manifest, which `scanManifest` and
 * `findScannedPickup` validate, and scenarios of test accounts.
 */
export const ADDED_BY_PICKUPS: Additions = {
  errors: {
    registrarEventos: ['pickup-not-found', 'pickup-is-test', 'pickup-unknown'],
    simularEventos: ['guide-without-pickup', 'pickup-unknown'],
  },
  schemas: {
    SolicitudDeEventos: {
      properties: {
        Recoleccion: Type.Optional(
          Type.String({
            description:
              'Solo con `Manifiesto`: la recolección cuyo código se escaneó, que así queda Recolectada',
            examples: ['R48291365074'],
          }),
        ),
      },
    },
    Tema: { enum: [TOPIC] },
    Simulacion: { properties: { Escenario: Type.Enum([...SCENARIOS], { type: 'string' }) } },
  },
};
