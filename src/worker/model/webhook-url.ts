/**
 * Which URLs a webhook can have. The text is an owner's, and the Worker calls it: it must be a public receiver, by its name. What
 * the name resolves to is decided at each delivery, by Cloudflare's network (`global_fetch_strictly_public` in wrangler.toml).
 */

const MAX_LENGTH = 1_000;
/** Names that are not of the public internet (RFC 6761, RFC 6762, RFC 8375, RFC 7686, ICANN's `internal`). */
const PRIVATE = /(?:^|\.)(?:localhost|local|internal|home\.arpa|onion)$/;
const LOOPBACK = /^(?:localhost|127\.0\.0\.1)$/;

/** The URL as it is called; undefined for one that a webhook cannot have. `own` is where Account Settings is. */
export function checkWebhookUrl(text: string, own: string): string | undefined {
  const url = URL.parse(text.trim());
  if (url === null) return undefined;
  const { href, username, password, protocol, port } = url;
  if (href.length > MAX_LENGTH || username !== "" || password !== "" || href.includes("#")) return undefined;
  const here = new URL(own);
  if (isOnDevelopersMachine(url, here)) return href;
  // The parser has written every notation of an IPv4 address in its usual one, and brackets around IPv6.
  const [host, ownHost] = [url, here].map(({ hostname }) => hostname.replace(/\.$/, "")) as [string, string];
  const isPublic = /\.[^.]*[^\d.\]]$/.test(host) && !PRIVATE.test(host) && host !== ownHost;
  return isPublic && protocol === "https:" && port === "" ? href : undefined;
}

/** `npm run dev` serves Account Settings at http://localhost, and no deployment does. */
const isOnDevelopersMachine = (url: URL, own: URL): boolean =>
  own.protocol === "http:" &&
  LOOPBACK.test(own.hostname) &&
  url.protocol === "http:" &&
  LOOPBACK.test(url.hostname) &&
  url.port !== own.port;
