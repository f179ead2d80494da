import type { Connection } from 'mongoose';
import { picturePath } from '#shared/evidence/evidence.ts';
import { EVIDENCE, type Evidence } from '#shared/evidence/evidence-model.ts';
import { modelOf } from '#shared/stores/collection.ts';
import { EVENTS, receiversOf } from '#shared/tracking/event-model.ts';
import {
  anonymiseOldest,
  type PersonalData,
  type PersonalRecords,
  replaceUser,
} from '../platform/personal-data.ts';

/** Pictures show signatures, faces and doors. They belong to who received, and to both sides of the guide. */
const personalPictures: PersonalRecords = {
  ...{ field: 'evidencia', part: 'receptor' },
  async ofGuides(mongo, guides) {
    const found = await modelOf(mongo, EVIDENCE)
      .find({ guide: { $in: [...guides] }, personal: { $exists: true } })
      .sort({ guide: 1, _id: 1 })
      .lean();
    const receivers = await receiversIn(mongo, found);
    return found.map(({ _id, guide, event, picture, at }) => ({
      ...{ id: _id, guide, names: receivers.get(`${guide} ${event}`) ?? [] },
      shownTo: () => ({
        ...{ Evento: event, Imagen: picture, Guardada: at.toISOString() },
        // A command has no access to the bucket.
        Direccion: picturePath(guide, event, picture),
      }),
    }));
  },
  anonymise,
  anonymiseOlder: (mongo, before, limit) => anonymiseOldest(mongo, EVIDENCE, { before, limit }, anonymise),
};

/** Returns who received, by guide and event. */
async function receiversIn(mongo: Connection, pictures: readonly Evidence[]): Promise<Map<string, string[]>> {
  if (pictures.length === 0) return new Map();
  const events = await modelOf(mongo, EVENTS)
    .find({
      'told.Guia': { $in: [...new Set(pictures.map(({ guide }) => guide))] },
      personal: { $exists: true },
    })
    .sort({ 'told.Guia': 1, _id: 1 })
    .lean();
  return new Map(events.map(({ told }) => [`${told.Guia} ${told.Id}`, receiversOf(told)]));
}

/**
 * Removes pictures: nobody sees them from now on. The sweep of an api deletes their bytes, because a command has no access to
 * the bucket.
 */
async function anonymise(mongo: Connection, ids: readonly string[]): Promise<void> {
  await modelOf(mongo, EVIDENCE).updateMany(
    { _id: { $in: [...ids] } },
    { $set: { state: 'removed', openSince: new Date() }, $unset: { sent: 1, personal: 1 } },
  );
}

export const evidencePersonalData: PersonalData = {
  keeps:
    '`evidence` and `pictures`, or the bucket `EVIDENCE_BUCKET`, have signatures and photos of deliveries, for `RETENTION_DAYS`, and the names of API users. A printed proof is in Redis as labels are',
  users: {
    moveToAccount: 'none: pictures belong to their guide',
    forgetUser: (mongo, username) => replaceUser(mongo, EVIDENCE, username),
    ...{ endAccess: 'none', describeRemaining: 'none' },
  },
  accounts: 'none',
  besideGuides: personalPictures,
  accountTexts: 'none',
};
