/**
 * What the front door hands Account Settings with each request. The two are deployed one after the other, and rolled back so: each
 * works with the other's version before. So this only grows: what is new is optional for who receives it, and nothing gets another
 * meaning.
 */
import type { Region } from "../model/api-key.ts";

/** The variables and secrets that the front door shares. They are set on that one Worker. */
export const HANDED = [
  "ACCESS_AUD",
  "ANCHOR_SECONDS",
  "CREDENTIAL_SECRETS",
  "CREDENTIAL_SECRETS_2",
  "FRESHNESS_SECONDS",
  "LEASE_SECONDS",
  "NEW_ACCOUNTS",
  "REQUEST_LOG_SHARE",
  "SERVICE_TOKEN_OWNERS",
  "SIGNING_SECRETS",
] as const;

/** What Account Settings may do at the gates of API keys. It has no other way to them. */
export type Gates = {
  /** When it resolves, no request is decided by what the key was before. Rejects when the gate does not answer. */
  forget(apiKeyId: string): Promise<void>;
  /** Begins to make a new key's gate in its region, and does not wait for it. */
  place(apiKeyId: string, region: Region): Promise<void>;
};

/** What Cloudflare Access says of a request. Only the Worker that it protects is told. */
export type SignIn = { readonly aud: string; readonly email: unknown; readonly serviceTokenId: unknown };

export type AccountCall = {
  /** Undefined for a request that Access did not authenticate. */
  readonly signIn: SignIn | undefined;
  readonly gates: Gates;
  readonly settings: Readonly<Partial<Record<(typeof HANDED)[number], string>>>;
};

export type AccountService = { serve(request: Request, call: AccountCall): Promise<Response> };
