import { Type } from 'typebox';
import { defineRoomData } from '../room-data.ts';
import { MAX_LOGO_KIB } from './label-payload.ts';

/** `colas.admin` and `queue.*`: the queue of labels, and "Estado", on the dashboard. */
export const labelsData = defineRoomData({
  name: 'labels',
  about: 'Labels of guides, one or many, as PDF, PNG or ZPL',
  permissions: { 'colas.admin': 'all accounts' },
  auditActions: ['label.read-other', 'queue.*'],
  actions: {
    /** Every request for labels, files included. */
    print: {
      ...{ name: 'imprimir', fails: 'Imprimir etiquetas falla', section: 'labelsfail' },
      ...{ service: 'api', writes: false, asksBranches: false, accountsDo: 'none' },
    },
  },
  collections: 'none',
  users: 'none',
  redis: {
    queue: {
      keys: [':labels:*'],
      holds: 'The queue `labels` of BullMQ',
      life: '50 min after a job ended; 5 min if nobody prints it',
      own: ['api', 'label-worker', 'dashboard'],
    },
    labels: {
      ...{
        keys: [':label:*'],
        holds: 'In the Redis of the labels: a finished file; the channel that tells how its job ended',
        life: '1 h, or until evicted',
        own: ['label-worker'],
        read: ['api'],
      },
      channels: ['api', 'label-worker'],
    },
  },
  settings: {
    CARRIER_LOGO: Type.Optional(
      Type.String({
        description: `Path of the logo on the labels, an SVG or PNG of at most ${MAX_LOGO_KIB} KiB. Black prints best`,
        examples: ['/etc/guias/logo.svg'],
      }),
    ),
    TRACKING_URL: Type.Optional(
      Type.String({
        pattern: '\\{guia\\}',
        description:
          'Tracking address in the QR code, where {guia} stands for the number. Without it, the tracking page at PUBLIC_URL',
        examples: ['https://rastreo.example/{guia}'],
      }),
    ),
  },
  subjects: {
    Etiquetas: {
      place: 2,
      name: 'Etiquetas',
      description: 'Una, en PDF, PNG o ZPL; o muchas, en un archivo',
    },
  },
  chapters: {
    etiquetas: ['Etiquetas', 1],
    impresoras: ['Etiquetas', 2],
  },
  commands: 'none',
});
