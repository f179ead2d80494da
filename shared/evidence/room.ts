import { Type } from 'typebox';
import { defineRoomData } from '../room-data.ts';
import { EVIDENCE, PICTURES } from './evidence-model.ts';

export const evidenceData = defineRoomData({
  name: 'evidence',
  about: 'Evidence of deliveries: signatures and photos of events, and the proof of delivery as PDF',
  permissions: 'none',
  auditActions: 'none',
  actions: {
    /** Stores pictures, and shows them, also in a proof. A bucket that is away must not look as if nothing could be printed. */
    evidence: {
      ...{ name: 'evidencia', fails: 'Guardar o mostrar evidencia falla', section: 'evidencefails' },
      ...{ service: 'api', writes: true, asksBranches: false, accountsDo: 'none' },
    },
  },
  collections: [EVIDENCE, PICTURES],
  users: { moves: 'none', forgets: 'evidencia', ends: 'none' },
  redis: {
    pictures: {
      keys: [':pictures:*'],
      holds: 'Pictures that an account stored in 24 hours',
      life: '24 h',
      own: ['api'],
    },
  },
  settings: {
    EVIDENCE_BUCKET: Type.Optional(
      Type.String({
        pattern: '^https?://[^:@/?]+:[^:@/?]+@[^@/?]+/[^/?]+(\\?region=[a-z0-9-]+)?$',
        writeOnly: true,
        description:
          'S3-compatible bucket of signatures and photos: https://KEY:SECRET@host/bucket?region=…, with everything but letters and digits of the secret encoded as in a URL. The region is us-east-1 without one. Without the setting MongoDB keeps pictures',
        examples: ['https://KEY:SECRET@s3.example/evidencia?region=mx-central-1'],
      }),
    ),
    PICTURES_PER_DAY_PER_ACCOUNT: Type.Integer({
      default: 20_000,
      minimum: 1,
      maximum: 10_000_000,
      description:
        'Most signatures and photos that the users of an account store in 24 hours, some 300 kB each. Beyond it they get 429',
    }),
  },
  subjects: {
    Evidencia: {
      place: 5,
      name: 'Evidencia',
      description: 'Firmas y fotos de las entregas, y el comprobante de entrega',
    },
  },
  chapters: { evidencia: ['Seguimiento', 3] },
  commands: 'none',
});
