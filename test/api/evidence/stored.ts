import { randomUUID } from 'node:crypto';
import { EVIDENCE } from '#shared/evidence/evidence-model.ts';
import { modelOf } from '#shared/stores/collection.ts';
import { EVENTS } from '#shared/tracking/event-model.ts';
import { minimalGuide } from '#test/fixtures/client.ts';
import { event } from '#test/fixtures/events.ts';
import type { Stored } from '#test/fixtures/stored.ts';

/** A picture as it is kept. */
const kept = (guide: string, username: string, at: Date) => ({
  _id: `${guide} ${randomUUID()} firma`,
  ...{ guide, event: randomUUID(), picture: 'firma' as const, state: 'kept' as const, sent: randomUUID() },
  ...{ store: 'mongodb' as const, key: randomUUID(), printKey: randomUUID() },
  ...{ bytes: 1, width: 1, height: 1, username, at, personal: at },
});

export const stored: Stored = {
  async byClient(client, mongo) {
    const [guide] = await client.created(minimalGuide());
    const { body } = await client.get('/api/auth/validate');
    const { usuario } = body.data as { usuario: string };
    await modelOf(mongo, EVIDENCE).insertOne(kept(guide?.SEND_GUIA ?? '', usuario, new Date()));
  },
  /** A delivery, which says who received the parcel, with that person's signature. */
  async namingPerson(mongo, { guide, account, person, at }) {
    const picture = kept(guide, 'escaner', at);
    await modelOf(mongo, EVENTS).insertOne({
      _id: `${account} ${randomUUID()}`,
      told: event(guide, 'Entregado', { Id: picture.event, Recibe: person }) as never,
      ...{ status: 'Entregado', version: 1, username: 'escaner', append: randomUUID() },
      ...{ personal: at, registered: at },
    });
    await modelOf(mongo, EVIDENCE).insertOne(picture);
  },
  naming: (mongo) => modelOf(mongo, EVIDENCE).countDocuments({ state: 'kept' }),
};
