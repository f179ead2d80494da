import type { Connection } from 'mongoose';
import { ANONYMOUS } from '#shared/guides/guide.ts';
import type { PickupAddress } from '#shared/pickups/pickup.ts';
import { PICKUPS, type Pickup } from '#shared/pickups/pickup-model.ts';
import { modelOf } from '#shared/stores/collection.ts';
import {
  type AccountTexts,
  anonymiseOldest,
  type PersonalData,
  replaceUser,
} from '../platform/personal-data.ts';
import { PickupStore } from './pickup-store.ts';

/** What names a person in an address. Postal code, municipality and state stay, for figures. */
const PERSONAL_FIELDS: readonly (keyof PickupAddress)[] = [
  ...(['Telefono', 'Celular', 'Email', 'Calle', 'Numero_exterior', 'Numero_interior', 'Colonia'] as const),
];

/** Addresses and notes of pick-ups. They are of an account, and not of a guide: many name none. */
const pickupTexts: AccountTexts = {
  field: 'recolecciones',
  async *all(mongo) {
    const found = modelOf(mongo, PICKUPS)
      .find({ personal: { $exists: true } })
      .sort({ _id: 1 })
      .lean()
      .cursor();
    for await (const pickup of found as AsyncIterable<Pickup>) {
      const { _id: id, createdAt: Fecha, address: Direccion, notes } = pickup;
      const text = [...Object.values(Direccion), notes].filter(Boolean).join('\n');
      yield { id, text, shown: { Recoleccion: id, Fecha, Direccion, ...(notes && { Notas: notes }) } };
    }
  },
  anonymise,
  anonymiseOlder: (mongo, before, limit) => anonymiseOldest(mongo, PICKUPS, { before, limit }, anonymise),
};

/** A driver finds no address any more: an open pick-up of an erased person is to be cancelled. */
async function anonymise(mongo: Connection, ids: readonly string[]): Promise<void> {
  const pickups = modelOf(mongo, PICKUPS);
  const _id = { $in: [...ids] };
  const $unset = Object.fromEntries(
    ['personal', 'addressKey', ...PERSONAL_FIELDS.map((field) => `address.${field}`)].map((field) => [
      field,
      1,
    ]),
  );
  await pickups.updateMany({ _id, notes: { $exists: true } }, { $set: { notes: ANONYMOUS } });
  await pickups.updateMany({ _id }, { $set: { 'address.Nombre': ANONYMOUS }, $unset });
}

export const pickupsPersonalData: PersonalData = {
  keeps:
    '`pickups` has names, phones, addresses and notes of pick-ups, for `RETENTION_DAYS`, and the names of API users',
  users: {
    moveToAccount: (mongo, username, account) => new PickupStore(mongo).moveToAccount(username, account),
    async forgetUser(mongo, username) {
      await new PickupStore(mongo).dropKeys(username);
      await replaceUser(mongo, PICKUPS, username);
    },
    ...{ endAccess: 'none', describeRemaining: 'none' },
  },
  accounts: {
    ...{ isOfTests: 'none', describeInherited: 'none', refuseClosing: 'none' },
    closeAccount: 'none: open pick-ups are those of a carrier who is on the way',
  },
  besideGuides: 'none',
  accountTexts: pickupTexts,
};
