import { DomainError } from '#shared/errors/domain-error.ts';
import type { Evidence } from '#shared/evidence/evidence-model.ts';
import type { PictureStore } from './picture-store.ts';

/** The stores of pictures: MongoDB always, and a bucket where the settings name one, for new pictures. */
export class PictureStores {
  readonly newest: Evidence['store'];
  readonly #stores: Readonly<Record<Evidence['store'], PictureStore | undefined>>;

  constructor(mongodb: PictureStore, bucket: PictureStore | undefined) {
    this.newest = bucket ? 'bucket' : 'mongodb';
    this.#stores = { mongodb, bucket };
  }

  /** @throws DomainError `unavailable` for a picture in a bucket that the settings no longer name. */
  of({ store }: Pick<Evidence, 'store'>): PictureStore {
    const found = this.#stores[store];
    if (!found) throw new DomainError('unavailable');
    return found;
  }
}
