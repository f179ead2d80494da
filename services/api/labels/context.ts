import type { ApiUser } from '#shared/accounts/user-store.ts';
import type { Accounts } from '../accounts/context.ts';
import type { Guides } from '../guides/context.ts';
import type { Base } from '../http/room.ts';
import type { LabelFiles } from './label-files.ts';
import type { LabelSettings } from './label-payload.ts';
import type { PrintedLabels } from './printed-labels.ts';

/** What labels provide. */
export type Labels = {
  labels: PrintedLabels;
  labelFiles: LabelFiles;
  labelSettings: LabelSettings;
  /** Called with the user and the number of labels of each answer that brings some. Rooms above add theirs. */
  onLabels: ((user: ApiUser, labels: number) => void)[];
};
export type LabelsContext = Base & Accounts & Guides & Labels;
