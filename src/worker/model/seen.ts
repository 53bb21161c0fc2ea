/** The record of an API key's use: the facts of its last requests, and the number of admitted ones by operation. Pure. */
import { hiddenBeginning, hideCredentials } from "../credentials/hide-credentials.ts";
import { networkOf } from "./address.ts";

/**
 * A request, as its key's owner sees it. `at` is in Unix milliseconds; `operation` is a name of the tenant API's table, and empty
 * until the request's body has said it.
 */
export type Seen = {
  readonly at: number;
  readonly network: string | null;
  readonly country: string | null;
  readonly userAgent: string | null;
  readonly operation: string;
};

/** A request with a key's previous secret; `secret` is the beginning of its hash. */
export type SeenWithPrevious = Seen & { readonly secret: string };

/** The last use of a secret while it was the newest one; `secret` is the beginning of its hash. */
export type SeenSecret = Pick<SeenWithPrevious, "at" | "secret">;
/** This many characters of a hash distinguish a key's secrets. */
export const SECRET_LENGTH = 12;

/** The reasons why a known key's request was not admitted. `wrong-secret`: a secret from before a rotation. */
export const SEEN_REFUSALS = ["limited", "wrong-secret", "revoked", "expired", "paused", "address"] as const;
export type SeenRefusal = Seen & { readonly reason: (typeof SEEN_REFUSALS)[number] };

/** The facts of a request. `address` is the client's. The operator's secret is hidden wherever it was sent by mistake. */
export type Sender = {
  readonly now: number;
  readonly address: string | null;
  readonly operation: string;
  readonly sent: Pick<Request, "headers"> & Partial<Pick<Request, "cf">>;
  readonly operatorSecret?: string | undefined;
};

/** The number of admitted requests, by operation of the tenant API. */
export type Operations = Readonly<Record<string, number>>;

const MAX_USER_AGENT = 100;

/** Keeps only the network of an address: the first 24 bits of IPv4, 48 of IPv6. */
export const toSeen = ({ now, address, operation, sent, operatorSecret }: Sender): Seen => ({
  at: now,
  network: address === null ? null : (networkOf(address) ?? null),
  country: countryOf(sent.cf?.country),
  userAgent: shorten(sent.headers.get("User-Agent"), operatorSecret),
  operation,
});

/** Two letters of ISO 3166, or `T1` for Tor. Cloudflare's `XX` means unknown. */
const countryOf = (country: unknown): string | null =>
  typeof country === "string" && /^(?!XX)[A-Z][A-Z1]$/.test(country) ? country : null;

/** Drops control characters, line breaks and bidirectional controls, because they are invisible or change how others look. */
const shorten = (text: string | null, operatorSecret: string | undefined): string | null => {
  const hide = (sent: string) => hideCredentials(sent.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ""), operatorSecret);
  const hidden = hiddenBeginning(text ?? "", { length: 4 * MAX_USER_AGENT, operatorSecret, hide });
  return [...hidden].slice(0, MAX_USER_AGENT).join("").trim() || null;
};

export function countAdmitted(operations: Operations, more: Operations): Operations {
  const sums = { ...operations };
  for (const [operation, requests] of Object.entries(more)) sums[operation] = (sums[operation] ?? 0) + requests;
  return sums;
}
