import { hash, randomUUID } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import { DomainError } from '#shared/errors/domain-error.ts';
import { IsPublic, RefusesUs } from '#shared/stores/dependencies.ts';
import type { PictureStore } from './picture-store.ts';

/** Longest wait for an answer of the bucket when it is checked, in ms. */
const CHECK_MS = 5_000;
const REGION = 'us-east-1';
/** A picture that is not one: it is stored and read without credentials, and then deleted. */
const PROBE = Buffer.from('Nobody without credentials may read this.');

/**
 * Pictures in an S3-compatible bucket, under its address with the bucket in the path. Requests are signed (AWS Signature
 * Version 4), and follow no redirect: the address is the operator's.
 */
export class Bucket implements PictureStore {
  /** Without credentials, for log lines. */
  readonly place: string;
  readonly #client: AwsClient;
  #isPrivate = false;

  /** @param address as `EVIDENCE_BUCKET` is. */
  constructor(address: string) {
    const url = new URL(address);
    this.place = `${url.origin}${url.pathname}`;
    this.#client = new AwsClient({
      accessKeyId: decodeURIComponent(url.username),
      secretAccessKey: decodeURIComponent(url.password),
      service: 's3',
      region: url.searchParams.get('region') ?? REGION,
      // Whoever stores a picture repeats it.
      retries: 0,
    });
  }

  async put(key: string, jpeg: Uint8Array, signal: AbortSignal): Promise<void> {
    this.#requirePrivate();
    await this.#put(key, jpeg, signal);
  }

  async get(key: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    this.#requirePrivate();
    const response = await this.#ask('GET', key, signal);
    if (response.status === 404) return this.#missing(response);
    return new Uint8Array(await response.arrayBuffer());
  }

  async delete(key: string, signal: AbortSignal): Promise<void> {
    await this.#ask('DELETE', key, signal);
  }

  /**
   * Asks the bucket whether it takes, gives and deletes objects, and whether it gives or lists them without credentials.
   * Until it has once denied that, no picture is stored or read.
   *
   * @throws IsPublic for a bucket that anybody can read: such a process must serve nobody. RefusesUs for wrong
   * credentials.
   */
  async check(): Promise<void> {
    try {
      await this.#check(AbortSignal.timeout(CHECK_MS));
    } catch (error) {
      throw error instanceof DomainError && error.cause ? error.cause : error;
    }
  }

  async #check(signal: AbortSignal): Promise<void> {
    const key = `check-${randomUUID()}`;
    await this.#put(key, PROBE, signal);
    await this.#checkStored(key, signal).catch(async (found: unknown) => {
      await this.delete(key, signal).catch(() => {}); // what was found says more
      throw found;
    });
    await this.delete(key, signal);
    this.#isPrivate = true;
  }

  /** Checks that the bucket gives back to us, and to nobody else, what it has taken. */
  async #checkStored(key: string, signal: AbortSignal): Promise<void> {
    const kept = await this.#ask('GET', key, signal);
    await kept.body?.cancel();
    if (!kept.ok) throw new Error(`The bucket ${this.place} does not give back what it has taken`);
    for (const path of [`/${key}`, '?list-type=2&max-keys=1']) {
      const response = await fetch(this.place + path, { signal, redirect: 'manual' });
      await response.body?.cancel();
      if (response.ok) {
        this.#isPrivate = false;
        throw new IsPublic(`Anybody can read the bucket ${this.place}: make it private`);
      }
    }
  }

  async #put(key: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    await this.#ask('PUT', key, signal, bytes);
  }

  /** @throws DomainError `unavailable` for any other answer than success, or 404 to all but a PUT. */
  async #ask(
    method: 'PUT' | 'GET' | 'DELETE',
    key: string,
    signal: AbortSignal,
    body?: Uint8Array,
  ): Promise<Response> {
    const response = await this.#client
      .fetch(`${this.place}/${key}`, {
        ...{ method, signal, redirect: 'manual' },
        ...(body && {
          body: body as Uint8Array<ArrayBuffer>,
          // With the hash, the bucket stores nothing that was changed on the way.
          headers: { 'content-type': 'image/jpeg', 'x-amz-content-sha256': hash('sha256', body) },
        }),
      })
      .catch((cause: unknown) => {
        throw new DomainError('unavailable', { cause });
      });
    const { status, ok } = response;
    if (ok || (status === 404 && method !== 'PUT')) return response;
    await response.body?.cancel();
    const says = `The bucket ${this.place} answers ${method} with ${status}`;
    const cause = status === 401 || status === 403 ? new RefusesUs(says) : new Error(says);
    throw new DomainError('unavailable', { cause });
  }

  /** @throws DomainError `unavailable` if the bucket itself is missing. */
  async #missing(response: Response): Promise<undefined> {
    if (!(await response.text()).includes('NoSuchBucket')) return undefined;
    throw new DomainError('unavailable', { cause: new Error(`There is no bucket ${this.place}`) });
  }

  #requirePrivate(): void {
    if (!this.#isPrivate) throw new DomainError('unavailable');
  }
}
