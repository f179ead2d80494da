import type { Accounts } from '../accounts/context.ts';
import type { Guides } from '../guides/context.ts';
import type { Base } from '../http/room.ts';
import type { Labels } from '../labels/context.ts';
import type { Tracking } from '../tracking/context.ts';
import type { ManifestStore } from './manifest-store.ts';

/** What manifests provide. */
export type Manifests = { manifests: ManifestStore };
export type ManifestsContext = Base & Accounts & Guides & Labels & Tracking & Manifests;
