import type { History } from "../../history.ts";
import { type Call, callsOf, groupBy } from "./calls.ts";
import { databaseOf, ideaBankIdOf, tokenOf } from "./credentials.ts";
import { isPrimaryFaulty } from "./database-faults.ts";
import { accountOfIdeaBank, changelogAt, changelogText, couldBe, isChangelog } from "./expected.ts";
import { ageWithSteps } from "./faults.ts";
import { rowsOf } from "./rows.ts";

/** While D1 does not answer, memory is used for so long. */
const OLDEST_VIEW_MS = 300_000;

const VIEWED: readonly string[] = ["getChangelog", "getCapabilities"];

/**
 * How old an answer may be. A changelog and `GET /ideabank`: 11 seconds with the settings of the promise; 5 minutes when the primary was
 * down since shortly before. A replica alone that does not answer is no excuse: the primary does. Proposals and comments:
 * `ANCHOR_SECONDS`, and 503 while D1 does not answer. When the clock of the isolate steps back: by as much more.
 */
export const allowedAge = (history: History, call: Call): number => {
  const { freshnessMs, anchorMs } = history.settings;
  const isViewed = VIEWED.includes(call.operation);
  const database = databaseOf(ideaBankIdOf(tokenOf(call) ?? ""));
  const isDown = isPrimaryFaulty(history, call, database);
  const ageMs = isViewed ? freshnessMs + anchorMs : anchorMs;
  return ageWithSteps(history, call.isolate, isViewed && isDown ? OLDEST_VIEW_MS : ageMs, call.at);
};

type Explained = { readonly call: Call; readonly last: number };
type Judged = { readonly explained: readonly Explained[]; readonly unexplained: readonly Call[] };

const known = new WeakMap<History, Judged>();

/**
 * Each read of the panelist API with the last moment, within the allowed span, that it could be answered from; and those that no
 * moment explains.
 */
export const judged = (history: History): Judged => {
  const before = known.get(history);
  if (before !== undefined) return before;
  const rows = rowsOf(history);
  const explained: Explained[] = [];
  const unexplained: Call[] = [];
  const etags = etagBodies(history);
  for (const call of callsOf(history)) {
    const token = tokenOf(call);
    if (token === undefined || call.answer === undefined || call.method !== "GET") continue;
    const account = accountOfIdeaBank(rows, ideaBankIdOf(token)) ?? "";
    const moments = rows.span(account, call.at - allowedAge(history, call), call.answeredAt);
    const verdicts = moments.map((moment) =>
      call.status === 304 ? notModified(history, call, moment, etags) : couldBe(history, call, moment),
    );
    if (verdicts.some((verdict) => verdict === undefined)) continue;
    if (verdicts.includes(true)) explained.push({ call, last: lastOf(rows.commits.length, moments, verdicts) });
    else unexplained.push(call);
  }
  const result = { explained, unexplained };
  known.set(history, result);
  return result;
};

/** A state lasts until the account's next commit: its last moment is the one before that. */
const lastOf = (commits: number, moments: readonly number[], verdicts: readonly (boolean | undefined)[]): number => {
  const index = verdicts.lastIndexOf(true);
  return (moments[index + 1] ?? commits) - 1;
};

/** The changelog that each ETag of an idea bank named, by the 200 answers of the whole history. */
const etagBodies = (history: History): Map<string, string> => {
  const bodies = new Map<string, string>();
  for (const [ideaBank, calls] of groupBy(callsOf(history), (call) =>
    call.operation === "getChangelog" && call.status === 200 ? ideaBankIdOf(tokenOf(call) ?? "") : undefined,
  )) {
    for (const call of calls) {
      const shown = changelogText(call.answer?.body);
      const etag = call.answer?.headers.etag;
      if (etag !== undefined && shown !== undefined) bodies.set(`${ideaBank} ${etag}`, shown);
    }
  }
  return bodies;
};

/** 304 names a body of that moment: any of the ETags that were sent. An ETag that no answer gave cannot be judged. */
const notModified = (history: History, call: Call, moment: number, etags: Map<string, string>): boolean | undefined => {
  if (call.operation !== "getChangelog") return undefined;
  const ideaBank = ideaBankIdOf(tokenOf(call) ?? "");
  const allowed = changelogAt(history, ideaBank, moment);
  const sent = call.headers["if-none-match"];
  if (sent === undefined) return false;
  if (sent.trim() === "*") return allowed.length > 0;
  const bodies = sent.split(",").map((etag) => etags.get(`${ideaBank} ${etag.trim().replace(/^W\//, "")}`));
  if (bodies.every((body) => body === undefined)) return undefined;
  return bodies.some((body) => body !== undefined && allowed.length > 0 && isChangelog(allowed, body));
};
