/** `GET /public/ideabank/changelog` (contract, changelog rules 1 to 7), from memory to the finished answer. */
import type { OpenedByToken } from "../access/open-idea-bank.ts";
import { DEFAULT_HEADERS } from "../http/default-headers.ts";
import { ifNoneMatch } from "../http/if-none-match.ts";
import { Changelog } from "../model/changelog.ts";
import type { VersionedChangelog } from "../view/stored-changelogs.ts";
import { CROSS_ORIGIN_HEADERS } from "./cross-origin.ts";
import { ideaBankOperation } from "./operation.ts";

export const CHANGELOG_OPERATIONS = {
  getChangelog: ideaBankOperation({
    method: "GET",
    effect: "reads",
    path: "/public/ideabank/changelog",
    capability: "canViewChangelog",
    answer: Changelog,
    conditional: true,
    problems: ["too-many-requests", "idea-bank-not-found"],
    summary: "Read the idea bank's changelog",
    description:
      "The implemented proposals, newest first by last activity: at most `changelogMaxEntries`, and as many as fit into 256 KiB. The list is not " +
      "paginated: `cursor` and `limit` are ignored. A closed changelog returns the same 404 as an idea bank that does not exist.",
    handle: (c, opened) => respondWithChangelog(changelogOf(opened).changelog, c.req.header("If-None-Match")),
  }),
};

/** The changelog in a view that may show it. */
export function changelogOf({ ideaBank, changelog }: OpenedByToken) {
  if (ideaBank === null || changelog === undefined)
    throw new Error("a changelog that may be viewed was not read with its idea bank");
  return { ideaBank, changelog };
}

/**
 * The headers of 200 and of 304, prepared once for each changelog. A `Response` copies the `Headers` object that it is given, so
 * one object serves many answers. The copy is fast, while a record's strings would be converted one by one, which costs a tenth
 * of the whole answer.
 */
type Prepared = { readonly ok: Headers; readonly notModified: Headers };

const prepared = new WeakMap<VersionedChangelog, Prepared>();

function headersOf(changelog: VersionedChangelog): Prepared {
  const known = prepared.get(changelog);
  if (known !== undefined) return known;
  const notModified = {
    ...DEFAULT_HEADERS,
    ...CROSS_ORIGIN_HEADERS,
    ETag: changelog.etag,
    "Cache-Control": "private, no-cache",
  };
  const headers = {
    ok: new Headers({ ...notModified, "Content-Type": "application/json" }),
    notModified: new Headers(notModified),
  };
  prepared.set(changelog, headers);
  return headers;
}

function respondWithChangelog(changelog: VersionedChangelog, header: string | undefined): Response {
  const { ok, notModified } = headersOf(changelog);
  return ifNoneMatch(header, changelog.etag)
    ? new Response(null, { status: 304, headers: notModified })
    : new Response(changelog.bytes, { headers: ok });
}
