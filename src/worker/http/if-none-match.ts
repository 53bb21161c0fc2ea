/** Whether an `If-None-Match` header names this entity tag, by the weak comparison of RFC 9110, section 13.1.2. */
export function ifNoneMatch(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag) return true;
  return header.trim() === "*" || (header.match(/"[^"]*"/g)?.includes(etag) ?? false);
}
