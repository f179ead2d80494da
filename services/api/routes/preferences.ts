/**
 * An item of a list whose quoted strings may hold commas (RFC 9110, 5.6.1). A quote that nothing closes ends with the
 * header: were it no item, each quote in 8 KiB of them would be searched to the end, for 180 ms.
 */
const ITEM = /(?:[^,"]|"(?:[^"\\]|\\.)*(?:"|\\?$))+/g;
/** A preference with its value, before its parameters (RFC 7240, 2). */
const PREFERENCE = /^\s*([^\s=;"]+)\s*(?:=\s*"?([^\s;"]*))?/;

/** Returns the value of a preference in a `Prefer` header; of several the first counts (RFC 7240, 2). */
export function preferenceOf(header: string | string[] | undefined, name: string): string | undefined {
  for (const [item] of String(header ?? '').matchAll(ITEM)) {
    const [, preference, value = ''] = PREFERENCE.exec(item) ?? [];
    if (preference?.toLowerCase() === name) return value.toLowerCase();
  }
  return undefined;
}
