import { readTariff } from './read-tariff.ts';
import type { Tariff } from './tariff.ts';
import { TariffReport } from './tariff-report.ts';
import type { TariffStore } from './tariff-store.ts';
import { inForceAt, laterThan, type TariffVersion } from './tariff-versions.ts';

/** A tariff with its number. */
export type NumberedTariff = { version: number; tariff: Tariff };

/**
 * The tariff that is in force, in this process. `look` reads what was added; the tariff of the next version is read before it
 * begins, so that every process changes at the same second. While MongoDB is away, what was read last stays in force.
 */
export class CurrentTariff {
  readonly #store: TariffStore;
  #versions: readonly TariffVersion[] = [];
  /** By version: those in force now and next. */
  #tariffs = new Map<number, Tariff>();

  constructor(store: TariffStore) {
    this.#store = store;
  }

  /** Reads the versions, and the tariffs that are in force now and next. */
  async look(now: number): Promise<void> {
    const versions = await this.#store.versions();
    const wanted = [inForceAt(versions, now), laterThan(versions, now)[0]].filter(
      (version) => version !== undefined,
    );
    const tariffs = new Map<number, Tariff>();
    for (const { number } of wanted) {
      const tariff = this.#tariffs.get(number) ?? (await this.#read(number));
      if (tariff) tariffs.set(number, tariff);
    }
    this.#versions = versions;
    this.#tariffs = tariffs;
  }

  /** Returns the tariff that is in force at a moment, or undefined if there is none. */
  at(now: number): NumberedTariff | undefined {
    const number = inForceAt(this.#versions, now)?.number;
    const tariff = number === undefined ? undefined : this.#tariffs.get(number);
    return tariff && number !== undefined ? { version: number, tariff } : undefined;
  }

  /** Returns the moment at which the next version begins, or undefined if there is none. */
  nextBegins(now: number): number | undefined {
    return laterThan(this.#versions, now)[0]?.from;
  }

  isWithdrawn(version: number): boolean {
    return this.#versions.some(({ number, withdrawn }) => number === version && withdrawn);
  }

  async #read(number: number): Promise<Tariff | undefined> {
    const folder = await this.#store.folder(number);
    // A version was checked before it was stored.
    return folder && readTariff(folder, new TariffReport());
  }
}
