import type { TSchema } from 'typebox';
import type { Collection } from './stores/collection.ts';
import type { RedisFamily } from './stores/redis-families.ts';

/**
 * The data half of a room: what other processes and programs must know of it too. The other half, its code, stands in
 * `services/api/<room>/room.ts`. Every part is required: a room that has nothing of it says `'none'`.
 */
export type RoomData = {
  /** The word by which its folders are found. */
  name: string;
  /** What it is, in English, without a full stop. */
  about: string;
  /** What users are granted, and whether it reaches what is not their account's: then it is the carrier's staff who get it. */
  permissions: Readonly<Record<string, 'own account' | 'all accounts'>> | 'none';
  /** What the audit log calls what people do, where `*` stands for any text: the rest of an operator's command. */
  auditActions: readonly string[] | 'none';
  /** What users do with it, by the word in counts, heartbeats and metrics. */
  actions: Readonly<Record<string, ActionData>> | 'none';
  /** What it stores in MongoDB. */
  collections: readonly Collection[] | 'none';
  /** What becomes of what it stores of API users; `personalData` of its code does it. */
  users: UsersData | 'none';
  /** What it stores in Redis, by the purpose of the keys. */
  redis: Readonly<Record<string, RedisFamily>> | 'none';
  /** Settings of the api. */
  settings: Readonly<Record<string, TSchema>> | 'none';
  /** Subjects of operations. Generated clients name files after them, so they are ASCII. */
  subjects: Readonly<Record<string, SubjectData>> | 'none';
  /** Where its chapters stand in the guide for integrators, by the names of their files. */
  chapters: Readonly<Record<string, ChapterPlace>> | 'none';
  /** The file of its code that adds its commands to `npm run admin` (`addCommands`). */
  commands: 'commands.ts' | 'none';
};

/** What operators call it, such as `guias`. */
export type UsersData = {
  /** What goes with a user to another account. */
  moves: string;
  /** What a removed user's name is taken out of. */
  forgets: string;
  /** What the user gets in by, which ends when the user's access does. */
  ends: string;
};

/**
 * What users do with the service. Each is counted where it is answered, by how it ended, and from these counts follow the page "Estado"
 * and the alerts (`k8s/monitoring/alerts.yml`). The texts are those of "Estado".
 */
export type ActionData = {
  /** Stands in the list of what "Estado" has examined. */
  name: string;
  /** Says that the action fails. */
  fails: string;
  /** Section of the runbook. */
  section: string;
  /** The service whose processes count it. */
  service: 'api' | 'webhooks';
  /** Whether it fails without writes to MongoDB. */
  writes: boolean;
  /** Whether it fails without the branches service. */
  asksBranches: boolean;
  /** What accounts do that are refused for a reason whose truth is our data; `none` if no such error refuses it. */
  accountsDo: string;
  /** The collection without whose unique indexes the api refuses it, and how "Estado" says so; absent if it relies on none. */
  unique?: { collection: string; refused: string };
};

/** A subject of operations, as people read it. Those with a lower place stand before. */
export type SubjectData = { place: number; name: string; description: string };

/** The subjects of the guide for integrators, in the order of its contents. */
export const GUIDE_SUBJECTS = [
  'Empezar',
  'Crear guías',
  'Etiquetas',
  'Seguimiento',
  'Consulta',
  'Operaciones',
] as const;
export type GuideSubject = (typeof GUIDE_SUBJECTS)[number];
/** Chapters of a subject with a lower place stand before. */
export type ChapterPlace = readonly [subject: GuideSubject, place: number];

/** States what a room adds to the lists of `shared/rooms.ts`. */
export function defineRoomData<const Data extends RoomData>(data: Data): Data {
  return data;
}
