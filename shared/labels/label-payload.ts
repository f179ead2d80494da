import { type Static, Type } from 'typebox';
import { strictAjv } from '#shared/schemas/strict-ajv.ts';
import { PickUpPlace, Route } from '../branches/branch.ts';
import { GUIDE_NUMBER, Guide, MAX_PACKAGES, ServiceType } from '../guides/guide.ts';
import { LABEL_KINDS } from './label-kinds.ts';

/** Largest file of a logo, which travels with every label's job. Redis keeps the last thousand jobs. */
export const MAX_LOGO_KIB = 12;
/** Length as `data:` URI: base64 has four characters for three bytes. */
const MAX_LOGO_LENGTH = 'data:image/svg+xml;base64,'.length + 4 * Math.ceil((MAX_LOGO_KIB * 1_024) / 3);

/** Formats of a label, the usual one first, by their names on the wire, which are also the endings of files. */
export const MEDIA_TYPES = { pdf: 'application/pdf', png: 'image/png', zpl: 'application/zpl' } as const;
export type Format = keyof typeof MEDIA_TYPES;
/** Formats beside PDF, and the densities of thermal heads, in dots per inch as the trade says them. */
export const IMAGE_FORMATS = ['png', 'zpl'] as const;
export const DENSITIES = [203, 300] as const;

/** A PNG of a label's one page, or ZPL of all its pages. */
export const ImageFormat = Type.Object(
  { format: Type.Enum(IMAGE_FORMATS), dpi: Type.Enum(DENSITIES) },
  { additionalProperties: false },
);
export type ImageFormat = Static<typeof ImageFormat>;

export const BranchOnLabel = Type.Object({ code: Type.String(), name: Type.String() });
/** The logo itself, as `data:` URI. So the worker needs no setting, and a changed logo makes another label. */
export const Logo = Type.String({
  pattern: '^data:image/(png|svg\\+xml);base64,[A-Za-z0-9+/]+=*$',
  maxLength: MAX_LOGO_LENGTH,
});

/** Longest text of a mark: a label shows it whole. */
const MAX_MARK_LENGTH = 32;

/**
 * Decides what is done with a parcel, such as `COBRAR $450.50`. `others` is the text of all packages but the first, if it
 * differs.
 */
export const Mark = Type.Object({
  text: Type.String({ minLength: 1, maxLength: MAX_MARK_LENGTH }),
  others: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_MARK_LENGTH })),
});
export type Mark = Static<typeof Mark>;

/**
 * All that a label shows. The worker needs no database, and a hash of this value is the label's identity (cache key,
 * ETag). A worker prints the label without fields that its release does not know, but for `marks`
 * (docs/labels.md "Marks").
 */
export const LabelPayload = Type.Object({
  kind: Type.Enum(LABEL_KINDS),
  packages: Type.Integer({ minimum: 1, maximum: MAX_PACKAGES }),
  /** From 1. Without it, every package has its page. */
  package: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PACKAGES })),
  number: Type.String({ pattern: GUIDE_NUMBER }),
  /** Local time of the configured zone, `YYYY-MM-DDTHH:mm:ss`. */
  createdAt: Type.String(),
  service: ServiceType,
  carrier: Type.String(),
  logo: Type.Optional(Logo),
  /** The text of the QR: the tracking address with the guide number in it. */
  trackingUrl: Type.String(),
  /** The image's format, absent for PDF. Two releases share this name on the queue. */
  form: Type.Optional(ImageFormat),
  origin: BranchOnLabel,
  destination: BranchOnLabel,
  guide: Guide,
  /** Absent for a postal code without one, and on guides older than 1.7.0, as is `pickUp`. */
  route: Type.Optional(Route),
  /** Of a guide that is picked up at its destination. */
  pickUp: Type.Optional(PickUpPlace),
  marks: Type.Optional(Type.Array(Mark, { minItems: 1 })),
  /** The guide that came before this one, whose number is a second, smaller code. */
  former: Type.Optional(Type.String({ pattern: GUIDE_NUMBER })),
});
export type LabelPayload = Static<typeof LabelPayload>;

export const isLabelPayload = strictAjv().compile<LabelPayload>(LabelPayload);
