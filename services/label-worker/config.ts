import { type Static, Type } from 'typebox';
import { commonSettings, labelCacheSettings, redisSettings } from '#shared/config/settings.ts';

export const LabelWorkerConfig = Type.Object({
  ...commonSettings,
  ...redisSettings,
  ...labelCacheSettings,
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
    default: 25,
    minimum: 1,
    maximum: 500,
    description: 'Maximum number of labels in one print',
  }),
  PRINT_CONCURRENCY: Type.Integer({
    default: 2,
    minimum: 1,
    maximum: 32,
    description: 'Number of prints that run at once. Set it to the number of cores that Chromium may use',
  }),
  PRINT_TIMEOUT_MS: Type.Integer({
    default: 4_000,
    minimum: 100,
    maximum: 60_000,
    description:
      "Time limit of one print, and of one page of a PNG or of ZPL, in ms. A Chromium that exceeds it is killed and replaced, and its labels are printed again: keep it below half of the api's LABEL_TIMEOUT_MS",
  }),
});
export type LabelWorkerConfig = Readonly<Static<typeof LabelWorkerConfig>>;
