import { returnsData } from '#shared/returns/room.ts';
import { accounts } from '../accounts/room.ts';
import { branches } from '../branches/room.ts';
import { guides } from '../guides/room.ts';
import { defineRoom } from '../http/room.ts';
import { labels } from '../labels/room.ts';
import { quotes } from '../quotes/room.ts';
import { tracking } from '../tracking/room.ts';
import { returnErrors } from './errors.ts';
import { linkRoutes } from './link-routes.ts';
import { openReturns } from './open.ts';
import { linkPageRoutes, linkProblems } from './page/routes.ts';
import { returnsPersonalData } from './personal-data.ts';
import { LINK_DAYS, LINK_PRINTS_A_DAY, UNSCANNED_DAYS } from './return.ts';
import { returnRoutes } from './routes.ts';
import { ON_GUIDES } from './schemas.ts';

export const returns = defineRoom({
  data: returnsData,
  needs: [accounts, branches, guides, labels, quotes, tracking],
  errors: returnErrors,
  personalData: returnsPersonalData,
  changes: { what: ['crear devoluciones'], repeated: ['Para crear una devolución use una clave.'] },
  adds: ON_GUIDES,
  onBadUrl: linkProblems,
  open: openReturns,
  openRoutes: [linkPageRoutes],
  routes: [returnRoutes, linkRoutes],
  manualValues: () => ({
    diasSinEscaneo: UNSCANNED_DAYS,
    diasDeEnlace: LINK_DAYS,
    impresionesAlDia: LINK_PRINTS_A_DAY,
  }),
});
