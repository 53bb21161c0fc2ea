/** Converts the forms for a key to the input of the schemas, and a key to its form. */
import { type FieldError, parseOrThrow } from "../../http/invalid-request.ts";
import { type ApiKey, NewApiKey } from "../../model/account-key.ts";
import { ApiKeyChanges } from "../../model/api-key-settings.ts";
import { changedSettings } from "../frame/opened-form.tsx";
import { scopesOf } from "./presets.ts";

const DAY_MS = 86_400_000;

/** Throws `invalid-request`. */
export function toNewApiKey(fields: URLSearchParams): NewApiKey {
  return parseOrThrow(NewApiKey, {
    ...toSettings(fields),
    region: fields.get("region") || null,
    expiresInDays: fields.get("expiresInDays") ? Number(fields.get("expiresInDays")) : null,
  });
}

/**
 * The settings that the form's user has changed. A limit and its window are one choice, because a new limit with an old window
 * would be one that nobody chose. Throws `invalid-request`.
 */
export function toKeyChanges(fields: URLSearchParams, now: number): ApiKeyChanges {
  const { rate, ...changed } = changedSettings(fields, (each) => toChangeable(each, now));
  return parseOrThrow(ApiKeyChanges, { ...changed, ...rate });
}

/** What can be changed of a key. */
export function toChangeable(fields: URLSearchParams, now: number) {
  const { limit, windowSeconds, ...settings } = toSettings(fields);
  const expiresAt = toExpiry(fields.get("expiresAt") ?? "", now);
  return { ...settings, rate: { limit, windowSeconds }, paused: fields.has("paused"), expiresAt };
}

/** The fields of a setting that has several. */
export const FIELDS_OF = { rate: ["rate", "limit", "windowSeconds"] };

/** Undefined keeps the present one. */
function toExpiry(expiry: string, now: number): string | null | undefined {
  if (expiry === "") return undefined;
  if (expiry === "never") return null;
  return /^\d{1,4}$/.test(expiry) ? new Date(now + Number(expiry) * DAY_MS).toISOString() : expiry;
}

/** The forms offer common limits as `<requests>/<seconds>`, and two fields for any other. */
function toSettings(fields: URLSearchParams) {
  const [, limit = fields.get("limit"), windowSeconds = fields.get("windowSeconds")] =
    fields.get("rate")?.match(/^(\d+)\/(\d+)$/) ?? [];
  const addresses = toAddresses(fields);
  return {
    name: fields.get("name"),
    scopes: scopesOf(fields),
    limit: Number(limit || Number.NaN),
    windowSeconds: Number(windowSeconds || Number.NaN),
    allowedAddresses: addresses.length > 0 ? addresses : null,
  };
}

const toAddresses = (fields: URLSearchParams): string[] =>
  (fields.get("allowedAddresses") ?? "").split(/[\s,]+/).filter(Boolean);

/** In a list of addresses, the error names the wrong one. */
export const namingAddresses = (errors: readonly FieldError[], fields: URLSearchParams): FieldError[] =>
  errors.map((error) => {
    const [, place] = error.path.match(/^allowedAddresses\.(\d+)$/) ?? [];
    const address = place && toAddresses(fields)[Number(place)];
    return address ? { path: "allowedAddresses", message: `“${address}” ${error.message}` } : error;
  });

/** What the form that changes a key is opened with. It keeps the expiry, unless another one is chosen. */
export function toOpened(apiKey: ApiKey): URLSearchParams {
  const fields = toFields(apiKey);
  fields.set("expiresAt", apiKey.expiresAt ?? "never");
  return fields;
}

/** The form with a key’s settings. */
export function toFields({ name, scopes, limit, windowSeconds, pausedAt, allowedAddresses }: ApiKey): URLSearchParams {
  const fields = new URLSearchParams({ name, limit: String(limit), windowSeconds: String(windowSeconds) });
  for (const scope of scopes) fields.append("scopes", scope);
  fields.set("allowedAddresses", (allowedAddresses ?? []).join("\n"));
  if (pausedAt !== null) fields.set("paused", "on");
  return fields;
}
