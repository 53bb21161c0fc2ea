/** What the form for a new key sends, as the schema takes it. */
import { parseOrThrow } from "../http/invalid-request.ts";
import { NewApiKey } from "../model/account.ts";

/** The form offers some limits as `<requests>/<seconds>`; for any other it has two fields of its own. Throws `invalid-request`. */
export function toNewApiKey(fields: URLSearchParams): NewApiKey {
  const [, limit = fields.get("limit"), windowSeconds = fields.get("windowSeconds")] =
    fields.get("rate")?.match(/^(\d+)\/(\d+)$/) ?? [];
  return parseOrThrow(NewApiKey, {
    name: fields.get("name"),
    scopes: fields.getAll("scopes"),
    limit: Number(limit || Number.NaN),
    windowSeconds: Number(windowSeconds || Number.NaN),
    region: fields.get("region") || null,
    expiresInDays: fields.get("expiresInDays") ? Number(fields.get("expiresInDays")) : null,
  });
}
