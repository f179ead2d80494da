import { accountsData } from './accounts/room.ts';
import { billingData } from './billing/room.ts';
import { branchesData } from './branches/room.ts';
import { canaryData } from './canary/room.ts';
import { codData } from './cod/room.ts';
import { counterData } from './counter/room.ts';
import { evidenceData } from './evidence/room.ts';
import { guidesData } from './guides/room.ts';
import { keysData } from './keys/room.ts';
import { labelsData } from './labels/room.ts';
import { manifestsData } from './manifests/room.ts';
import { manualData } from './manual/room.ts';
import { pickupsData } from './pickups/room.ts';
import { privacyData } from './privacy/room.ts';
import { quotesData } from './quotes/room.ts';
import { rehearsalData } from './rehearsal/room.ts';
import { returnsData } from './returns/room.ts';
import type { ActionData, RoomData, SubjectData, UsersData } from './room-data.ts';
import type { Collection } from './stores/collection.ts';
import type { RedisFamily } from './stores/redis-families.ts';
import { trackingData } from './tracking/room.ts';
import { webhooksData } from './webhooks/room.ts';

/** The data of the api's rooms, in the order of `services/api/app.ts`. All lists of what rooms have follow from it. */
export const ROOMS_DATA = [
  ...[accountsData, branchesData, guidesData, labelsData],
  ...[
    keysData,
    quotesData,
    trackingData,
    rehearsalData,
    manifestsData,
    evidenceData,
    returnsData,
    webhooksData,
  ],
  ...[pickupsData, codData],
  ...[billingData, privacyData, manualData, counterData, canaryData],
] as const;
type Data = (typeof ROOMS_DATA)[number];

type Part<Name extends keyof RoomData> = Exclude<Data[Name], 'none'>;

/** Returns a part of the rooms that have it. Its type has no words of a room: those of the lists below come from `Data`. */
function partsOf<Name extends keyof RoomData>(name: Name): Exclude<RoomData[Name], 'none'>[] {
  const rooms: readonly RoomData[] = ROOMS_DATA;
  return rooms.flatMap((room) =>
    room[name] === 'none' ? [] : [room[name] as Exclude<RoomData[Name], 'none'>],
  );
}

const WORDS = [
  ...(['permissions', 'auditActions', 'actions', 'collections'] as const),
  ...(['redis', 'settings', 'subjects', 'chapters'] as const),
];
// One of two rooms with the same word would overwrite the other's part in the lists below.
for (const name of WORDS) {
  const words = partsOf(name).flatMap((part) =>
    Array.isArray(part) ? part.map((each) => each.name ?? each) : Object.keys(part),
  );
  const twice = words.find((word, place) => words.indexOf(word) !== place);
  if (twice !== undefined) throw new Error(`Two rooms have ${twice} in ${name}: call one of them otherwise`);
}

/** The keys of each member of a union. */
type KeyOf<Part> = Part extends unknown ? keyof Part & string : never;

export type Permission = KeyOf<Part<'permissions'>>;
const REACH = Object.assign({}, ...partsOf('permissions')) as Exclude<RoomData['permissions'], 'none'>;
export const PERMISSIONS = Object.keys(REACH) as readonly Permission[];
/** All that customers may do with what is their account's. */
export const CUSTOMER_PERMISSIONS = PERMISSIONS.filter((each) => REACH[each] === 'own account');

/** A command of operators is `admin.<command>`, `branches.<command>` and so on. */
export type AuditAction = Texts<Part<'auditActions'>[number]>;
type Texts<Pattern> = Pattern extends `${infer Start}*` ? `${Start}${string}` : Pattern;

export type UserAction = KeyOf<Part<'actions'>>;
export const ACTIONS = Object.assign({}, ...partsOf('actions')) as Readonly<Record<UserAction, ActionData>>;
export const USER_ACTIONS = Object.keys(ACTIONS) as readonly UserAction[];

export const ROOM_COLLECTIONS: readonly Collection[] = partsOf('collections').flat();

/** Returns what rooms move, forget or end of users, as operators call it. */
export function wordsOfUsers(name: keyof UsersData): string[] {
  return partsOf('users').flatMap((users) => (users[name] === 'none' ? [] : [users[name]]));
}

export const ROOM_REDIS: Readonly<Record<string, RedisFamily>> = Object.assign({}, ...partsOf('redis'));

/** All members of a union at once. */
type Together<Part> = (Part extends unknown ? (part: Part) => void : never) extends (all: infer All) => void
  ? All
  : never;
export const ROOM_SETTINGS = Object.assign({}, ...partsOf('settings')) as Together<Part<'settings'>>;

export type Subject = KeyOf<Part<'subjects'>>;
/** The subjects of operations by their names in the OpenAPI document, in the order of the guide for integrators. */
export const SUBJECTS = Object.fromEntries(
  partsOf('subjects')
    .flatMap((subjects) => Object.entries(subjects))
    .sort(([, one], [, other]) => one.place - other.place),
) as Readonly<Record<Subject, SubjectData>>;

/** Returns the actions that the processes of a service count. */
export function actionsOf(service: ActionData['service']): UserAction[] {
  return USER_ACTIONS.filter((action) => ACTIONS[action].service === service);
}
