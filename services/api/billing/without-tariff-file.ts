import { type FileHandle, open, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { formatCsv, formatRows } from '#shared/commands/csv.ts';
import { NO_PRICE_WORDS } from '#shared/guides/guide-price.ts';
import { chunks } from '#shared/stores/chunks.ts';
import { figuresOfChange, type PriceChange } from './unquoted.ts';

const COLUMNS = ['Mes', 'Cuenta', 'Guia', 'SinTarifa', 'Motivo'];
const NOT_PRICED = 'se creó con una versión anterior a la 1.9';
const PRICED = 'un pesaje le dio precio';
const CANCELLED = 'se canceló';
const OTHER_FILE = 'indique otro, o borrelo si es de un comando que no termino';
const ROWS_AT_A_TIME = 1_000;

/** `count`: 1, or −1 of a guide that an earlier month has counted. `reason` of the last change. */
type Counted = { count: number; reason: string };

/**
 * A new CSV file of the guides that a month's `withoutTariff` counts. They are in memory until all of them are known: in the
 * month of the upgrade from 1.8 that may be a million.
 */
export class WithoutTariffFile {
  readonly #path: string;
  readonly #file: FileHandle;
  /** By account and guide, whose number takes less memory than its text. */
  readonly #accounts = new Map<string, Map<number, Counted>>();
  /** By what they say: guides of which the same is said share one. */
  readonly #counted = new Map<string, Counted>();

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** @throws Error for the operator if the file exists, or cannot be made. */
  static async create(path: string): Promise<WithoutTariffFile> {
    const file = await open(path, 'wx').catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === 'EEXIST')
        throw new Error(`El archivo de --without-tariff ya existe, y no se toca: ${OTHER_FILE}`, { cause });
      throw unwritable(path, cause);
    });
    return new WithoutTariffFile(path, file);
  }

  add(account: string, guide: string, change: PriceChange): void {
    const guides = this.#accounts.get(account) ?? new Map<number, Counted>();
    this.#accounts.set(account, guides);
    const number = Number(guide);
    const count = (guides.get(number)?.count ?? 0) + figuresOfChange(change).withoutTariff;
    if (count === 0) guides.delete(number);
    else guides.set(number, this.#shared(count, reasonOf(change)));
  }

  #shared(count: number, reason: string): Counted {
    const name = `${count} ${reason}`;
    const counted = this.#counted.get(name) ?? { count, reason };
    this.#counted.set(name, counted);
    return counted;
  }

  get size(): number {
    return [...this.#accounts.values()].reduce((sum, guides) => sum + guides.size, 0);
  }

  /** Writes the file, by account and guide. @throws Error for the operator. */
  async write(month: string): Promise<void> {
    const accounts = this.#accounts;
    const parts = function* () {
      yield formatCsv(COLUMNS, []);
      for (const account of [...accounts.keys()].sort()) {
        const guides = accounts.get(account) as Map<number, Counted>;
        for (const numbers of chunks(
          [...guides.keys()].sort((one, other) => one - other),
          ROWS_AT_A_TIME,
        ))
          yield formatRows(
            numbers.map((number) => {
              const { count, reason } = guides.get(number) as Counted;
              return [month, account, guideNumber(number), count, reason];
            }),
          );
      }
    };
    await pipeline(parts, this.#file.createWriteStream()).catch((cause: NodeJS.ErrnoException) => {
      throw unwritable(this.#path, cause);
    });
  }

  /** Removes the file of a command that fails, so that the command can be repeated as it is. */
  async remove(): Promise<void> {
    await this.#file.close();
    await rm(this.#path, { force: true });
  }
}

/** That of a test account begins with 0. */
function guideNumber(number: number): string {
  return String(number).padStart(12, '0');
}

function reasonOf({ after }: PriceChange): string {
  if (!after) return CANCELLED;
  if (!('noPrice' in after)) return PRICED;
  return after.noPrice === 'not-priced' ? NOT_PRICED : NO_PRICE_WORDS[after.noPrice];
}

function unwritable(path: string, cause: NodeJS.ErrnoException): Error {
  const advice = 'indique en --without-tariff un archivo en una carpeta en la que se pueda escribir';
  return new Error(`No se puede escribir ${path} (${cause.code}), y no se guardo nada: ${advice}`, { cause });
}
