import { hash, randomUUID } from 'node:crypto';
import type { ApiUser } from '#shared/accounts/user-store.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { type PictureName, PROVEN_TYPES } from '#shared/evidence/evidence.ts';
import type { Evidence } from '#shared/evidence/evidence-model.ts';
import { isTestNumber } from '#shared/guides/guide.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import type { Logger } from '#shared/observability/logger.ts';
import { MAX_EVENTS_OF_GUIDE } from '#shared/tracking/event.ts';
import type { EventLog } from '#shared/tracking/event-log.ts';
import { type EventBody, pictureEntry } from '#shared/tracking/event-model.ts';
import { Attempts } from '../guides/attempts.ts';
import { isGuideNumber } from '../guides/guide-number.ts';
import type { GuideStore } from '../guides/guide-store.ts';
import { Overdue } from '../guides/overdue.ts';
import type { EventRegister } from '../tracking/event-register.ts';
import type { DecodedPicture } from './decoding-thread.ts';
import { type EvidenceStore, evidenceId } from './evidence-store.ts';
import type { PictureDecoder } from './picture-decoder.ts';
import type { PictureStores } from './picture-stores.ts';

/**
 * Longest time in which the bytes of a picture are stored, in ms. It is less than `Overdue` waits, so that a sweep never
 * deletes what a request still writes.
 */
const PUT_MS = 8_000;

export type EvidenceDeps = {
  evidence: EvidenceStore;
  pictures: PictureStores;
  decoder: Pick<PictureDecoder, 'decode'>;
  guides: GuideStore;
  eventLog: EventLog;
  events: EventRegister;
  /** Counts a picture of an account. @throws DomainError `too-many-pictures`. */
  countPicture: (account: string) => Promise<void>;
};

type Sent = { guide: string; event: string; picture: PictureName; bytes: Buffer };

/**
 * Keeps a picture of an event: first its document, then its bytes, then the entry in the log, with which it is seen. A
 * crash leaves what the same request again, or a sweep, finishes.
 *
 * @returns the picture, also if the same one was kept before.
 * @throws DomainError `guide-not-found`, `guide-is-test`, `event-not-found`, `event-without-evidence`,
 * `guide-events-full`, `picture-conflict`; as `PictureDecoder.decode`; `too-many-pictures`; `events-unknown`.
 */
export async function keepEvidence(deps: EvidenceDeps, sent: Sent, user: ApiUser): Promise<Evidence> {
  const { guide, event } = await findEvent(deps, sent);
  const digest = hash('sha256', sent.bytes);
  const known = await deps.evidence.find(evidenceId(guide._id, event.Id, sent.picture));
  if (known && isFinished(known, digest)) return known;
  if (known?.state === 'kept') {
    await append(deps, known, guide.account);
    return known;
  }
  if ((guide.events ?? 0) >= MAX_EVENTS_OF_GUIDE) throw new DomainError('guide-events-full');
  const decoded = await deps.decoder.decode(sent.bytes);
  const evidence =
    known ?? (await begin(deps, { guide, event, digest, decoded, user, picture: sent.picture }));
  if (isFinished(evidence, digest)) return evidence; // another request was quicker
  if (evidence.state === 'storing') await storeBytes(deps, evidence, decoded);
  await append(deps, evidence, guide.account);
  return evidence;
}

/** @throws DomainError `guide-not-found`, `guide-is-test`, `event-not-found`, `event-without-evidence`. */
async function findEvent({ guides, eventLog }: EvidenceDeps, { guide: number, event: id }: Sent) {
  if (isTestNumber(number)) throw new DomainError('guide-is-test');
  const guide = isGuideNumber(number) ? await guides.find(number) : undefined;
  if (!guide) throw new DomainError('guide-not-found');
  const entries = await eventLog.ofGuides([number]);
  const event = entries.find(({ told }) => told.Id === id)?.told;
  if (!event || event.Tipo === 'Evidencia') throw new DomainError('event-not-found');
  if (!PROVEN_TYPES.includes(event.Tipo)) throw new DomainError('event-without-evidence');
  return { guide, event };
}

/**
 * Returns whether a picture is kept already.
 *
 * @throws DomainError `picture-conflict` if it is another one; `unavailable` while it is not known whether that is ever seen.
 */
function isFinished({ state, sent, openSince }: Evidence, digest: string): boolean {
  if (state === 'abandoned') throw new DomainError('unavailable');
  if (sent === digest) return !openSince;
  throw new DomainError(state === 'storing' ? 'unavailable' : 'picture-conflict');
}

