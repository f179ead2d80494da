import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { RoomData } from '#shared/room-data.ts';
import type { ApiConfig } from '../config.ts';
import type { PersonalData } from '../platform/personal-data.ts';
import type { Platform } from '../platform/platform.ts';
import { type ErrorTable, joinErrors } from './errors.ts';
import type { Additions } from './operation.ts';

/** What the chapters of the guide for integrators show in place of `{{name}}`, in Markdown. */
export type ManualValues = Readonly<Record<string, string | number>>;

/** What every room has. */
export type Base = Platform & {
  /** The errors of all rooms. */
  errorTable: ErrorTable;
  rooms: readonly Room[];
};

/** Answers a request whose address cannot be decoded; undefined if it is not of the room's pages. */
export type BadUrlAnswer = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined;

/** Adds routes to a scope of their own. */
type Routes<Context> = (server: HttpServer, context: Context) => void | Promise<void>;

/** What the operations of a room change, in Spanish, for the guide for integrators. All others only read. */
export type Changes = {
  /** In the infinitive: "cancelar guías". */
  what: readonly string[];
  /** Sentences in Markdown about those of them that clients must not simply repeat. All others have the same effect twice as once. */
  repeated: readonly string[];
};

/** What a room is, beside what it opens. */
type Facts = {
  data: RoomData;
  errors: ErrorTable;
  /** What it adds to the operations of rooms below. */
  adds?: Additions;
  personalData: PersonalData | 'none';
  changes: Changes | 'none';
  onBadUrl?: (config: ApiConfig) => BadUrlAnswer;
  /** Introduces the OpenAPI document, in Markdown. @param rooms all of them. */
  introduction?: (rooms: readonly Room[]) => string;
  /** Path of the guide for integrators, where the OpenAPI document sends those who ask. */
  guide?: string;
  /** What is sent to others, as `webhooks` of the OpenAPI document. */
  messages?: object;
  manualValues?: (config: ApiConfig) => ManualValues;
  /** Writes what is built of its sources into an empty folder. Imports its code when called: the running api has no tools to build. */
  builds?: (folder: string) => Promise<void>;
};

/**
 * The front door of a room: all that the api takes of it. Nothing else imports what is inside, but rooms above that need it
 * (test/house.test.ts).
 *
 * @typeParam Provided what the rooms that need it get of it.
 */
export type Room<Provided = unknown> = Facts & {
  /** The rooms on which it stands. */
  needs: readonly Room[];
  open?: (server: HttpServer, context: never) => Provided | Promise<Provided>;
  openRoutes?: readonly Routes<never>[];
  routes?: readonly Routes<never>[];
};

/** What a room gets of those that it needs. */
type ProvidedBy<Needs extends readonly Room[]> = Needs extends readonly [
  Room<infer First>,
  ...infer Rest extends readonly Room[],
]
  ? First & ProvidedBy<Rest>
  : unknown;

/**
 * Returns a room. It does not compile if the room uses more than the base, what the rooms that it needs provide, and what it opens
 * itself. The database is in the base, so that only the rule of imports keeps a room from another's collections.
 */
export function defineRoom<const Needs extends readonly Room[], Provided = unknown>(
  room: Facts & {
    needs: Needs;
    /**
     * Opens its stores, and adds what closes them to the server. The room closes before those that it needs.
     *
     * @returns what the room provides.
     */
    open?: (server: HttpServer, context: Base & ProvidedBy<Needs>) => Provided | Promise<Provided>;
    /** Routes without a token. */
    openRoutes?: readonly Routes<Base & ProvidedBy<Needs> & NoInfer<Provided>>[];
    /** Routes that demand a token, and name a permission. */
    routes?: readonly Routes<Base & ProvidedBy<Needs> & NoInfer<Provided>>[];
  },
): Room<Provided> {
  return room;
}

/** By which Fastify takes a plugin's name. For one without it looks through all modules that are loaded. */
const PLUGIN_NAME = Symbol.for('fastify.display-name');

/** Rooms that are open. */
export type OpenRooms = {
  /** Returns the base, and what a room provides. */
  contextOf<Provided>(room: Room<Provided>): Base & Provided;
  /** Adds the routes of all rooms, each in a scope of its own. */
  addRoutes(server: HttpServer, kind: 'openRoutes' | 'routes'): Promise<void>;
};

/**
 * Opens the rooms of the base, in their order.
 *
 * @throws Error if a room does not stand behind those that it needs.
 */
export async function openRooms(server: HttpServer, base: Base): Promise<OpenRooms> {
  const provided = new Map<Room, unknown>();
  // The casts give a room what `defineRoom` has checked that it gets.
  const contexts = new Map<Room, never>();
  for (const room of base.rooms) {
    const missing = room.needs.find((need) => !provided.has(need));
    if (missing)
      throw new Error(
        `The room ${room.data.name} does not stand behind ${missing.data.name}, which it needs`,
      );
    const below = Object.assign({}, base, ...room.needs.map((need) => provided.get(need))) as object;
    const own = await room.open?.(server, below as never);
    provided.set(room, own);
    contexts.set(room, Object.assign({}, below, own) as never);
  }
  const contextOf = (room: Room) => contexts.get(room) as never;
  const addRoutes: OpenRooms['addRoutes'] = async (scope, kind) => {
    for (const room of base.rooms) {
      for (const routes of room[kind] ?? []) {
        const plugin: FastifyPluginAsync = async (own) => routes(own as HttpServer, contextOf(room));
        await scope.register(Object.assign(plugin, { [PLUGIN_NAME]: room.data.name }));
      }
    }
  };
  return { contextOf, addRoutes };
}

/** Returns the errors of rooms, with those of every request. */
export function errorsOf(rooms: readonly Room[]): ErrorTable {
  return joinErrors(rooms.map(({ errors }) => errors));
}

/** Returns what the operations of rooms change. */
export function changesOf(rooms: readonly Room[]): Changes[] {
  return rooms.flatMap(({ changes }) => (changes === 'none' ? [] : [changes]));
}

/** Returns what rooms store of people, the lower rooms first. */
export function personalDataOf(rooms: readonly Room[]): PersonalData[] {
  return rooms.flatMap(({ personalData }) => (personalData === 'none' ? [] : [personalData]));
}
