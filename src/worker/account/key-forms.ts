/** What the forms for a key send, as the schemas take it. */
import { parseOrThrow } from "../http/invalid-request.ts";
import { NewApiKey } from "../model/account.ts";
import { ApiKeyChanges } from "../model/api-key-settings.ts";

const DAY_MS = 86_400_000;

/** Throws `invalid-request`. */
export function toNewApiKey(fields: URLSearchParams): NewApiKey {
  return parseOrThrow(NewApiKey, {
    ...toSettings(fields),
    region: fields.get("region") || null,
    expiresInDays: fields.get("expiresInDays") ? Number(fields.get("expiresInDays")) : null,
  });
}

/** What is not as the form was opened, so that it takes back no change that somebody else made since. Throws `invalid-request`. */
export function toKeyChanges(fields: URLSearchParams, now: number): ApiKeyChanges {
  const before = new URLSearchParams(fields.get("was") ?? "");
  const [was, is] = [before, fields].map((each) =>
    Object.entries({ ...toSettings(each), paused: each.has("paused") }).map(([name, value]) => [name, value] as const),
  );
  const changed = (is ?? []).filter(([, value], index) => JSON.stringify(value) !== JSON.stringify(was?.[index]?.[1]));
  const expiry = fields.get("expiresAt") ?? "";
  const inDays = /^\d{1,4}$/.test(expiry) ? new Date(now + Number(expiry) * DAY_MS).toISOString() : expiry;
  const expiresAt = expiry === "never" ? null : inDays;
  return parseOrThrow(ApiKeyChanges, { ...Object.fromEntries(changed), ...(expiry !== "" && { expiresAt }) });
}

/** The forms offer some limits as `<requests>/<seconds>`; for any other they have two fields of their own. */
function toSettings(fields: URLSearchParams) {
  const [, limit = fields.get("limit"), windowSeconds = fields.get("windowSeconds")] =
    fields.get("rate")?.match(/^(\d+)\/(\d+)$/) ?? [];
  const addresses = (fields.get("allowedAddresses") ?? "").split(/[\s,]+/).filter(Boolean);
  return {
    name: fields.get("name"),
    scopes: fields.getAll("scopes"),
    limit: Number(limit || Number.NaN),
    windowSeconds: Number(windowSeconds || Number.NaN),
    allowedAddresses: addresses.length > 0 ? addresses : null,
  };
}
