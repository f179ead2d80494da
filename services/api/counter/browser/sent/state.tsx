import { type GuideStatus, STATES } from '#shared/guides/event-types.ts';

/** Returns the words of a state; a state of a later release is its own. */
export function stateWords(status: string): string {
  return STATES[status as GuideStatus]?.title ?? status;
}

/** A state in words, with a look that repeats what the words say. */
export function State({ status }: { status: string }) {
  const look = STATES[status as GuideStatus]?.look ?? 'normal';
  return <span class={`estado ${look}`}>{stateWords(status)}</span>;
}
