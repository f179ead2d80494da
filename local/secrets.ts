import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

export type Secrets = { jwt: string; internal: string };

/** Reads the secrets in `file`, which the first start makes: access tokens stay valid over a restart. */
export function loadSecrets(file: string): Secrets {
  if (!existsSync(file)) {
    writeFileSync(`${file}.partial`, JSON.stringify(generateSecrets()), { mode: 0o600 });
    renameSync(`${file}.partial`, file);
  }
  return JSON.parse(readFileSync(file, 'utf8'));
}

export function generateSecrets(): Secrets {
  const secret = () => randomBytes(32).toString('hex');
  return { jwt: secret(), internal: secret() };
}
