import type { LabelPayload } from './label-job.ts';

/** The file of many guides' labels, between who joins it (api) and who asks for it (guias): docs/contract.md "Labels". */

/** Most pages of one file. */
export const MAX_FILE_PAGES = 1_000;

/** The kinds of label that a file may have, by their names on the wire. */
export const KINDS_BY_NAME = {
  carta: 'letter',
  pequena: 'small',
  '10x15': 'medium',
} as const satisfies Record<string, LabelPayload['kind']>;

export type KindName = keyof typeof KINDS_BY_NAME;
export const KIND_NAMES = Object.keys(KINDS_BY_NAME) as KindName[];
