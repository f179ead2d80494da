import { type Static, Type } from 'typebox';
import {
  commonSettings,
  labelCacheSettings,
  labelShardSettings,
  redisSettings,
} from '#shared/config/settings.ts';

export const LabelWorkerConfig = Type.Object({
  ...commonSettings,
  ...redisSettings,
  ...labelShardSettings,
  ...labelCacheSettings,
  SHARD: Type.Integer({
    default: 0,
    minimum: 0,
    description: 'Shard that the worker prints for, by its place in REDIS_URLS, from 0',
  }),
  PORT: Type.Integer({ default: 3002, minimum: 0, maximum: 65_535, description: 'Port to listen on' }),
  CHROMIUM_PATH: Type.String({
    description:
      'Path of the Chromium executable. chromium-headless-shell prints two to three times as fast as the full browser',
    examples: ['/usr/bin/chromium-headless-shell'],
  }),
  CHROMIUM_SANDBOX: Type.Enum(['auto', 'required'], {
    default: 'auto',
    description:
      'Whether Chromium must have its sandbox. With required, a worker whose system denies it does not start; with auto, the worker logs the reason and prints without it',
  }),
  LABEL_TEMPLATES: Type.Optional(
    Type.String({
      description:
        "Folder with label templates of the operator's own, letter.hbs, medium.hbs or small.hbs; of other kinds, ours print. A worker with a wrong one does not start, and says why (docs/labels.md)",
      examples: ['/templates'],
    }),
  ),
  BATCH_MAX_LABELS: Type.Integer({
    'x-formerly': 'BATCH_LABELS',
    default: 25,
    minimum: 1,
    maximum: 500,
    description: 'Maximum number of labels in one print',
  }),
  PRINT_CONCURRENCY: Type.Integer({
    'x-formerly': 'LANES',
    default: 2,
    minimum: 1,
    maximum: 32,
    description: 'Number of prints that run at once. Set it to the number of cores that Chromium may use',
  }),
  LABEL_CACHE_TTL_S: Type.Integer({
    'x-formerly': 'LABEL_TTL_S',
    default: 3_600,
    minimum: 60,
    maximum: 3_600, // docs/security.md "Personal data": what a label shows stays no longer in Redis
    description: 'Time that a finished label stays in Redis for repeated requests, in seconds',
  }),
  LABEL_CACHE_MAX_MIB: Type.Integer({
    default: 256,
    minimum: 16,
    description:
      'Maximum size of all finished labels in Redis, in MiB, about 35 kB each. At most half of the maxmemory of Redis is used, whatever this says. The oldest are removed first, labels of more than 100 kB after a minute',
  }),
  CHROMIUM_MAX_PRINTS: Type.Integer({
    'x-formerly': 'CHROMIUM_PRINTS',
    default: 5_000,
    minimum: 1,
    description: 'Number of prints after which a new Chromium replaces the old one',
  }),
  CHROMIUM_MAX_MEMORY_MIB: Type.Integer({
    'x-formerly': 'CHROMIUM_MEMORY_MIB',
    default: 1_024,
    minimum: 128,
    description: 'Memory of Chromium above which a new one replaces it, in MiB',
  }),
  PRINT_TIMEOUT_MS: Type.Integer({
    default: 4_000,
    minimum: 100,
    description:
      "Time limit of one print, and of one page of a PNG or of ZPL, in ms. A Chromium that exceeds it is killed and replaced, and its labels are printed again: keep it below half of the api's LABEL_TIMEOUT_MS",
  }),
});
export type LabelWorkerConfig = Readonly<Static<typeof LabelWorkerConfig>>;
