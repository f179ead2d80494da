import { defineRoomData } from '../room-data.ts';

/** `colas.admin` and `queue.*`: the queue of labels, and "Estado", on the dashboard. */
export const labelsData = defineRoomData({
  name: 'labels',
  permissions: ['colas.admin'],
  auditActions: ['label.read-other', 'queue.*'],
  actions: {
    /** Every request for labels, files included. */
    print: {
      ...{ name: 'imprimir', fails: 'Imprimir etiquetas falla', section: 'labelsfail' },
      ...{ service: 'api', writes: false, asksBranches: false, accountsDo: 'none' },
    },
  },
  collections: 'none',
  redis: {
    queue: { keys: [':labels:*'], own: ['api', 'label-worker', 'dashboard'] },
    labels: {
      ...{ keys: [':label:*'], own: ['label-worker'], read: ['api'] },
      channels: ['api', 'label-worker'],
    },
  },
});
