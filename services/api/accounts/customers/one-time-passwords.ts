import { randomInt } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { formatCsv, formatRows } from '#shared/commands/csv.ts';
import { ONE_TIME_DAYS } from '../password-rule.ts';

export const ONE_TIME_MS = ONE_TIME_DAYS * 24 * 3_600_000;

/** Small letters and digits that nobody takes for others: no 0 and o, 1, i and l. */
const CHARACTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
const GROUPS = 4;
const GROUP_LENGTH = 4;
const COLUMNS = ['Usuario', 'Cuenta', 'Contrasena', 'Vence'];

/** Returns a random password of 79 bits that is easy to type, such as `h7kq-2mwe-9tzc-bx4r`. */
export function oneTimePassword(): string {
  const group = () => Array.from({ length: GROUP_LENGTH }, () => CHARACTERS[randomInt(CHARACTERS.length)]);
  return Array.from({ length: GROUPS }, () => group().join('')).join('-');
}

type IssuedPassword = { username: string; account: string; password: string; until: Date };

/** A new CSV file of passwords that only its owner may read. What was appended survives a crash. */
export class PasswordFile {
  readonly #file: FileHandle;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** @throws Error for the operator if the file exists, or an error of the file system. */
  static async create(path: string): Promise<PasswordFile> {
    const handle = await open(path, 'wx', 0o600).catch((cause) => {
      if (cause.code !== 'EEXIST') throw cause;
      throw new Error('El archivo de --passwords ya existe, y no se toca: indique otro', { cause });
    });
    const file = new PasswordFile(handle);
    await file.#write(formatCsv(COLUMNS, []));
    await syncFolder(dirname(path));
    return file;
  }

  async append(passwords: readonly IssuedPassword[]): Promise<void> {
    const rows = passwords.map(({ username, account, password, until }) => [
      ...[username, account, password],
      until.toISOString().slice(0, 10),
    ]);
    await this.#write(formatRows(rows));
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #write(text: string): Promise<void> {
    await this.#file.appendFile(text);
    await this.#file.datasync();
  }
}

/** The name of a new file survives a crash only if its folder does. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
