/** `GET /public/ideabank/changelog` (contract, changelog rules 1 to 7): the finished answer, given with or without the middleware. */
import { DEFAULT_HEADERS } from "../http/default-headers.ts";
import { ifNoneMatch } from "../http/if-none-match.ts";
import { REQUEST_ID } from "../http/request-id.ts";
import type { VersionedChangelog } from "../idea-bank/stored-changelogs.ts";
import { CROSS_ORIGIN_HEADERS } from "./cross-origin.ts";

/** What a request brings that the answer depends on. */
type ChangelogRequest = { readonly requestId: string; readonly ifNoneMatch: string | undefined };

type Headers = Readonly<Record<string, string>>;

/** By changelog, the headers of 200 and of 304: one plain record each, which costs less than setting thirteen headers. */
const prepared = new WeakMap<VersionedChangelog, { readonly ok: Headers; readonly notModified: Headers }>();

function headersOf(changelog: VersionedChangelog) {
  const known = prepared.get(changelog);
  if (known !== undefined) return known;
  const notModified = {
    ...DEFAULT_HEADERS,
    ...CROSS_ORIGIN_HEADERS,
    ETag: changelog.etag,
    "Cache-Control": "private, no-cache",
  };
  const headers = { ok: { ...notModified, "Content-Type": "application/json" }, notModified };
  prepared.set(changelog, headers);
  return headers;
}

export function respondWithChangelog(changelog: VersionedChangelog, request: ChangelogRequest): Response {
  const { ok, notModified } = headersOf(changelog);
  return ifNoneMatch(request.ifNoneMatch, changelog.etag)
    ? new Response(null, { status: 304, headers: { ...notModified, [REQUEST_ID]: request.requestId } })
    : new Response(changelog.bytes, { headers: { ...ok, [REQUEST_ID]: request.requestId } });
}
