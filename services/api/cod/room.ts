import { codData } from '#shared/cod/room.ts';
import { accounts } from '../accounts/room.ts';
import { guides } from '../guides/room.ts';
import { defineRoom } from '../http/room.ts';
import { labels } from '../labels/room.ts';
import { tracking } from '../tracking/room.ts';
import { webhooks } from '../webhooks/room.ts';
import { codErrors } from './errors.ts';
import { COD_MESSAGES } from './messages.ts';
import { openCod } from './open.ts';
import { codPersonalData } from './personal-data.ts';
import { TOPIC } from './publish-news.ts';
import { codRoutes } from './routes.ts';

export const cod = defineRoom({
  data: codData,
  needs: [accounts, guides, labels, tracking, webhooks],
  errors: codErrors,
  adds: {
    errors: {
      crearGuias: ['collections-refused'],
      validarGuias: ['collections-refused'],
    },
    schemas: { Tema: { enum: [TOPIC] } },
  },
  personalData: codPersonalData,
  changes: 'none',
  messages: COD_MESSAGES,
  open: openCod,
  routes: [codRoutes],
});
