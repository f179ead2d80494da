import { MAX_FILE_PAGES, TIPOS } from '#shared/labels/label-kinds.ts';
import { labelsData } from '#shared/labels/room.ts';
import { LABEL_TIMEOUT_MS } from '#shared/printing/label-job.ts';
import { accounts } from '../accounts/room.ts';
import { guides } from '../guides/room.ts';
import { defineRoom } from '../http/room.ts';
import { labelErrors } from './errors.ts';
import { labelFileRoute } from './label-file-route.ts';
import { openLabels } from './open.ts';
import { labelRoutes } from './routes.ts';

export const labels = defineRoom({
  data: labelsData,
  needs: [accounts, guides],
  errors: labelErrors,
  changes: 'none',
  personalData: {
    keeps:
      'Redis has jobs with what a label shows, for 50 minutes after printing ended, or 5 if no worker prints them, and finished labels for an hour at most. The [append-only file](../k8s/operations.md#encryption-at-rest) keeps them longer',
    ...{ users: 'none', accounts: 'none', besideGuides: 'none', accountTexts: 'none' },
  },
  open: openLabels,
  routes: [labelRoutes, labelFileRoute],
  manualValues: labelValues,
});

function labelValues() {
  return {
    esperaS: LABEL_TIMEOUT_MS / 1_000,
    maxPaginas: MAX_FILE_PAGES,
    tiposDeEtiqueta: TIPOS.map((tipo) => `\`${tipo}\``).join(', '),
  };
}
