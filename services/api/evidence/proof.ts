import { DomainError } from '#shared/errors/domain-error.ts';
import type { PictureName } from '#shared/evidence/evidence.ts';
import { MAX_PRINTED, MAX_PROVEN, type ProofPayload } from '#shared/evidence/proof-payload.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import type { EventLog } from '#shared/tracking/event-log.ts';
import { annulledBy, type EventBody } from '#shared/tracking/event-model.ts';
import type { LabelSettings } from '../labels/label-payload.ts';
import { type ListedPicture, listEvidence, type ReadDeps, readPicture } from './read-evidence.ts';

type ProofDeps = ReadDeps & {
  labelSettings: LabelSettings;
  /** Writes a moment as `YYYY-MM-DDTHH:mm:ss`. */
  localTime: (moment: Date) => string;
};

/**
 * Returns what the proof of a guide's delivery shows: the deliveries that were not annulled, with their pictures, the
 * signatures first. The order of fields is fixed, because the key of the PDF is a hash of them.
 *
 * @throws DomainError `not-delivered`; as `readPicture`.
 */
export async function proofPayload(deps: ProofDeps, stored: GuideDocument): Promise<ProofPayload> {
  const { labelSettings, localTime } = deps;
  const { _id: number, createdAt, account, service, origin, destination, guide } = stored;
  const [deliveries, listed] = await Promise.all([
    deliveriesOf(deps.eventLog, number),
    listEvidence(deps, number),
  ]);
  if (deliveries.length === 0) throw new DomainError('not-delivered');
  const ids = new Set(deliveries.map(({ Id }) => Id));
  const proven = signaturesFirst(listed.filter(({ event, isRemoved }) => ids.has(event.Id) && !isRemoved));
  const shown = proven.slice(0, MAX_PRINTED);
  const pictures = await Promise.all(shown.map((picture) => readPicture(deps, picture, 'print')));
  const { carrier, logo } = labelSettings;
  return {
    ...{ kind: 'proof', number, createdAt, account, carrier },
    ...(logo && { logo }),
    service,
    origin: { code: origin.code, name: origin.name },
    destination: { code: destination.code, name: destination.name },
    recipient: guide.Destinatario.Nombre,
    ...(guide.Referencia !== undefined && { reference: guide.Referencia }),
    packages: guide.Producto.Paquetes ?? 1,
    deliveries: deliveries.slice(0, MAX_PROVEN).map(({ Ocurrido, Sucursal, Paquete, Recibe }) => ({
      at: localTime(new Date(Ocurrido)),
      ...(Sucursal !== undefined && { branch: Sucursal }),
      ...(Paquete !== undefined && { package: Paquete }),
      ...(Recibe !== undefined && { receiver: Recibe }),
    })),
    moreDeliveries: Math.max(0, deliveries.length - MAX_PROVEN),
    pictures: shown.map(({ event: { Paquete }, picture }, i) => ({
      name: picture,
      ...(Paquete !== undefined && { package: Paquete }),
      jpeg: Buffer.from(pictures[i] as Uint8Array).toString('base64'),
    })),
    morePictures: proven.length - shown.length,
  };
}

/** Returns the deliveries of a guide that were not annulled, by the time at which they occurred. */
async function deliveriesOf(log: EventLog, number: string): Promise<EventBody[]> {
  const told = (await log.ofGuides([number])).map((entry) => entry.told);
  const annulled = annulledBy(told);
  return told
    .filter(({ Tipo, Id }) => Tipo === 'Entregado' && !annulled.has(Id))
    .toSorted((one, other) => one.Ocurrido.localeCompare(other.Ocurrido));
}

const SIGNATURE: PictureName = 'firma';

function signaturesFirst(pictures: readonly ListedPicture[]): ListedPicture[] {
  const isSignature = ({ picture }: ListedPicture) => picture === SIGNATURE;
  return [...pictures.filter(isSignature), ...pictures.filter((each) => !isSignature(each))];
}
