import type { Accounts } from '../accounts/context.ts';
import type { Guides } from '../guides/context.ts';
import type { Base } from '../http/room.ts';
import type { Tracking } from '../tracking/context.ts';

export type RehearsalContext = Base & Accounts & Guides & Tracking;
