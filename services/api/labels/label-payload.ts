import type { GuideDocument } from '#shared/guides/guide-model.ts';
import type { ImageFormat, LabelPayload, Mark } from '#shared/labels/label-payload.ts';

/** In `trackingUrl` `{guia}` stands for the guide number. */
export type LabelSettings = { carrier: string; logo?: string | undefined; trackingUrl: string };

/** `package`: the single package that the label shows. */
type Wanted = Pick<LabelPayload, 'kind' | 'packages' | 'package'> & { image?: ImageFormat | undefined };

/** Returns what a room has on a guide's label, which counts so many packages. */
export type LabelAddition = (guide: GuideDocument, packages: number) => { marks?: Mark[]; former?: string };

/** What labels show beside the guide: the operator's settings, and what rooms add. */
export type LabelSources = { labelSettings: LabelSettings; labelAdditions: readonly LabelAddition[] };

/** The order is fixed, because the label's key is a hash of the result. */
export function labelPayload(
  record: GuideDocument,
  { kind, packages, package: only, image }: Wanted,
  { labelSettings: settings, labelAdditions }: LabelSources,
): LabelPayload {
  const added = labelAdditions.map((add) => add(record, packages));
  const marks = added.flatMap((each) => each.marks ?? []);
  const former = added.find((each) => each.former !== undefined)?.former;
  const { _id: number, createdAt, service, origin, destination, guide, route, pickUp } = record;
  return {
    kind,
    packages,
    ...(only !== undefined && { package: only }),
    number,
    createdAt,
    service,
    carrier: settings.carrier,
    ...(settings.logo && { logo: settings.logo }),
    trackingUrl: settings.trackingUrl.replaceAll('{guia}', number),
    ...(image && { form: image }),
    origin: { code: origin.code, name: origin.name },
    destination: { code: destination.code, name: destination.name },
    guide,
    ...(route && { route }),
    ...(pickUp && { pickUp }),
    ...(marks.length > 0 && { marks }),
    ...(former !== undefined && { former }),
  };
}
