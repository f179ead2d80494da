import { type Static, Type } from 'typebox';
import { strictAjv } from '#shared/schemas/strict-ajv.ts';
import { Route } from '../branches/branch.ts';
import { GUIDE_NUMBER, MAX_GUIDES } from '../guides/guide.ts';
import { BranchOnLabel, Logo } from '../labels/label-payload.ts';
import { MANIFEST_NUMBER, ManifestGuide } from './manifest.ts';

/** All that the list of a manifest shows; new fields as in `LabelPayload`. */
export const ManifestPayload = Type.Object({
  kind: Type.Literal('manifest'),
  number: Type.String({ pattern: MANIFEST_NUMBER }),
  /** Local time of the configured zone, `YYYY-MM-DDTHH:mm:ss`. */
  createdAt: Type.String(),
  account: Type.String(),
  carrier: Type.String(),
  logo: Type.Optional(Logo),
  origin: BranchOnLabel,
  guides: Type.Array(
    Type.Object(
      {
        ...ManifestGuide.properties,
        postalCode: Type.Optional(Type.String()),
        /** Cancelled after it came into the manifest. */
        cancelled: Type.Optional(Type.Literal(true)),
      },
      { additionalProperties: false },
    ),
    { minItems: 1, maxItems: MAX_GUIDES },
  ),
  /** By the numbers of the guides that have one. */
  routes: Type.Optional(Type.Record(Type.String({ pattern: GUIDE_NUMBER }), Route)),
  /** By the numbers of the guides: the customer's reference, and municipality and state of the recipient. */
  details: Type.Optional(
    Type.Record(
      Type.String({ pattern: GUIDE_NUMBER }),
      Type.Object({ reference: Type.Optional(Type.String()), place: Type.Optional(Type.String()) }),
    ),
  ),
  /** Names of the branches of destination, by their codes. */
  branches: Type.Optional(Type.Record(Type.String(), Type.String())),
});
export type ManifestPayload = Static<typeof ManifestPayload>;

export const isManifestPayload = strictAjv().compile<ManifestPayload>(ManifestPayload);
