import type { Accounts } from '../accounts/context.ts';
import type { Base } from '../http/room.ts';
import type { KeyStore } from './key-store.ts';

/** What keys provide. */
export type Keys = { keys: KeyStore };
export type KeysContext = Base & Accounts & Keys;
