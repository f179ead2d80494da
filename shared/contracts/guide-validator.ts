import { Ajv, type Options } from 'ajv';
import addFormats from 'ajv-formats';

/** A validator that knows what the guide's schema uses beyond the standard. */
export function guideAjv(options: Options = {}): Ajv {
  // `anyOf` may require what its parent defines, which Ajv's strictest mode does not see.
  const ajv = new Ajv({ ...options, strict: true, strictRequired: false, keywords: ['x-regla'] });
  addFormats.default(ajv);
  // Half of a surrogate pair is no character and no UTF-8; a pattern for it is one that few regex engines take.
  ajv.addFormat('texto', (text: string) => text.isWellFormed());
  return ajv;
}
