import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const ID_BYTES = 9;
/** Bytes of the nonce and of the tag, which stand before the encrypted text (NIST SP 800-38D, 8.2.2 and 5.2.1.2). */
const [NONCE_BYTES, TAG_BYTES] = [12, 16];

/** Encrypts short texts with a key that is derived from a secret. */
export class TextCipher {
  /** Names the key beside what it has encrypted, and reveals nothing of it. */
  readonly id: string;
  readonly #key: Uint8Array;

  /** @param purpose of the key: the same secret gives other keys for other purposes (RFC 5869). */
  constructor(secret: string, purpose: string) {
    const derive = (info: string, bytes: number) =>
      new Uint8Array(hkdfSync('sha256', secret, '', info, bytes));
    this.#key = derive(purpose, KEY_BYTES);
    this.id = Buffer.from(derive(`${purpose} id`, ID_BYTES)).toString('base64url');
  }

  /** Returns the text in base64url. @param owner the id that decrypting the text needs. */
  encrypt(text: string, owner: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(owner));
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url');
  }

  /** @throws Error for a text of another key or owner, or one that was altered. */
  decrypt(encrypted: string, owner: string): string {
    const bytes = Buffer.from(encrypted, 'base64url');
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(ALGORITHM, this.#key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(owner));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  }
}
