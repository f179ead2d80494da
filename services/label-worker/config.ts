import { type Static, Type } from 'typebox';
import { commonSettings, labelCacheSettings, redisSettings } from '#shared/config/settings.ts';
import { LABEL_KINDS } from '#shared/labels/label-kinds.ts';

export const LabelWorkerConfig = Type.Object({
  ...commonSettings,
  ...redisSettings,
  ...labelCacheSettings,
  PORT: Type.Integer({ default: 3002, minimum: 0, maximum: 65_535, description: 'Port to listen on' }),
  CHROMIUM_PATH: Type.String({
    description:
      'Path of Chromium. chromium-headless-shell prints two to three times as fast as the full browser',
    examples: ['/usr/bin/chromium-headless-shell'],
  }),
  CHROMIUM_SANDBOX: Type.Enum(['auto', 'required'], {
    default: 'auto',
    description:
      'If the system denies Chromium its sandbox, a worker with required does not start, and one with auto logs the reason',
  }),
  LABEL_TEMPLATES: Type.Optional(
    Type.String({
      description: `Folder with templates of the operator's own, of ${LABEL_KINDS.map((kind) => `${kind}.hbs`).join(', ')} (docs/labels.md). A worker with a wrong one does not start`,
      examples: ['/templates'],
    }),
  ),
  PRINT_CONCURRENCY: Type.Integer({
    default: 2,
    minimum: 1,
    maximum: 32,
    description: 'Number of prints at once: the number of cores that Chromium may use',
  }),
});
export type LabelWorkerConfig = Readonly<Static<typeof LabelWorkerConfig>>;
