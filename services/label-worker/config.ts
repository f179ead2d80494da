import { type Static, Type } from 'typebox';
import { commonSettings, redisSettings } from '#shared/config/settings.ts';

export const LabelWorkerConfig = Type.Object({
  ...commonSettings,
  ...redisSettings,
  PORT: Type.Integer({ default: 3002, minimum: 0, maximum: 65_535, description: 'Port of the health pages' }),
  CHROMIUM_PATH: Type.String({
    description:
      'Executable of Chromium; chromium-headless-shell is two to three times as fast as the full one',
    examples: ['/usr/bin/chromium-headless-shell'],
  }),
  BATCH_MAX_LABELS: Type.Integer({
    default: 25,
    minimum: 1,
    maximum: 500,
    description: 'Most labels in one print',
  }),
  PRINT_CONCURRENCY: Type.Integer({
    default: 2,
    minimum: 1,
    maximum: 32,
    description: 'Prints that run side by side; one for each core that Chromium may use',
  }),
  LABEL_CACHE_TTL_S: Type.Integer({
    default: 3_600,
    minimum: 60,
    description: 'How long a finished label is kept in Redis to be asked for again, in seconds',
  }),
  LABEL_CACHE_MAX_LABELS: Type.Integer({
    default: 5_000,
    minimum: 100,
    description: 'How many finished labels are kept in Redis at most (about 35 kB each); the oldest go first',
  }),
  CHROMIUM_MAX_PRINTS: Type.Integer({
    default: 5_000,
    minimum: 1,
    description: 'Prints after which Chromium is replaced by a new one',
  }),
  CHROMIUM_MAX_MEMORY_MIB: Type.Integer({
    default: 1_024,
    minimum: 128,
    description: 'Memory of Chromium above which it is replaced by a new one, in MiB',
  }),
  PRINT_TIMEOUT_MS: Type.Integer({
    default: 4_000,
    minimum: 100,
    description:
      'Longest print, in ms; a Chromium that takes longer is killed and replaced, and the label is tried again: leave time for that in LABEL_TIMEOUT_MS of the api',
  }),
});
export type LabelWorkerConfig = Readonly<Static<typeof LabelWorkerConfig>>;
