import type { HttpServer } from '#shared/http/http-server.ts';
import type { Accounts } from '../accounts/open.ts';
import type { Base } from '../http/room.ts';
import type { Labels } from '../labels/open.ts';
import { repeatOnceConnected } from '../platform/repeat.ts';
import { AccountUsage } from './account-usage.ts';
import { LabelUsage } from './label-usage.ts';

/** A killed process loses the labels of such a time, in ms. */
const WRITE_MS = 1_000;

/** What the room provides. */
export type Billing = ReturnType<typeof openBilling>;

/** Counts the labels that each account gets, and reads what it used. */
export function openBilling(
  server: HttpServer,
  { mongo, localTime, onLabels, log }: Base & Accounts & Labels,
) {
  const usage = new LabelUsage(mongo, localTime);
  const accountUsage = new AccountUsage({ mongo, localTime });
  server.addHook('onClose', async () => {
    await usage.write().catch((err) => log.warn({ err }, 'Labels of the last second are not counted'));
  });
  const options = {
    name: 'counts of labels',
    pauseMs: WRITE_MS,
    failed: 'Counts of labels wait for MongoDB, but those whose write got no answer',
  };
  repeatOnceConnected(server, options, () => usage.write());
  onLabels.push((user, labels) => {
    if (user.canaryOf === undefined) usage.count(user, labels);
  });
  return { accountUsage };
}
