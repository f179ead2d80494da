import type { Room } from '../http/room.ts';
import { selfTestPlugin } from './plugin.ts';

/** The canary's account, and what a process tries with it before customers come. */
export const canary: Room = {
  name: 'canary',
  errors: {},
  plugins: [selfTestPlugin],
  personalData: 'none',
};
