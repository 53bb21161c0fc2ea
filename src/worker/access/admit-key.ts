/** Decides one request with an API key, for the tenant API and for other services, and counts it once: admitted, or the problem that refuses it. */
import type { GateCaller, Gatekeeper } from "../api-key-gate/gatekeeper.ts";
import { type ApiKeyCredential, type ApiKeyRefusal, verifyApiKey } from "../credentials/api-key.ts";
import type { SigningKeys } from "../credentials/envelope.ts";
import { type Mistake, mistakeInKey } from "../credentials/mistakes.ts";
import { VerifiedCredentials } from "../credentials/verified-credentials.ts";
import { oncePer } from "../http/once-per.ts";
import {
  type Admission,
  type Admitted,
  type ApiKeyRecord,
  type Quota,
  refuse,
  type Tenant,
  tenantOf,
} from "../model/api-key.ts";
import type { Scope } from "../model/scope.ts";
import type { Sender } from "../model/seen.ts";
import { Problem, serviceUnavailable } from "../problem.ts";
import type { RateLimit } from "../rate-limit/sliding-window.ts";
import type { Database, Databases } from "../store/databases.ts";

/** The API keys whose tag was verified before. */
export class VerifiedApiKeys extends VerifiedCredentials<ApiKeyCredential, ApiKeyRefusal> {
  constructor() {
    super(verifyApiKey);
  }
}

export type KeyMemory = {
  readonly apiKeys: VerifiedApiKeys;
  readonly gatekeeper: Gatekeeper;
  readonly databases: Databases;
};

/** `text` was sent as the key. `scope` null accepts any key. */
type KeyQuestion = {
  readonly text: string | undefined;
  readonly scope: Scope | null;
  readonly sender: Sender;
};

type RateLimitHeaders = Readonly<Record<string, string>>;

/** `database` holds all data of the tenant. */
export type AdmittedKey = {
  readonly apiKeyId: string;
  readonly secretHash: string;
  readonly tenant: Tenant;
  readonly database: Database;
};

/** `limits` are headers of the response, with any status. A refusal says whose key it is, as far as that is known. */
type KeyDecision = { readonly limits: RateLimitHeaders } & (
  | ({ readonly refusal: Problem } & Partial<Pick<AdmittedKey, "apiKeyId" | "tenant">>)
  | (AdmittedKey & { readonly refusal?: undefined })
);

/** No I/O for a key whose tag is wrong. The order of refusals: 401, or 403 for a paused key and a wrong address; 429; 403 for the rest. */
export async function admitKey(
  { apiKeys, gatekeeper, databases }: KeyMemory,
  {
    caller,
    keys,
    question: { text, scope, sender },
  }: { readonly caller: GateCaller; readonly keys: SigningKeys; readonly question: KeyQuestion },
): Promise<KeyDecision> {
  const apiKey = await apiKeys.verify(text, keys);
  if (!apiKey.ok)
    return { limits: {}, refusal: notVerified(text, apiKey.reason, sender.sent.headers.get("Authorization")) };
  const database = databases.of(caller, apiKey.value.id);
  if (database === undefined) return { limits: {}, refusal: unauthorized("of no database") };
  const apiKeyId = apiKey.value.id;
  const admission = await gatekeeper.admit(caller, database, { sender, apiKey: apiKey.value });
  const limits = rateLimitHeaders(admission);
  if (admission.outcome !== "admitted") return { limits, apiKeyId, refusal: problemOf(admission) };
  const { tenant } = admission;
  const refusal = tenant.accountSuspended ? forbidden("suspended") : scopeRefusal(tenant, scope);
  const { secretHash } = apiKey.value;
  return refusal === undefined
    ? { limits, apiKeyId, secretHash, tenant, database }
    : { limits, apiKeyId, tenant, refusal };
}

/** The refusal of a key that was admitted, and has changed while the request was under way: what its gate would say of this record. */
export function refuseChanged(
  record: ApiKeyRecord | null,
  {
    scope,
    ...presented
  }: {
    readonly scope: Scope | null;
    readonly secretHash: string;
    readonly address: string | null;
    readonly now: number;
  },
): Problem {
  const refused = refuse(record, presented);
  if (record === null || refused !== undefined) return problemOf(refused ?? { outcome: "refused", reason: "unknown" });
  if (record.accountSuspended) return forbidden("suspended");
  return scopeRefusal(tenantOf(record), scope) ?? serviceUnavailable("the key was changed while the request came");
}

