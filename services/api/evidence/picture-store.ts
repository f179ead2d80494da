import type { Connection } from 'mongoose';
import { PICTURES, type StoredPicture } from '#shared/evidence/evidence-model.ts';
import { bytesOf, modelOf, type StoredModel } from '#shared/stores/collection.ts';

/** Where the bytes of pictures are. Each call may be repeated. */
export type PictureStore = {
  /** Stores a picture under a key that no other has. @param signal ends the attempt. */
  put(key: string, jpeg: Uint8Array, signal: AbortSignal): Promise<void>;
  /** Returns a picture, or undefined if there is none. */
  get(key: string, signal: AbortSignal): Promise<Uint8Array | undefined>;
  delete(key: string, signal: AbortSignal): Promise<void>;
};

/** A document each. */
export class PicturesInMongo implements PictureStore {
  readonly #pictures: StoredModel<StoredPicture>;

  constructor(connection: Connection) {
    this.#pictures = modelOf(connection, PICTURES);
  }

  async put(_id: string, jpeg: Uint8Array): Promise<void> {
    await this.#pictures.updateOne({ _id }, { $set: { jpeg: Buffer.from(jpeg) } }, { upsert: true });
  }

  async get(_id: string): Promise<Uint8Array | undefined> {
    const found = await this.#pictures.findOne({ _id }).lean();
    return found ? bytesOf(found.jpeg) : undefined;
  }

  async delete(_id: string): Promise<void> {
    await this.#pictures.deleteOne({ _id });
  }
}
