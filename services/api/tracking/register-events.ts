import { inTurns } from '#shared/async/in-turns.ts';
import type { Problem } from '#shared/errors/domain-error.ts';
import { isTestNumber } from '#shared/guides/guide.ts';
import type { EventBody } from '#shared/tracking/event-model.ts';
import type { GuideStore } from '../guides/guide-store.ts';
import type { EventRegister, Verdict } from './event-register.ts';
import { checkEvent } from './event-request.ts';

/** The outcome of a sent event; `id` if it has a valid one. */
export type Outcome = { id: string | undefined; verdict: Verdict };

type Deps = { events: EventRegister; guides: GuideStore };

/**
 * Registers events of guides of any account, each by itself: a fact does not wait for its neighbour.
 *
 * @param sent as `eventsOf` returns them, or a file has them.
 * @throws DomainError `events-unknown`, `overloaded`: some may be registered, and whoever repeats registers none twice.
 */
export async function registerEvents(
  deps: Deps,
  sent: readonly Record<string, unknown>[],
  username: string,
): Promise<Outcome[]> {
  return registerChecked(deps, await inTurns(sent, checkEvent), username);
}

/** Registers events as `checkEvent` returns them. @throws as `registerEvents`. */
export async function registerChecked(
  { events, guides }: Deps,
  checked: readonly (EventBody | Problem)[],
  username: string,
): Promise<Outcome[]> {
  const numbers = new Set(checked.flatMap((event) => (isTold(event) ? event.Guia : [])));
  const accounts = await guides.accountsOf([...numbers]);
  const refuse = (problem: Problem) => {
    events.count(problem);
    return problem;
  };
  return Promise.all(
    checked.map(async (event) => {
      if (!isTold(event)) return { id: undefined, verdict: refuse(event) };
      if (isTestNumber(event.Guia)) {
        return { id: event.Id, verdict: refuse({ campo: 'Guia', code: 'guide-is-test' }) };
      }
      const account = accounts.get(event.Guia);
      const verdict =
        account === undefined
          ? refuse({ campo: 'Guia', code: 'guide-not-found' })
          : await events.add(account, event, username);
      return { id: event.Id, verdict };
    }),
  );
}

function isTold(event: EventBody | Problem): event is EventBody {
  return 'Guia' in event;
}
