import { randomUUID } from 'node:crypto';
import { modelOf } from '#shared/stores/collection.ts';
import { EVENTS } from '#shared/tracking/event-model.ts';
import { minimalGuide } from '#test/fixtures/client.ts';
import { event } from '#test/fixtures/events.ts';
import type { Stored } from '#test/fixtures/stored.ts';

export const stored: Stored = {
  async byClient(client) {
    const [guide] = await client.created(minimalGuide());
    await client.post(`/api/guias/${guide?.SEND_GUIA}/cancelar`, '');
  },
  /** A delivery, which says who received the parcel. */
  namingPerson: (mongo, { guide, account, person, at }) =>
    modelOf(mongo, EVENTS).insertOne({
      _id: `${account} ${randomUUID()}`,
      told: event(guide, 'Entregado', { Id: randomUUID(), Recibe: person }) as never,
      ...{ status: 'Entregado', version: 1, username: 'escaner', append: randomUUID() },
      ...{ personal: at, registered: at },
    }),
};
