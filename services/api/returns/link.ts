import { ANONYMOUS } from '#shared/guides/guide.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import type { Return } from '#shared/returns/return-model.ts';
import type { GuideStore } from '../guides/guide-store.ts';
import type { ReturnStore } from './return-store.ts';

/** Returns whether a person may still print the label of a return: nobody has scanned it, nor cancelled, nor erased the person. */
export function isPrintable({ status, events = 0, anonymised, guide }: GuideDocument): boolean {
  const isErased = anonymised !== undefined || guide.Remitente.Nombre === ANONYMOUS;
  return status === 'Documentado' && events === 0 && !isErased && guide.Destinatario.Nombre !== ANONYMOUS;
}

/** Where links lead, before their secret. */
export const LINK_PATH = '/devolver';

/** The form of a secret: 128 bits in base64url. */
const SECRET = /^[A-Za-z0-9_-]{22}$/;

/** Returns the return of a link, and its guide; undefined for an unknown link as for one that has ended. */
export async function openLink(
  { returns, guides }: { returns: ReturnStore; guides: GuideStore },
  secret: string,
): Promise<{ link: Return; guide: GuideDocument } | undefined> {
  // Always both, so that the time reveals nothing.
  const link = await returns.ofSecret(SECRET.test(secret) ? secret : '');
  const guide = await guides.find(link?._id ?? '');
  return link && guide && isPrintable(guide) ? { link, guide } : undefined;
}
