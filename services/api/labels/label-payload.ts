import type { ImageFormat, LabelPayload } from '#shared/contracts/label-job.ts';
import type { GuideRecord } from '../guides/guide-model.ts';

/** What labels show beside the guide. In `trackingUrl` `{guia}` stands for the guide number. */
export type LabelSettings = { carrier: string; logo?: string | undefined; trackingUrl: string };

/** A kind of label, its number of packages, the single one that it shows, and its format. */
type Wanted = Pick<LabelPayload, 'kind' | 'packages' | 'package'> & { form?: ImageFormat | undefined };

/** Returns all that a label shows, in a fixed order because the label's key is a hash of it. */
export function labelPayload(
  record: GuideRecord,
  { kind, packages, package: only, form }: Wanted,
  settings: LabelSettings,
): LabelPayload {
  const { number, createdAt, service, origin, destination, guide } = record;
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
    ...(form && { form }),
    origin: { code: origin.code, name: origin.name },
    destination: { code: destination.code, name: destination.name },
    guide,
  };
}
