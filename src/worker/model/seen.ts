/** What is kept of who uses an API key: the facts of its last request, and how requests were answered, by operation. Pure. */
import { networkOf } from "./address.ts";

/** A request, as its key's owner sees it. `at` is in Unix milliseconds; `operation` is a name of the tenant API's table. */
export type Seen = {
  readonly at: number;
  readonly network: string | null;
  readonly country: string | null;
  readonly userAgent: string | null;
  readonly operation: string;
};

/** With a key's previous secret, of whose hash these are the first characters: a release before this one does not say them. */
export type SeenWithPrevious = Seen & { readonly secret?: string | undefined };

/** Why a known key's request was not admitted. `wrong-secret`: with a secret from before a rotation. */
export const SEEN_REFUSALS = ["limited", "wrong-secret", "revoked", "expired", "paused", "address"] as const;
export type SeenRefusal = Seen & { readonly reason: (typeof SEEN_REFUSALS)[number] };

/** What a request says of itself. `address` is the client's. */
export type Sender = {
  readonly now: number;
  readonly address: string | null;
  readonly operation: string;
  readonly sent: Request;
};

/** The classes of an answer's status: places in an operation's counts. `untold`: admitted, and nobody has told yet how it was answered. */
export const STATUS_CLASSES = ["2xx", "4xx", "5xx", "untold"] as const;
export type StatusClass = (typeof STATUS_CLASSES)[number];

/** Requests of an operation that were answered with a status of the class. */
export type Answered = readonly [operation: string, status: StatusClass, requests: number];

/** By operation: how many were answered with each class of status. */
export type Operations = Readonly<Record<string, readonly number[]>>;

/** So many counts are kept of a key and hour; what is beyond is counted under the one name. */
const MAX_COUNTS = 64;
export const OTHER_OPERATIONS = "other";

const MAX_USER_AGENT = 100;

/** whoami has one answer, which is known when it is admitted. */
export const hasOneAnswer = (operation: string): boolean => operation === "whoami";

/** What is known of the answer to a request when it is admitted. */
export function statusOfAdmitted(operation: string, accountSuspended: boolean): StatusClass {
  if (accountSuspended) return "4xx";
  return hasOneAnswer(operation) ? "2xx" : "untold";
}

/** Only the network of an address is kept: the first 24 bits of IPv4, 48 of IPv6. */
export const toSeen = ({ now, address, operation, sent }: Sender): Seen => ({
  at: now,
  network: address === null ? null : (networkOf(address) ?? null),
  country: countryOf(sent.cf?.country),
  userAgent: shorten(sent.headers.get("User-Agent")),
  operation,
});

/** Two letters of ISO 3166, or `T1` for Tor. Cloudflare's `XX` is an unknown one. */
const countryOf = (country: unknown): string | null =>
  typeof country === "string" && /^(?!XX)[A-Z][A-Z1]$/.test(country) ? country : null;

/** Without what is not seen, or changes what is: control characters, line breaks, bidirectional controls. */
const shorten = (text: string | null): string | null =>
  [...(text ?? "").slice(0, 4 * MAX_USER_AGENT).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "")]
    .slice(0, MAX_USER_AGENT)
    .join("")
    .trim() || null;

export function countAnswered(operations: Operations, [operation, status, requests]: Answered): Operations {
  const counts = operations[operation] ?? [];
  const place = STATUS_CLASSES.indexOf(status);
  // Some are left for the other operations.
  if (!counts[place] && operation !== OTHER_OPERATIONS && sizeOf(operations) >= MAX_COUNTS - STATUS_CLASSES.length)
    return countAnswered(operations, [OTHER_OPERATIONS, status, requests]);
  return {
    ...operations,
    [operation]: STATUS_CLASSES.map((_, at) => (counts[at] ?? 0) + (at === place ? requests : 0)),
  };
}

export const untoldOf = (operations: Operations, operation: string): number =>
  operations[operation]?.[STATUS_CLASSES.indexOf("untold")] ?? 0;

/** Requests that were counted as untold when they were admitted, and were answered now: at most as many as `untoldOf`. */
export const tellAnswered = (operations: Operations, [operation, status, requests]: Answered): Operations =>
  countAnswered(countAnswered(operations, [operation, "untold", -requests]), [operation, status, requests]);

const sizeOf = (operations: Operations): number =>
  Object.values(operations).reduce((size, counts) => size + counts.filter((count) => count > 0).length, 0);
