import { readFileSync } from 'node:fs';
import { DomainError } from '#shared/errors/domain-error.ts';
import { isPictureName, type PictureName } from '#shared/evidence/evidence.ts';
import type { Evidence } from '#shared/evidence/evidence-model.ts';
import { isTestNumber } from '#shared/guides/guide.ts';
import type { EventLog } from '#shared/tracking/event-log.ts';
import { annulledBy, type EventBody } from '#shared/tracking/event-model.ts';
import { type EvidenceStore, evidenceId } from './evidence-store.ts';
import type { PictureStores } from './picture-stores.ts';

export type ReadDeps = {
  eventLog: EventLog;
  evidence: EvidenceStore;
  pictures: PictureStores;
};

/** A picture that everybody who may see the guide sees. */
export type ListedPicture = {
  event: EventBody;
  picture: PictureName;
  registered: Date;
  isAnnulled: boolean;
  /** What is kept; absent of a test guide's sample. */
  kept?: Evidence | undefined;
  isRemoved: boolean;
  bytes: number;
  width: number;
  height: number;
};

/** Longest wait for the bytes of a picture, in ms. */
const GET_MS = 5_000;

const sample = (name: string, width: number, height: number) => {
  const jpeg = readFileSync(new URL(`muestras/${name}.jpg`, import.meta.url));
  return { jpeg, bytes: jpeg.length, width, height };
};
/** What every test guide has in place of pictures. */
const SIGNATURE = sample('firma', 720, 288);
const PHOTO = sample('foto', 720, 540);
const sampleOf = (picture: PictureName) => (picture === 'firma' ? SIGNATURE : PHOTO);

/** Returns the pictures of a guide in the order of their events, and then of their places. */
export async function listEvidence(
  { eventLog, evidence }: Pick<ReadDeps, 'eventLog' | 'evidence'>,
  guide: string,
): Promise<ListedPicture[]> {
  const [entries, kept] = await Promise.all([eventLog.ofGuides([guide]), evidence.ofGuide(guide)]);
  const events = new Map(entries.map(({ told }) => [told.Id, told]));
  const annulled = annulledBy([...events.values()]);
  return entries
    .flatMap(({ told: { Tipo, De = '', Imagen = '' }, registered }): ListedPicture[] => {
      const event = events.get(De);
      // A picture of a later release has a name that this one does not know.
      if (Tipo !== 'Evidencia' || !event || !isPictureName(Imagen)) return [];
      const own = kept.get(evidenceId(guide, De, Imagen));
      const facts = isTestNumber(guide) ? sampleOf(Imagen) : own;
      const { bytes = 0, width = 0, height = 0 } = facts ?? {};
      return [
        {
          ...{ event, picture: Imagen, registered, bytes, width, height, kept: own },
          isAnnulled: annulled.has(De),
          isRemoved: !facts || own?.state === 'removed',
        },
      ];
    })
    .toSorted((one, other) => orderOf(one).localeCompare(orderOf(other)));
}

function orderOf({ event, picture }: ListedPicture): string {
  return `${event.Ocurrido} ${event.Id} ${picture}`;
}

/**
 * Returns the bytes of a picture, a JPEG.
 *
 * @param size `print` for the small copy.
 * @throws DomainError `picture-not-found`, also for a removed one; `unavailable`.
 */
export async function readPicture(
  { pictures }: Pick<ReadDeps, 'pictures'>,
  listed: ListedPicture | undefined,
  size: 'whole' | 'print',
): Promise<Uint8Array> {
  if (!listed || listed.isRemoved) throw new DomainError('picture-not-found');
  const { kept, picture } = listed;
  if (!kept) return sampleOf(picture).jpeg;
  const key = size === 'whole' ? kept.key : kept.printKey;
  const bytes = await pictures.of(kept).get(key, AbortSignal.timeout(GET_MS));
  if (!bytes) throw new DomainError('picture-not-found');
  return bytes;
}
