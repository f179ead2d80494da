import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Connection } from 'mongoose';
import { NOTICE_REFUSALS } from '#shared/notices/notice-model.ts';
import { type DocumentIn, modelOf, type StoredModel } from '#shared/stores/collection.ts';
import { DatabaseClock } from '#shared/stores/database-clock.ts';

/** Hash of an address, and the proof that we made it: both in base64url, of 256 and of 132 bits. */
const TOKEN = /^([A-Za-z0-9_-]{43})([A-Za-z0-9_-]{22})$/;
const PROOF_LENGTH = 22;

/** Who wants no notices, by a keyed hash of the address: whoever reads the database learns no address from it. */
export class Refusals {
  readonly #clock: DatabaseClock;
  readonly #refusals: StoredModel<DocumentIn<typeof NOTICE_REFUSALS>>;
  readonly #secret: string;

  /** @param secret `NOTICES_SECRET`. */
  constructor(connection: Connection, secret: string) {
    this.#clock = new DatabaseClock(connection);
    this.#refusals = modelOf(connection, NOTICE_REFUSALS);
    this.#secret = secret;
  }

  /** Returns the part of a link by which the owner of an address refuses. It does not tell the address, and does not expire. */
  tokenOf(address: string): string {
    const id = this.idOf(address);
    return id + this.#proofOf(id);
  }

  async refuses(address: string): Promise<boolean> {
    return this.isRefused(this.idOf(address));
  }

  async isRefused(id: string): Promise<boolean> {
    return (await this.#refusals.exists({ _id: id })) !== null;
  }

  /** Returns the hash of the address for which we made a token; undefined if we made none. */
  read(token: string): string | undefined {
    const [, id = '', proof = ''] = TOKEN.exec(token) ?? [];
    const expected = Buffer.from(this.#proofOf(id));
    const isOurs = proof.length === PROOF_LENGTH && timingSafeEqual(Buffer.from(proof), expected);
    return isOurs ? id : undefined;
  }

  async refuse(id: string): Promise<void> {
    const at = await this.#clock.now();
    await this.#refusals.updateOne({ _id: id }, { $setOnInsert: { at } }, { upsert: true });
  }

  async takeBack(id: string): Promise<void> {
    await this.#refusals.deleteMany({ _id: id });
  }

  /** Returns the keyed hash of an address. People write the same one with capitals and without. */
  idOf(address: string): string {
    return this.#hmac(`address ${address.toLowerCase()}`);
  }

  #proofOf(id: string): string {
    return this.#hmac(`refusal ${id}`).slice(0, PROOF_LENGTH);
  }

  #hmac(text: string): string {
    return createHmac('sha256', this.#secret).update(text).digest('base64url');
  }
}
