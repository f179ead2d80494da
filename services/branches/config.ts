import { type Static, Type } from 'typebox';
import { commonSettings, internalSettings, mongoSettings, redisSettings } from '../../shared/config.ts';

export const BranchesConfig = Type.Object({
  ...commonSettings,
  ...mongoSettings,
  ...redisSettings,
  ...internalSettings,
  PORT: Type.Integer({ default: 3001, minimum: 0, maximum: 65535, description: 'Port to listen on' }),
});
export type BranchesConfig = Readonly<Static<typeof BranchesConfig>>;
