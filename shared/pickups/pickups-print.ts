import { defineDocument } from '../documents/document-print.ts';
import { isPickupsPayload } from './pickups-payload.ts';
import { pagesOfPickups, pickupsViews } from './pickups-view.ts';

/** The list of a branch and a day, for the driver. */
export const PICKUPS_PRINT = defineDocument({
  kind: 'pickups',
  title: 'Recolecciones',
  template: new URL('pickups.hbs', import.meta.url),
  isPayload: isPickupsPayload,
  pageCount: (payload) => pagesOfPickups(payload).length,
  views: pickupsViews,
  visible: ({ number, pickups }) => ({
    ...{ guia: number, tipo: 'recolecciones' },
    recolecciones: pickups.length,
  }),
});
