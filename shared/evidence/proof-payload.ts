import { type Static, Type } from 'typebox';
import { strictAjv } from '#shared/schemas/strict-ajv.ts';
import { GUIDE_NUMBER, MAX_PACKAGES, ServiceType } from '../guides/guide.ts';
import { BranchOnLabel, Logo } from '../labels/label-payload.ts';
import { PICTURE_NAMES } from './evidence.ts';

/** Deliveries and pictures that a proof shows. It says how many more there are. */
export const MAX_PROVEN = 8;
export const MAX_PRINTED = 8;

/** Local time of the configured zone, `YYYY-MM-DDTHH:mm:ss`. */
const LocalTime = Type.String();
const strict = { additionalProperties: false } as const;

/** All that the proof of a delivery shows; new fields as in `LabelPayload`. */
export const ProofPayload = Type.Object({
  kind: Type.Literal('proof'),
  number: Type.String({ pattern: GUIDE_NUMBER }),
  createdAt: LocalTime,
  account: Type.String(),
  carrier: Type.String(),
  logo: Type.Optional(Logo),
  service: ServiceType,
  origin: BranchOnLabel,
  destination: BranchOnLabel,
  recipient: Type.String(),
  reference: Type.Optional(Type.String()),
  packages: Type.Integer({ minimum: 1, maximum: MAX_PACKAGES }),
  /** By time. `branch`: its code. */
  deliveries: Type.Array(
    Type.Object(
      {
        at: LocalTime,
        branch: Type.Optional(Type.String()),
        package: Type.Optional(Type.Integer()),
        receiver: Type.Optional(Type.String()),
      },
      strict,
    ),
    { minItems: 1, maxItems: MAX_PROVEN },
  ),
  moreDeliveries: Type.Integer({ minimum: 0 }),
  /** `jpeg` in base64. */
  pictures: Type.Array(
    Type.Object(
      {
        name: Type.Enum([...PICTURE_NAMES]),
        package: Type.Optional(Type.Integer()),
        jpeg: Type.String({ pattern: '^[A-Za-z0-9+/]+=*$' }),
      },
      strict,
    ),
    { maxItems: MAX_PRINTED },
  ),
  morePictures: Type.Integer({ minimum: 0 }),
});
export type ProofPayload = Static<typeof ProofPayload>;

export const isProofPayload = strictAjv().compile<ProofPayload>(ProofPayload);
