import { ACTIONS, actionsOf, USER_ACTIONS, type UserAction } from '#shared/rooms.ts';

/**
 * `grave`: users do not get what they ask for, or something may be lost. `nota`: a customer's own matter, such as a receiver
 * that fails. With notes alone the page says that all is well: among ten thousand customers there always is one.
 */
export const LEVELS = ['grave', 'atencion', 'nota'] as const;

export type Level = (typeof LEVELS)[number];

/**
 * What a cause harms: an action of users; the same action as the canary tries it (`-tried`); every step of the canary (`api`); its rounds
 * (`canary`); heartbeats; a dependency; the time that answers name (`clock`).
 */
export type Effect =
  | UserAction
  | `${UserAction}-tried`
  | 'api'
  | 'canary'
  | 'heartbeats'
  | 'branches'
  | 'webhooks'
  | 'tariff'
  | 'token'
  | 'clock';

/** What is wrong, as the page says it in a line. */
export type Diagnosis = {
  /** The same as long as it lasts, while its text changes. */
  id: string;
  level: Level;
  text: string;
  /** Anchor of a section of k8s/runbook.md, at `/runbook`. */
  section: string;
  /** What is harmed by it. */
  causes?: readonly Effect[];
  /** What it says is harmed. It is no line of its own while another line causes that. */
  effectOn?: readonly Effect[];
  /** It will not be seen any more, although it does not end. */
  fades?: true;
};

/** When causes were seen last whose effects are seen for longer, in ms since 1970 by the clock of Redis; 0 if never. */
export type LastSeen = {
  /** Causes for which users' actions failed. */
  harmed: Readonly<Partial<Record<UserAction, number>>>;
  /** The outage of the queue's Redis. */
  redis: number;
};

/** Within this time after an outage all processes write again, and what waited for its end has failed. */
export const RECOVERY_MS = 15_000;

/** What needs MongoDB, and what writes to it. */
export const BY_API = actionsOf('api');
export const WRITING = USER_ACTIONS.filter((action) => ACTIONS[action].writes);
/** What the webhooks service does, and what waits for it. */
export const BY_WEBHOOKS: readonly Effect[] = [...actionsOf('webhooks'), 'webhooks'];
/** What asks the branches service. */
export const BY_BRANCHES = USER_ACTIONS.filter((action) => ACTIONS[action].asksBranches);

export function grave(id: string, section: string, text: string): Diagnosis {
  return { id, level: 'grave', section, text };
}

export function warning(id: string, section: string, text: string): Diagnosis {
  return { id, level: 'atencion', section, text };
}

export function note(id: string, section: string, text: string): Diagnosis {
  return { id, level: 'nota', section, text };
}
