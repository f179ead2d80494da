import type { Accounts } from '../accounts/context.ts';
import type { Base } from '../http/room.ts';
import type { BranchesClient } from './branches-client.ts';
import type { Catalogue } from './postal-codes/catalogue.ts';

/** What branches provide. */
export type Branches = { branches: BranchesClient; catalogue: Catalogue };
export type BranchesContext = Base & Accounts & Branches;
