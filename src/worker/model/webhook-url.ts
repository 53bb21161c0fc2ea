/**
 * Checks the URL of a webhook. An owner writes it and the Worker calls it, so it must name a public receiver.
 *
 * A Worker's `fetch` of a host in its own zone bypasses the zone's front door and reaches the server behind it. The flag
 * `global_fetch_strictly_public` would prevent that, but D1 sessions hang with it (emdash-cms/emdash#1273). So a URL may not be
 * in a zone of the deployment: neither under the parent domain of the API's host, nor under a domain of the setting OWN_ZONES.
 */

const MAX_LENGTH = 1_000;
/** Names outside the public internet (RFC 6761, RFC 6762, RFC 8375, RFC 7686, ICANN's `internal`). */
const PRIVATE = /(?:^|\.)(?:localhost|local|internal|home\.arpa|onion)$/;
const LOOPBACK = /^(?:localhost|127\.0\.0\.1)$/;

/** `zones` in the form in which a URL has them; `wrong`: what is no domain. */
type Zones = { readonly zones: readonly string[]; readonly wrong: readonly string[] };

/** The domains of a setting, as people write them: with a scheme, a path, `*.`, quotes, in Unicode; between commas, semicolons, spaces. */
export function readZones(text: string): Zones {
  const written = text.split(/[,;\s"'`]+/).filter((each) => each !== "");
  const read = written.map((each) => ({ each, zone: readZone(each) }));
  return {
    zones: read.flatMap(({ zone }) => zone ?? []),
    wrong: read.flatMap(({ each, zone }) => (zone === undefined ? [each] : [])),
  };
}

function readZone(written: string): string | undefined {
  const [, name = ""] = /^(?:https?:\/\/)?(?:\*?\.)?([^/@?#]+)(?:\/[^@]*)?$/i.exec(written) ?? [];
  const zone = withoutDot(URL.parse(`https://${name}`)?.hostname ?? "");
  // No address, and no domain of the first level.
  return /^[\w-]+(?:\.[\w-]+)*\.[a-z][\w-]*$/.test(zone) ? zone : undefined;
}

/** Whether the URL is in one of the domains. Throws an Error for a setting with something else in it, so that nothing slips through. */
export function isInZones(url: string, ownZones: string): boolean {
  const { zones, wrong } = readZones(ownZones);
  if (wrong.length > 0) throw new Error(`OWN_ZONES has no domain in ${wrong.join(", ")}`);
  return isBelow(new URL(url).hostname, zones);
}

const isBelow = (host: string, zones: readonly string[]): boolean =>
  zones.some((zone) => `.${withoutDot(host)}`.endsWith(`.${zone}`));

/**
 * The URL as it is called; undefined for a URL that a webhook cannot have. `own` is the address of Account Settings; `ownZones` is the
 * setting.
 */
export function checkWebhookUrl(text: string, own: string, ownZones = ""): string | undefined {
  // Reading a host takes time that grows with the square of its length.
  if (text.trim().length > MAX_LENGTH) return undefined;
  const url = URL.parse(text.trim());
  if (url === null) return undefined;
  const { href, username, password, protocol, port } = url;
  if (href.length > MAX_LENGTH || username !== "" || password !== "" || href.includes("#")) return undefined;
  const here = new URL(own);
  if (isLocal(here) && isLocal(url) && url.port !== here.port) return href;
  // `URL` has already rewritten every notation of an IPv4 address to the usual one, and put brackets around IPv6.
  const host = withoutDot(url.hostname);
  const isPublic = /\.[^.]*[^\d.\]]$/.test(host) && !PRIVATE.test(host);
  const isOwn = isBelow(host, [parentDomain(withoutDot(here.hostname))]) || isInZones(href, ownZones);
  return isPublic && !isOwn && protocol === "https:" && port === "" ? href : undefined;
}

/** Of an address that is a password: its host and its last four characters, before the `/slack` that Discord wants; of a short one the host. */
export function maskUrl(href: string): string {
  const [, host = "", path = ""] = /^(\w+:\/\/[^/]*)(\/.*)$/.exec(href) ?? [];
  const end = path.endsWith("/slack") ? "/slack" : "";
  return `${host}/…${path.length < 18 ? "" : path.slice(0, path.length - end.length).slice(-4) + end}`;
}

/** Whether this is an address as `maskUrl` shows one. Nothing else has the sign: a URL has it percent-encoded. */
export const isMasked = (text: string): boolean => /…|%E2%80%A6/i.test(text);

const withoutDot = (host: string): string => host.replace(/\.$/, "");

/** `example.com` for `api.example.com`. A host of two labels is its own parent, because the domain above is shared by everybody. */
function parentDomain(host: string): string {
  const labels = host.split(".");
  return labels.length > 2 ? labels.slice(1).join(".") : host;
}

/** `npm run dev` serves Account Settings at http://localhost; no deployment does. */
export const isLocal = ({ protocol, hostname }: URL): boolean => protocol === "http:" && LOOPBACK.test(hostname);
