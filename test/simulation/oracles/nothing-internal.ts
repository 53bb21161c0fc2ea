import type { History } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { type Call, callsOf, field, groupBy, succeeded } from "./seen/calls.ts";
import { tokenOf } from "./seen/credentials.ts";
import { rowsOf } from "./seen/rows.ts";

const IDENTIFIER = /(?<![0-9A-Za-z])[0-9A-Za-z]{12}(?![0-9A-Za-z])/g;
const TABLES = ["accounts", "api_keys", "panelists", "idea_banks", "proposals", "comments", "surveys"] as const;
/** What people wrote: it may hold any text. */
const WRITTEN = new Set(["title", "description", "body", "text", "author", "name"]);

/** A changelog has exactly three fields, and no identifier of any row: not in its body, not in a header. */
function* changelog(history: History): Iterable<Finding> {
  const ids = new Set(TABLES.flatMap((table) => rowsOf(history).keys(table)));
  for (const call of callsOf(history)) {
    if (call.operation !== "getChangelog" || call.answer === undefined) continue;
    const items = field(call.answer.body, "items");
    const shape = Array.isArray(items) && items.every((item) => fieldsOf(item) === "description,lastModified,title");
    const whole = fieldsOf(call.answer.body) === "items";
    if (call.status === 200 && !(shape && whole && (items as unknown[]).every(isTyped))) {
      yield { at: call.answeredAt, found: "a changelog has other fields than its three", calls: [call.call] };
    }
    const headers = Object.entries(call.answer.headers).filter(([name]) => name !== "x-request-id");
    for (const value of [...headers.map(([, header]) => header), ...unwritten(call.answer.body)]) {
      for (const [id] of value.matchAll(IDENTIFIER)) {
        if (ids.has(id))
          yield { at: call.answeredAt, found: `a changelog's answer holds the identifier ${id}`, calls: [call.call] };
      }
    }
  }
}

/** The panelist API never shows an external id, nor the identifier of a panelist, an account, a key or an idea bank. */
function* panelists(history: History): Iterable<Finding> {
  const rows = rowsOf(history);
  const hidden = new Set(["accounts", "api_keys", "panelists", "idea_banks"].flatMap((table) => rows.keys(table)));
  const versions = rows.keys("panelists").flatMap((id) => rows.versions("panelists", id));
  const names = new Set(versions.map((version) => version.row?.display_name));
  for (const { row } of versions) {
    if (typeof row?.external_id === "string" && !names.has(row.external_id)) hidden.add(row.external_id);
  }
  // What only the tenant keeps with a proposal.
  for (const row of rows.keys("proposals").flatMap((id) => rows.versions("proposals", id).map((each) => each.row))) {
    if (typeof row?.external_id === "string") hidden.add(row.external_id);
    for (const value of Object.values(JSON.parse(String(row?.metadata ?? "{}")))) hidden.add(String(value));
  }
  for (const call of callsOf(history)) {
    if (tokenOf(call) === undefined || call.answer === undefined) continue;
    for (const value of [...unwritten(call.answer.body), ...authors(call.answer.body)]) {
      if (!hidden.has(value)) continue;
      yield { at: call.answeredAt, found: `${call.operation} shows ${value} to a panelist`, calls: [call.call] };
    }
  }
}

const fieldsOf = (value: unknown): string =>
  typeof value === "object" && value !== null ? Object.keys(value).toSorted().join() : "";
const isTyped = (item: unknown): boolean =>
  typeof field(item, "title") === "string" &&
  typeof field(item, "description") === "string" &&
  Number.isInteger(field(item, "lastModified"));

/** Every text in an answer that no person wrote, and every name of a field. */
const unwritten = (value: unknown, key = ""): readonly string[] => {
  if (typeof value === "string") return WRITTEN.has(key) ? [] : [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => [name, ...unwritten(one, Array.isArray(value) ? key : name)]);
};
const authors = (value: unknown): readonly string[] => {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    name === "author" && typeof one === "string" ? [one] : authors(one),
  );
};

export const nothingInternal = oracle(
  {
    name: "nothing-internal",
    promise: "Nothing internal",
    words: "A changelog has three fields of each entry, and no identifier in its body or its headers.",
  },
  changelog,
);
export const nobodyIdentified = oracle(
  {
    name: "nobody-identified",
    promise: "Private",
    words: "No panelist is shown an `externalId`, or the identifier of a panelist, an account or a key.",
  },
  panelists,
);

const SECRET = /ibk_[0-9A-Za-z]{47}|ibt_[0-9A-Za-z]{51}/g;

/** A key is in one answer: the one that creates or rotates it. No row holds a key or a token. */
export const shownOnce = oracle(
  {
    name: "key-shown-once",
    promise: "Shown once",
    words: "An API key is in the answer that creates or rotates it, and in no other answer and no row.",
  },
  function* (history: History): Iterable<Finding> {
    const shown = callsOf(history).flatMap((call) => secretsIn(call).map((secret) => ({ call, secret })));
    for (const [secret, all] of groupBy(shown, (one) => one.secret)) {
      const wrong =
        all.find(({ call }) => !["createApiKey", "rotateApiKey"].includes(call.operation) || !succeeded(call)) ??
        all[1];
      if (wrong !== undefined) {
        yield {
          at: wrong.call.answeredAt,
          found: `${secret.slice(0, 16)}… is shown by ${wrong.call.operation}, ${all.length} times in all`,
          calls: all.map(({ call }) => call.call),
        };
      }
    }
    for (const commit of rowsOf(history).commits) {
      const values = commit.changes.flatMap(({ after }) => Object.values(after ?? {}));
      if (values.some((value) => typeof value === "string" && value.search(SECRET) !== -1)) {
        yield {
          at: commit.at,
          found: "a row holds a key or a token",
          calls: commit.call === undefined ? [] : [commit.call],
        };
      }
    }
  },
);

/** The whole keys in an answer's body, each once, and those in its headers, which are none too many at one. */
const secretsIn = (call: Call): readonly string[] => {
  const inBody = new Set(JSON.stringify(call.answer?.body ?? null).match(/ibk_[0-9A-Za-z]{47}/g));
  const inHeaders = Object.values(call.answer?.headers ?? {}).flatMap(
    (value) => value.match(/ibk_[0-9A-Za-z]{47}/g) ?? [],
  );
  return [...inBody, ...inHeaders.flatMap((secret) => [secret, secret])];
};