type New = {
  guide: GuideDocument;
  event: EventBody;
  picture: PictureName;
  digest: string;
  decoded: DecodedPicture;
  user: ApiUser;
};

/** Begins to store a picture. @returns what is stored now, which may be that of another request. */
async function begin(
  deps: EvidenceDeps,
  { guide, event, picture, digest, decoded, user }: New,
): Promise<Evidence> {
  const { evidence, pictures, countPicture } = deps;
  await countPicture(user.account);
  const at = await evidence.clock.now();
  const begun: Evidence = {
    _id: evidenceId(guide._id, event.Id, picture),
    ...{ guide: guide._id, event: event.Id, picture },
    ...{ state: 'storing', sent: digest, store: pictures.newest },
    ...{ key: randomUUID(), printKey: randomUUID() },
    ...{ bytes: decoded.jpeg.length, width: decoded.width, height: decoded.height },
    ...{ username: user.username, at, personal: guide.createdUtc, openSince: at },
  };
  const attempts = new Attempts('unavailable');
  const stored = await attempts.untilAnswered(() => evidence.begin(begun));
  // It was there a moment ago, and a sweep has just deleted it.
  if (!stored) throw new DomainError('unavailable');
  return stored;
}

/** @throws DomainError `unavailable`: nobody sees the picture then. */
async function storeBytes(
  { evidence, pictures }: EvidenceDeps,
  begun: Evidence,
  { jpeg, print }: DecodedPicture,
): Promise<void> {
  const store = pictures.of(begun);
  const signal = AbortSignal.timeout(PUT_MS);
  await store.put(begun.key, jpeg, signal);
  await store.put(begun.printKey, print, signal);
  if (signal.aborted) throw new DomainError('unavailable');
  const attempts = new Attempts('events-unknown');
  if (!(await attempts.untilAnswered(() => evidence.keep(begun)))) throw new DomainError('unavailable');
}

/** Appends the entry of a picture, with which everybody sees it. @throws DomainError `events-unknown`, `overloaded`. */
async function append(
  { evidence, events }: Pick<EvidenceDeps, 'evidence' | 'events'>,
  kept: Evidence,
  account: string,
): Promise<void> {
  const told = pictureEntry(kept.guide, kept.event, kept.picture, kept.at.toISOString());
  const verdict = await events.add(account, told, kept.username);
  if (typeof verdict === 'string') {
    // Everybody sees the picture. If this fails, a sweep repeats it.
    await evidence.done(kept).catch(() => {});
    return;
  }
  await evidence.abandon({ ...kept, state: 'kept' });
  throw new DomainError(verdict.code);
}

type SweepDeps = Pick<EvidenceDeps, 'evidence' | 'pictures' | 'guides' | 'events'>;

/**
 * Finishes what a crash has cut, and deletes the bytes of what was removed. Each step may be repeated, also by several
 * processes at the same time.
 */
export class EvidenceSweep {
  readonly #deps: SweepDeps;
  readonly #overdue = new Overdue();

  constructor(deps: SweepDeps) {
    this.#deps = deps;
  }

  async run(log: Pick<Logger, 'info' | 'warn'>): Promise<void> {
    const { evidence } = this.#deps;
    for (const id of this.#overdue.among(await evidence.unfinishedIds())) {
      try {
        const found = await evidence.find(id);
        if (found?.openSince) await this.#finish(found, log);
      } catch (err) {
        log.warn({ err }, 'A picture of evidence that was cut waits for the next sweep');
      }
    }
  }

  async #finish(found: Evidence, log: Pick<Logger, 'info'>): Promise<void> {
    const { evidence, guides } = this.#deps;
    const details = { guide: found.guide, picture: found.picture };
    if (found.state === 'kept') {
      const account = (await guides.accountsOf([found.guide])).get(found.guide);
      if (account !== undefined) {
        await append(this.#deps, found, account);
        log.info(details, 'The entry of a picture that was cut is in the log now');
        return;
      }
    }
    if (found.state === 'storing' || found.state === 'kept') {
      if (!(await evidence.abandon(found))) return;
      log.info(details, 'A picture that was cut before it was stored is given up');
    }
    await this.#deleteBytes(found);
    await evidence.forget({ ...found, state: found.state === 'removed' ? 'removed' : 'abandoned' });
  }

  async #deleteBytes(found: Evidence): Promise<void> {
    const store = this.#deps.pictures.of(found);
    const signal = AbortSignal.timeout(PUT_MS);
    await store.delete(found.key, signal);
    await store.delete(found.printKey, signal);
  }
}
