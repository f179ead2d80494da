import { type Static, Type } from 'typebox';
import {
  calledSettings,
  commonSettings,
  mongoSettings,
  redisSettings,
  servingSettings,
} from '#shared/config/settings.ts';

export const BranchesConfig = Type.Object({
  ...commonSettings,
  ...mongoSettings,
  ...redisSettings,
  ...calledSettings,
  ...servingSettings,
  PORT: Type.Integer({ default: 3001, minimum: 0, maximum: 65535, description: 'Port to listen on' }),
});
export type BranchesConfig = Readonly<Static<typeof BranchesConfig>>;
