import type { GuideDocument } from '#shared/guides/guide-model.ts';
import type { ImageFormat, LabelPayload } from '#shared/labels/label-payload.ts';

/** In `trackingUrl` `{guia}` stands for the guide number. */
export type LabelSettings = { carrier: string; logo?: string | undefined; trackingUrl: string };

/** `package`: the single package that the label shows. */
type Wanted = Pick<LabelPayload, 'kind' | 'packages' | 'package'> & { image?: ImageFormat | undefined };

/** The order is fixed, because the label's key is a hash of the result. */
export function labelPayload(
  record: GuideDocument,
  { kind, packages, package: only, image }: Wanted,
  settings: LabelSettings,
): LabelPayload {
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
  };
}
