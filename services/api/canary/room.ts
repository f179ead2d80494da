import type { Room } from '../http/room.ts';

/** The canary's account, and what a process tries with it before customers come. */
export const canary: Room = {
  name: 'canary',
  errors: {},
  personalData: 'none',
};
