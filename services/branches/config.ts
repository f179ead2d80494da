import { type Static, Type } from 'typebox';
import {
  commonSettings,
  internalSettings,
  mongoSettings,
  redisSettings,
  SECRET,
  servingSettings,
} from '#shared/config/settings.ts';

export const BranchesConfig = Type.Object({
  ...commonSettings,
  ...mongoSettings,
  ...redisSettings,
  ...internalSettings,
  ...servingSettings,
  INTERNAL_TOKEN_PREVIOUS: Type.Optional(
    Type.String({
      ...SECRET,
      description: 'Second secret that is accepted, while INTERNAL_TOKEN is rotated',
    }),
  ),
  PORT: Type.Integer({ default: 3001, minimum: 0, maximum: 65535, description: 'Port to listen on' }),
});
export type BranchesConfig = Readonly<Static<typeof BranchesConfig>>;
