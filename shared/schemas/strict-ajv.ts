import { Ajv, type Options } from 'ajv';
import addFormats from 'ajv-formats';

/** Makes a validator that knows the keywords and formats of our schemas. */
export function strictAjv(options: Options = {}): Ajv {
  // `anyOf` may require what its parent defines, which Ajv's strictest mode does not see.
  const ajv = new Ajv({
    ...options,
    strict: true,
    // Types say what a schema may have. To compile the schema of schemas took each instance 10 to 40 ms of a start.
    validateSchema: false,
    strictRequired: false,
    // 450.50 is no multiple of 0.01 for computers.
    multipleOfPrecision: 6,
    keywords: ['x-regla', 'x-error', 'x-examples', 'x-no-vacio'],
  });
  addFormats.default(ajv);
  // Half of a surrogate pair is not a character, and few regex engines accept a pattern for it.
  ajv.addFormat('texto', (text: string) => text.isWellFormed());
  return ajv;
}