/** Undefined for a key that has the scope. */
export const scopeRefusal = ({ scopes }: Tenant, scope: Scope | null): Problem | undefined =>
  scope === null || scopes.includes(scope)
    ? undefined
    : new Problem("forbidden", { detail: `The API key lacks the scope ${scope}.` });

const MISTAKES: Readonly<Record<string, string>> = {
  missing: "This needs an API key (`ibk_…`) in the header `X-API-Key`. It is missing or empty.",
  "in the wrong header": "Send the API key in the header `X-API-Key`, not in `Authorization`.",
  "a placeholder": "The header `X-API-Key` has a placeholder. Put your API key in its place.",
  several: "The header `X-API-Key` has several values. Send one API key, once.",
  "in quotes": "Send the API key without quotes around it.",
  "after Bearer": "Send the API key in `X-API-Key` without `Bearer` before it.",
  "of the other kind": "The header `X-API-Key` has a token. Send an API key (`ibk_…`).",
  "not whole": "An API key has 51 characters, and this one has more or fewer. Copy all of it.",
} satisfies Record<Mistake, string>;

/** One response for every reason except a mistake, which the syntax shows. Only a client with the right secret gets a `reason`. */
export const unauthorized = oncePer(
  (reason: string) =>
    new Problem("unauthorized", {
      detail: MISTAKES[reason] ?? "This needs a valid API key (`ibk_…`) in the header `X-API-Key`.",
      headers: { "WWW-Authenticate": 'ApiKey realm="tenant"' },
      ...((reason === "revoked" || reason === "expired") && { extensions: { reason } }),
      cause: reason,
    }),
);

/** For a key that was refused without I/O. `authorization` was sent in the header of tokens. */
export const notVerified = (text: string | undefined, reason: ApiKeyRefusal, authorization?: string | null): Problem =>
  unauthorized(mistakeInKey(text, authorization) ?? reason);

const DETAILS = {
  paused: "The API key is paused. Its owner can resume it in Account Settings.",
  address: "The API key may not be used from this address. Its owner can change that in Account Settings.",
  suspended: "The API key's account is suspended.",
};

/** The key is valid, but may do nothing at all. */
const forbidden = oncePer(
  (reason: keyof typeof DETAILS) => new Problem("forbidden", { detail: DETAILS[reason], extensions: { reason } }),
);

const tooManyRequests = oncePer(
  (retryAfterSeconds: number) =>
    new Problem("too-many-requests", {
      headers: { "Retry-After": String(retryAfterSeconds) },
      extensions: { "violated-policies": [POLICY] },
    }),
);

/** The headers of a response with any status. A key that was checked against D1 has no quota. */
function rateLimitHeaders(admission: Admission): RateLimitHeaders {
  switch (admission.outcome) {
    case "admitted":
      return {
        "RateLimit-Policy": policyHeader(admission.rateLimit),
        ...(admission.quota && { RateLimit: quotaHeader(admission.quota) }),
      };
    case "limited":
      return {
        "RateLimit-Policy": policyHeader(admission.quota.rateLimit),
        RateLimit: quotaHeader(admission.quota),
      };
    default:
      return {};
  }
}

/** The reason to refuse the request, whatever it asks for. */
function problemOf(admission: Exclude<Admission, Admitted>): Problem {
  switch (admission.outcome) {
    case "limited":
      return tooManyRequests(toSeconds(admission.quota.waitMs));
    case "refused":
      return admission.reason === "paused" || admission.reason === "address"
        ? forbidden(admission.reason)
        : unauthorized(admission.reason);
    case "unavailable":
      return serviceUnavailable("the gate needs the key's record and cannot read it from D1");
  }
}

/** The policy of `RateLimit-Policy` and `RateLimit`, as in draft-ietf-httpapi-ratelimit-headers-10. */
const POLICY = "api-key";

/** Whole seconds, rounded up, so that a client that waits does not retry too early. */
const toSeconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));

/** `q` requests per `w` seconds. */
const policyHeader = ({ limit, windowMs }: RateLimit): string => `"${POLICY}";q=${limit};w=${windowMs / 1000}`;

/** `r` requests remain; in `t` seconds the oldest one leaves the window. */
const quotaHeader = ({ remaining, waitMs }: Quota): string => `"${POLICY}";r=${remaining};t=${toSeconds(waitMs)}`;
