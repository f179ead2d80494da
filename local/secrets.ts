import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

export type Secrets = { jwt: string; internal: string };

/** The secrets in `file`, made at the first start: access tokens stay valid over a restart. */
export function keptSecrets(file: string): Secrets {
  if (!existsSync(file)) {
    writeFileSync(`${file}.partial`, JSON.stringify(newSecrets()), { mode: 0o600 });
    renameSync(`${file}.partial`, file);
  }
  return JSON.parse(readFileSync(file, 'utf8'));
}

export function newSecrets(): Secrets {
  const secret = () => randomBytes(32).toString('hex');
  return { jwt: secret(), internal: secret() };
}
