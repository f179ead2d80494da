import type { Connection } from 'mongoose';
import { ANONYMOUS } from '#shared/guides/guide.ts';
import { modelOf } from '#shared/stores/collection.ts';
import { EVENTS, PERSONAL_FIELDS, personalFields, receiversOf } from '#shared/tracking/event-model.ts';
import { guideSteps } from '../guides/guide-store.ts';
import {
  anonymiseOldest,
  type PersonalData,
  type PersonalRecords,
  replaceUser,
} from '../platform/personal-data.ts';

const GUIDES_AT_A_TIME = 2_000;

/** Events that say who received a guide, and notes of the staff. */
export const personalEvents: PersonalRecords = {
  ...{ field: 'eventos', part: 'receptor' },
  async ofGuides(mongo, guides) {
    const found = await modelOf(mongo, EVENTS)
      .find({ 'told.Guia': { $in: [...guides] }, personal: { $exists: true } })
      .sort({ 'told.Guia': 1, _id: 1 })
      .lean();
    return found.map(({ _id, told }) => ({
      ...{ id: _id, guide: told.Guia, names: receiversOf(told) },
      shownTo: (names) => ({
        ...{ Ocurrido: told.Ocurrido, Tipo: told.Tipo },
        ...personalFields(told, names),
      }),
    }));
  },
  anonymise,
  anonymiseOlder: (mongo, before, limit) => anonymiseOldest(mongo, EVENTS, { before, limit }, anonymise),
};

async function anonymise(mongo: Connection, ids: readonly string[]): Promise<void> {
  const events = modelOf(mongo, EVENTS);
  const _id = { $in: [...ids] };
  for (const field of PERSONAL_FIELDS.map((name) => `told.${name}`)) {
    await events.updateMany({ _id, [field]: { $exists: true } }, { $set: { [field]: ANONYMOUS } });
  }
  await events.updateMany({ _id }, { $unset: { personal: 1 } });
}

export const trackingPersonalData: PersonalData = {
  keeps:
    '`events` has who received a parcel and notes of the staff, for `RETENTION_DAYS`, and the names of API users',
  users: {
    async forgetUser(mongo, username) {
      for await (const { filter } of guideSteps(mongo, GUIDES_AT_A_TIME)) {
        await replaceUser(mongo, EVENTS, username, { 'told.Guia': filter._id });
      }
    },
    moveToAccount: 'none: events keep their number in the log of their account',
    ...{ endAccess: 'none', describeRemaining: 'none' },
  },
  accounts: 'none',
  besideGuides: personalEvents,
  accountTexts: 'none',
};
