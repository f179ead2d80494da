import { USER_ACTIONS, type UserAction } from '#shared/actions/user-actions.ts';

/**
 * `grave`: users do not get what they ask for, or something may be lost. `nota`: a customer's own matter, such as a receiver
 * that fails. A note is shown, but is no problem: among ten thousand customers there always is one.
 */
export const LEVELS = ['grave', 'atencion', 'nota'] as const;

export type Level = (typeof LEVELS)[number];

/** What follows from a cause. It is no line of its own while its cause is one. A user's action: that it fails. */
export const EFFECTS = [
  ...USER_ACTIONS,
  ...(['heartbeats', 'unreported', 'branches', 'webhooks', 'tariff', 'token'] as const),
] as const;
export type Effect = (typeof EFFECTS)[number];

export type Diagnosis = {
  /** The same as long as the problem lasts, while its text changes. */
  id: string;
  level: Level;
  text: string;
  /** Anchor of a section of k8s/runbook.md, at `/runbook`. */
  section: string;
  /** Users' actions that fail or are late because of it. */
  causes?: readonly UserAction[];
  /** Users' actions of which it is the failure, or the delay. */
  effectOn?: readonly UserAction[];
  /** It will not be seen any more, although it does not end. */
  fades?: true;
};

export type Finding = Diagnosis & { explains?: readonly Effect[]; effects?: readonly Effect[] };

/** When causes that explain later figures were seen last, in ms since 1970 by the clock of Redis; 0 if never. */
export type LastSeen = {
  /** Causes for which users' actions failed. */
  causes: Readonly<Partial<Record<UserAction, number>>>;
  /** The outage of the queue's Redis. */
  redis: number;
};

/** Within this time after an outage all processes write again, and what waited for its end has failed. */
export const RECOVERY_MS = 15_000;

export const RECENT_MINUTES = 5;

export const RECENT_MS = 60_000 * RECENT_MINUTES;

/** What needs MongoDB, and what writes to it. */
export const BY_API = USER_ACTIONS.filter((action) => action !== 'webhook');
export const WRITING = ['create', 'event', 'manifest'] as const satisfies UserAction[];
/** What asks the branches service. */
export const BY_BRANCHES = ['create', 'quote', 'read'] as const satisfies UserAction[];

export function isAction(effect: Effect): effect is UserAction {
  return USER_ACTIONS.some((action) => action === effect);
}

export function grave(id: string, section: string, text: string): Diagnosis {
  return { id, level: 'grave', section, text };
}

export function warning(id: string, section: string, text: string): Diagnosis {
  return { id, level: 'atencion', section, text };
}

export function note(id: string, section: string, text: string): Diagnosis {
  return { id, level: 'nota', section, text };
}
