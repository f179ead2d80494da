import { noticesData } from '#shared/notices/room.ts';
import { accounts } from '../accounts/room.ts';
import { guides } from '../guides/room.ts';
import { defineRoom } from '../http/room.ts';
import { tracking } from '../tracking/room.ts';
import { noticeErrors } from './errors.ts';
import { openNotices } from './open.ts';
import { refusalPageRoutes, refusalProblems } from './page/routes.ts';
import { noticesPersonalData } from './personal-data.ts';
import { MAX_AGE_MS } from './record-notices.ts';
import { noticeRoutes } from './routes.ts';

export const notices = defineRoom({
  data: noticesData,
  needs: [accounts, guides, tracking],
  errors: noticeErrors,
  personalData: noticesPersonalData,
  changes: { what: ['encender o apagar los avisos'], repeated: [] },
  onBadUrl: refusalProblems,
  open: openNotices,
  openRoutes: [refusalPageRoutes],
  routes: [noticeRoutes],
  manualValues: (config) => ({
    horasDeAviso: MAX_AGE_MS / 3_600_000,
    avisosPorDia: config.NOTICES_PER_DAY_PER_ACCOUNT,
  }),
});
