import { type Static, Type } from 'typebox';
import { strictAjv } from '#shared/schemas/strict-ajv.ts';
import { Logo } from '../labels/label-payload.ts';
import { PICKUP_NUMBER, PICKUP_STATES } from './pickup.ts';

/** Most pick-ups of a PDF, as guides of a manifest. */
export const MAX_PRINTED = 500;

const text = Type.String();
/** A pick-up on the list of a branch. */
export const PrintedPickup = Type.Object(
  {
    number: Type.String({ pattern: PICKUP_NUMBER }),
    /** Such as `09:00–13:00`. */
    window: text,
    status: Type.Enum([...PICKUP_STATES], { type: 'string' }),
    account: text,
    name: text,
    phones: text,
    street: text,
    town: text,
    packages: Type.Integer(),
    /** In kg. */
    weight: Type.Optional(Type.Number()),
    manifest: Type.Optional(text),
    notes: Type.Optional(text),
  },
  { additionalProperties: false },
);
export type PrintedPickup = Static<typeof PrintedPickup>;

/** All that the list of a branch and a day shows; new fields as in `LabelPayload`. */
export const PickupsPayload = Type.Object({
  kind: Type.Literal('pickups'),
  /** Branch and day, such as `MEX01 2026-12-01`. */
  number: text,
  carrier: text,
  logo: Type.Optional(Logo),
  branch: Type.Object({ code: text, name: text }),
  date: text,
  pickups: Type.Array(PrintedPickup, { maxItems: MAX_PRINTED }),
});
export type PickupsPayload = Static<typeof PickupsPayload>;

export const isPickupsPayload = strictAjv().compile<PickupsPayload>(PickupsPayload);
