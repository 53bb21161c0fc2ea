import type { History, Row } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { field } from "./seen/calls.ts";
import { followersOf, type Item, idOf, nounOf } from "./seen/feed.ts";
import { type LoggedCommit, loggedOf } from "./seen/logged.ts";

/** What a follower has read, in the order in which it read it, against what was committed. */
function* findOrder(history: History): Iterable<Finding> {
  for (const { items, account, caughtUp } of followersOf(history)) {
    const commits = loggedOf(history, account);
    let at = 0;
    let left = leftOf(commits[at]);
    let broken = false;
    for (const { item, call, readAt } of items) {
      const name = `${item.type} ${idOf(item)}`;
      while (left.length === 0 && at < commits.length) left = leftOf(commits[++at]);
      const found = left.indexOf(name);
      if (found === -1 || (commits[at]?.at ?? Infinity) > readAt) {
        const expected = left.join(", ") || "nothing";
        yield { at: readAt, found: `the log shows ${name}; what was committed next is ${expected}`, calls: [call] };
        broken = true;
        break;
      }
      left.splice(found, 1);
    }
    if (broken || !caughtUp) continue;
    while (left.length === 0 && at < commits.length) left = leftOf(commits[++at]);
    if (left.length > 0) yield { at: Infinity, found: `the log ends before ${left.join(", ")}`, calls: [] };
  }
}

const leftOf = (commit: LoggedCommit | undefined): string[] => [...(commit?.changes ?? [])];

export const changesInOrder = oracle(
  {
    name: "changes-in-order",
    promise: "No change is missed",
    words: "The log of changes has every change once, in the order of the commits.",
  },
  findOrder,
);

type Tables = Readonly<Record<string, readonly Row[]>>;

/** What the lists of the settled tables show of an account: by noun and id, the texts that a copy would show. */
function heldBy(tables: Tables, account: string): Map<string, string> {
  const own = (table: string) => (tables[table] ?? []).filter(({ account_id }) => account_id === account);
  const held = new Map<string, string>();
  const hold = (noun: string, row: Row, ...shown: (string | number | boolean | null | undefined)[]) =>
    held.set(`${noun} ${row.id}`, JSON.stringify(shown));
  for (const row of own("idea_banks")) hold("ideabank", row, row.name, row.status, row.approval_required === 1);
  for (const row of own("panelists")) {
    if (row.deleted_at === null) hold("panelist", row, row.external_id, row.display_name, row.active === 1);
  }
  for (const row of own("proposals")) {
    if (!held.has(`ideabank ${row.idea_bank_id}`)) continue;
    hold("proposal", row, row.title, row.description, row.status, row.visibility, row.duplicate_of);
  }
  for (const row of own("surveys")) {
    if (row.idea_bank_id !== null && !held.has(`ideabank ${row.idea_bank_id}`)) continue;
    hold("survey", row, row.title, row.status, row.editable === 1, row.max_responses);
  }
  for (const row of own("survey_responses")) {
    const survey = own("surveys").find(({ id }) => id === row.survey_id);
    if (survey?.anonymous === 0 && held.has(`panelist ${row.respondent}`))
      held.set(`survey-response ${row.survey_id}/${row.respondent}`, JSON.stringify([JSON.parse(String(row.answers))]));
  }
  for (const row of own("comments")) {
    if (held.has(`proposal ${row.proposal_id}`)) hold("comment", row, row.body);
  }
  return held;
}

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  ideabank: ["name", "status", "approvalRequired"],
  panelist: ["externalId", "displayName", "active"],
  proposal: ["title", "description", "status", "visibility", "duplicateOf"],
  comment: ["body"],
  survey: ["title", "status", "editable", "maxResponses"],
  "survey-response": ["answers"],
};

/** The fields that show a resource, where they are not called as it is in the types of changes. */
const NAMES: Readonly<Record<string, string>> = { ideabank: "ideaBank", "survey-response": "response" };

/** `within`: a proposal's idea bank, a comment's proposal, a response's idea bank, survey and panelist. It goes with each of them. */
type Known = Map<string, { readonly text: string; readonly within: readonly string[] }>;

/** Upserts what an item shows, by id. A comment's change shows its proposal, too. */
function upsert(known: Known, item: Item): void {
  const noun = nounOf(item);
  const bank = `ideabank ${field(item, "ideaBankId")}`;
  // A person who has come back since has the identifier from before, and nothing of what went.
  if (item.type === "panelist.deleted") remove(known, `panelist ${idOf(item)}`);
  for (const [each, id, now] of [
    [noun, idOf(item), field(item, NAMES[noun] ?? noun)],
    ["proposal", item.proposalId, item.proposal],
  ] as const) {
    if (now === undefined) continue;
    if (now === null) {
      remove(known, `${each} ${id}`);
      continue;
    }
    const text = JSON.stringify(FIELDS[each]?.map((name) => field(now, name)));
    const within = {
      ...{ proposal: [bank], comment: [`proposal ${item.proposalId}`] },
      survey: [`ideabank ${field(now, "ideaBankId")}`],
      "survey-response": [bank, `survey ${field(item, "surveyId")}`, `panelist ${field(item, "panelistId")}`],
    };
    known.set(`${each} ${id}`, { text, within: within[each as keyof typeof within] ?? [] });
  }
}

/** The log names what was deleted alone: what a follower holds of it goes with it. */
function remove(known: Known, name: string): void {
  known.delete(name);
  for (const [other, { within }] of [...known]) if (within.includes(name)) remove(known, other);
}

function* findFollowed(history: History): Iterable<Finding> {
  for (const { items, account, caughtUp } of followersOf(history)) {
    if (!caughtUp) continue;
    const known: Known = new Map();
    for (const { item } of items) upsert(known, item);
    const held = new Map(Object.values(history.settled).flatMap((tables) => [...heldBy(tables, account)]));
    for (const name of new Set([...known.keys(), ...held.keys()])) {
      if (known.get(name)?.text === held.get(name)) continue;
      const words = (text: string | undefined) => text ?? "nothing";
      yield {
        at: Infinity,
        found: `a follower has ${words(known.get(name)?.text)} of ${name}; the lists have ${words(held.get(name))}`,
        calls: [],
      };
    }
  }
}

export const changesFollowed = oracle(
  {
    name: "changes-followed",
    promise: "No change is missed",
    words:
      "A client that follows the changes, upserts by id, and lets what was in a deleted idea bank, proposal, survey or panelist go with it, has at the end what the lists have.",
  },
  findFollowed,
);
