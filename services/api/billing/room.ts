import type { Room } from '../http/room.ts';
import { usagePlugin } from './plugin.ts';

/** What accounts used, for their bills. */
export const billing: Room = { name: 'billing', errors: {}, personalData: 'none', plugins: [usagePlugin] };
