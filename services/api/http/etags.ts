import { Type } from 'typebox';

/** The headers of a request whose answer may be 304. */
export const ifNoneMatch = Type.Object({
  'if-none-match': Type.Optional(Type.String({ description: 'ETag que ya se tiene: responde 304' })),
});

/** Returns whether `If-None-Match` matches this weak tag (RFC 9110, 13.1.2). */
export function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^(?:W\/)?"/, 'W/"')) ?? [];
  return tags.includes(etag) || tags.includes('*');
}
