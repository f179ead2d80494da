/** Returns whether `If-None-Match` matches this weak tag (RFC 9110, 13.1.2). */
export function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^(?:W\/)?"/, 'W/"')) ?? [];
  return tags.includes(etag) || tags.includes('*');
}
