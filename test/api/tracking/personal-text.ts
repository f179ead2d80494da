import { randomUUID } from 'node:crypto';
import { modelOf } from '#shared/stores/collection.ts';
import { EVENTS } from '#shared/tracking/event-model.ts';
import { event } from '#test/fixtures/events.ts';
import type { PersonalText } from '#test/fixtures/personal-text.ts';

/** A delivery, which says who received the parcel. */
export const personalText: PersonalText = {
  store: (mongo, { guide, account, person, at }) =>
    modelOf(mongo, EVENTS).insertOne({
      _id: `${account} ${randomUUID()}`,
      told: event(guide, 'Entregado', { Id: randomUUID(), Recibe: person }) as never,
      ...{ status: 'Entregado', version: 1, username: 'escaner', append: randomUUID() },
      ...{ personal: at, registered: at },
    }),
};
