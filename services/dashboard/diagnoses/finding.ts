/**
 * `grave`: labels are not printed, or may be lost. `nota`: a customer's own matter, such as a receiver that fails. A note is
 * shown, but is no problem: among ten thousand customers there always is one.
 */
export const LEVELS = ['grave', 'atencion', 'nota'] as const;

export type Level = (typeof LEVELS)[number];

export type Diagnosis = {
  /** The same as long as the problem lasts, while its text changes. */
  id: string;
  level: Level;
  text: string;
  /** Anchor of a section of k8s/runbook.md, at `/runbook`. */
  section: string;
  /** `cause`: labels are refused, late or fail because of it. `effect`: labels are. */
  labels?: 'cause' | 'effect';
};

/** What follows from a cause. It is no line of its own while its cause is one. */
export type Effect = 'labels' | 'heartbeats' | 'unreported' | 'branches' | 'webhooks' | 'tariff';

export type Finding = Diagnosis & { explains?: readonly Effect[]; effects?: readonly Effect[] };

/** When causes that explain later figures were seen last, in ms since 1970 by the clock of Redis; 0 if never. */
export type LastSeen = {
  /** A cause for which labels were refused, late or failed. */
  labelsCause: number;
  /** The outage of the queue's Redis. */
  redis: number;
};

/** Within this time after an outage all processes write again, and labels that waited for its end have failed. */
export const RECOVERY_MS = 15_000;

export const RECENT_MINUTES = 5;

export const RECENT_MS = 60_000 * RECENT_MINUTES;

export function grave(id: string, section: string, text: string): Diagnosis {
  return { id, level: 'grave', section, text };
}

export function warning(id: string, section: string, text: string): Diagnosis {
  return { id, level: 'atencion', section, text };
}

export function note(id: string, section: string, text: string): Diagnosis {
  return { id, level: 'nota', section, text };
}
