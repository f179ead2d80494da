import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { ApiConfig, ApiOptions } from '../config.ts';
import type { PersonalData } from '../platform/personal-data.ts';
import { type ErrorTable, joinErrors } from './errors.ts';
import type { Additions } from './operation.ts';

/** What the chapters of the guide for integrators show in place of `{{name}}`, in Markdown. */
export type ManualValues = Readonly<Record<string, string | number>>;

/** What the plugins of a room get: all rooms of the api beside its options. */
export type RoomOptions = ApiOptions & { rooms: readonly Room[] };
type Plugin = (server: HttpServer, options: RoomOptions) => Promise<void>;

/** Answers a request whose address cannot be decoded; undefined if it is not of the room's pages. */
export type BadUrlAnswer = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined;

/**
 * The front door of a room: all that the api takes of it. Nothing else imports what is inside, but rooms above that name it
 * (test/house.test.ts).
 */
export type Room = {
  /** The word by which its folders are found. */
  name: string;
  errors: ErrorTable;
  /** What it adds to the operations of rooms below. */
  adds?: Additions;
  /** Open, decorate and close what it needs. Each stands behind those that it uses, and so closes before them. */
  plugins?: readonly Plugin[];
  /** Routes without a token. */
  openRoutes?: readonly Plugin[];
  /** Routes that demand a token, and name a permission. */
  routes?: readonly Plugin[];
  personalData: PersonalData | 'none';
  onBadUrl?: (config: ApiConfig) => BadUrlAnswer;
  /** Introduces the OpenAPI document, in Markdown. */
  introduction?: string;
  /** Path of the guide for integrators, where the OpenAPI document sends those who ask. */
  guide?: string;
  /** What is sent to others, as `webhooks` of the OpenAPI document. */
  messages?: object;
  manual?: {
    /** Its chapters' files, by their names. */
    chapters?: Readonly<Record<string, URL>>;
    values?: (config: ApiConfig) => ManualValues;
  };
};

/** Returns the addresses of chapters beside a module. */
export function chaptersIn(module: string, ...names: readonly string[]): Record<string, URL> {
  return Object.fromEntries(names.map((name) => [name, new URL(`${name}.md`, module)]));
}

/** Returns the errors of rooms, with those of every request. */
export function errorsOf(rooms: readonly Room[]): ErrorTable {
  return joinErrors(rooms.map(({ errors }) => errors));
}

/** Returns what rooms store of people, the lower rooms first. */
export function personalDataOf(rooms: readonly Room[]): PersonalData[] {
  return rooms.flatMap(({ personalData }) => (personalData === 'none' ? [] : [personalData]));
}
