import { Type } from 'typebox';
import { SECRET } from '../config/settings.ts';
import { defineRoomData } from '../room-data.ts';
import { NOTICE_ACCOUNTS, NOTICE_REFUSALS, NOTICES } from './notice-model.ts';

/** As in a URL: a bare % would be read as another text, or not at all. */
const ENCODED = '([^:@/?#%]|%[0-9a-fA-F]{2})+';

export const noticesData = defineRoomData({
  name: 'notices',
  about: 'E-mails that tell recipients what happens to their parcel, and the page on which they refuse them',
  permissions: { 'avisos.admin': 'own account' },
  auditActions: ['notice.change'],
  actions: 'none',
  collections: [NOTICE_ACCOUNTS, NOTICES, NOTICE_REFUSALS],
  users: { moves: 'none', forgets: 'avisos', ends: 'none' },
  redis: {
    notices: {
      keys: [':notices:*'],
      holds: 'Notices that an address got in 24 hours, by its hash keyed with `NOTICES_SECRET`',
      life: '24 h',
      own: ['api'],
    },
  },
  settings: {
    SMTP_URL: Type.Optional(
      Type.String({
        pattern: `^smtps?://(${ENCODED}:${ENCODED}@)?([^:@/?#\\[\\]]+|\\[[0-9a-fA-F:]+\\])(:[0-9]{1,5})?(\\?tls=no)?$`,
        writeOnly: true,
        description:
          "Carrier's mail server for notices to recipients: smtp://USER:PASSWORD@host:587 with STARTTLS, or smtps://… with TLS from the start. User and password are encoded as in a URL. TLS is demanded, but on the loopback, or with ?tls=no. Without it no notices are sent. With it MAIL_FROM, NOTICES_SECRET, PUBLIC_URL and PRIVACY_NOTICE_URL are needed too",
        examples: ['smtp://guias:PASSWORD@correo.example:587'],
      }),
    ),
    MAIL_FROM: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9._+-]+@[A-Za-z0-9-]+([.][A-Za-z0-9-]+)+$',
        description:
          'Sender of notices, whose name is CARRIER_NAME. Its mailbox gets what cannot be delivered',
        examples: ['avisos@guias.example'],
      }),
    ),
    NOTICES_SECRET: Type.Optional(
      Type.String({
        ...SECRET,
        description:
          'Secret that hashes the addresses of those who want no notices, at least 32 random characters. It is never rotated: with another one, refusals are forgotten',
        examples: ['$(openssl rand -hex 32)'],
      }),
    ),
    NOTICE_TEMPLATE: Type.Optional(
      Type.String({
        description:
          'File with the mail of notices in place of our own (operations.md). An api with a wrong one does not start',
        examples: ['/etc/guias/aviso.hbs'],
      }),
    ),
    NOTICES_PER_DAY_PER_ACCOUNT: Type.Integer({
      default: 20_000,
      minimum: 1,
      maximum: 10_000_000,
      description: 'Most notices that the recipients of an account get in 24 hours. The others are not sent',
    }),
  },
  subjects: {
    Avisos: {
      place: 5.5,
      name: 'Avisos',
      description: 'Correos a quien espera un paquete: de qué estados, y qué fue de cada uno',
    },
  },
  chapters: { avisos: ['Seguimiento', 4] },
  commands: 'none',
});
