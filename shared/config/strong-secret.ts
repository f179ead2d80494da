import { deflateRawSync } from 'node:zlib';

/**
 * What stands in examples in place of a secret: "change-me", "<your secret here>", "ejemplo" and the like. None is
 * shorter than six characters: of a million random secrets in base64 one may hold it by chance.
 */
const PLACEHOLDER =
  /change|replac|your[-_ ][a-z0-9]|secret|passwo|passwd|exampl|sample|default|insert|[<>]|cambi[ae]|reempl|ejempl|clave[-_ ]|contras/i;
/** In bytes. Of 50 000 times 32 random hex digits none was below 29; `0123456789abcdef` four times over is 21. */
const LEAST_CONTENT = 24;

/**
 * Whether a secret looks random: neither an example's text, nor few characters or one word over and over, which a
 * compressor finds. It cannot tell a good secret, only stop the usual bad ones (CWE-1391, CWE-798).
 */
export function isStrongSecret(value: string): boolean {
  return !PLACEHOLDER.test(value) && deflateRawSync(value, { level: 9 }).length >= LEAST_CONTENT;
}
