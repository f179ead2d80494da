import { DomainError } from '#shared/errors/domain-error.ts';
import { EVIDENCE } from '#shared/evidence/evidence-model.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { countingLimiter, secondsUntilTaken } from '#shared/stores/counting-limiter.ts';
import type { Accounts } from '../accounts/open.ts';
import type { Guides } from '../guides/open.ts';
import type { Base } from '../http/room.ts';
import type { Labels } from '../labels/open.ts';
import { localTimeFormatter } from '../platform/local-time.ts';
import { repeatOnceConnected, SWEEP_MS } from '../platform/repeat.ts';
import { watchDependency } from '../platform/watch-dependency.ts';
import type { Tracking } from '../tracking/open.ts';
import { Bucket } from './bucket.ts';
import { EvidenceStore } from './evidence-store.ts';
import { EvidenceSweep } from './keep-evidence.ts';
import { PictureDecoder } from './picture-decoder.ts';
import { PicturesInMongo } from './picture-store.ts';
import { PictureStores } from './picture-stores.ts';
import { signedWords } from './signed-words.ts';
import { UploadTurns } from './upload-turns.ts';

/** What the room provides. */
export type EvidenceRoom = ReturnType<typeof openEvidence>;
export type EvidenceContext = Base & Accounts & Guides & Labels & Tracking & EvidenceRoom;

const DAY_S = 86_400;
/** Bytes of uploads that a process takes in at the same time. */
const IN_FLIGHT_BYTES = 64 * 1024 * 1024;
/** A phone waits so long for its turn, in ms, and comes again after so many seconds. */
const WAIT_MS = 5_000;
const RETRY_AFTER_S = 10;
/** Pauses between looks at the bucket, in ms. Each costs five requests. */
const CHECK_MS = { pauseMs: 60_000, retryMs: 5_000 };

/** Opens the stores of pictures, the thread that decodes them, and the sweep. */
export function openEvidence(server: HttpServer, context: Base & Guides & Tracking) {
  const { mongo, redis, config, indexes, guides, events, trackingTitle, log } = context;
  indexes.add(EVIDENCE);
  const evidence = new EvidenceStore(mongo);
  const pictures = new PictureStores(new PicturesInMongo(mongo), openBucket(server, config));
  const decoder = new PictureDecoder();
  server.addHook('onClose', () => decoder.close());
  const sweep = new EvidenceSweep({ evidence, pictures, guides, events });
  const failed = 'What a crash has cut of evidence waits for the next sweep';
  repeatOnceConnected(server, { name: 'pictures that a crash has cut', pauseMs: SWEEP_MS, failed }, () =>
    sweep.run(log),
  );
  trackingTitle.fill(signedWords);

  const limiter = countingLimiter(
    redis,
    `${config.REDIS_PREFIX}:pictures`,
    config.PICTURES_PER_DAY_PER_ACCOUNT,
    DAY_S,
  );
  const countPicture = async (account: string) => {
    await limiter.consume(account).catch((reason: unknown) => {
      throw new DomainError('too-many-pictures', { params: { seconds: secondsUntilTaken(reason) } });
    });
  };
  return {
    ...{ evidence, pictures, decoder, sweep, countPicture },
    uploadTurns: new UploadTurns({ maxBytes: IN_FLIGHT_BYTES, waitMs: WAIT_MS, retryAfterS: RETRY_AFTER_S }),
    localTime: localTimeFormatter(config.TIME_ZONE),
  };
}

/**
 * Opens the bucket, if the settings name one. A process whose bucket anybody can read serves nobody. One whose bucket is
 * away serves everything else.
 */
function openBucket(server: HttpServer, { EVIDENCE_BUCKET: address }: Base['config']): Bucket | undefined {
  if (address === undefined) return undefined;
  const bucket = new Bucket(address);
  const options = {
    name: 'evidence-bucket',
    failed: 'The bucket of evidence does not serve',
    recovered: 'The bucket of evidence serves again',
    ...CHECK_MS,
  };
  const { checked } = watchDependency(server, options, () => bucket.check());
  // No process with a public bucket is ready for a moment.
  server.startup.onceConnected('the bucket of evidence', () => checked);
  return bucket;
}
