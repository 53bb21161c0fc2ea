import { expect, test } from "vitest";
import type { HistoryEvent, Oracle, Row } from "../history.ts";
import { acknowledged } from "./acknowledged.ts";
import { proposalsFound, proposalsFresh } from "./freshness.ts";
import { nobodyIdentified } from "./nothing-internal.ts";
import {
  ACCOUNT,
  asked,
  changelog,
  history,
  IDEA_BANK,
  KEY,
  PANELIST,
  proposal,
  world,
  wrote,
} from "./seen/hand-made.ts";

const found = (oracle: Oracle, ...events: (HistoryEvent | readonly HistoryEvent[])[]): number =>
  oracle.check(history([...world, ...events])).length;
const [A, B] = ["0prop0000001", "0prop0000002"];
const make = (id: string, title: string, more: Row = {}) =>
  wrote(1_000, "proposals", proposal(id, { title, ...more }), null, 7);
const seen = (id: string, title: string, more: object = {}) => ({
  id,
  title,
  description: "Text",
  status: "implemented",
  tags: [],
  votes: 0,
  comments: 0,
  voted: false,
  mine: false,
  author: null,
  visibility: "public",
  response: null,
  duplicateOf: null,
  createdAt: new Date(1_000).toISOString(),
  lastActivityAt: new Date(1_000).toISOString(),
  ...more,
});
const reads =
  (path: string, operation = "listPanelistProposals") =>
  (items: readonly object[]) =>
    asked(1, [50_000, 50_010], { ...changelog, operation, path: `/ideabank/${path}` }, 200, { body: { items } });

test("a search shows what has all its words, and nothing that has none of them", () => {
  const two = [make(A, "Café at night"), make(B, "Dogs")];
  const search = reads("proposals?q=NIGHT%20cafe");
  const [night, dogs] = [seen(A, "Café at night"), seen(B, "Dogs")];
  expect(found(proposalsFound, ...two, search([night]))).toBe(0);
  expect(found(proposalsFound, ...two, search([]))).toBe(1);
  expect(found(proposalsFound, ...two, search([night, dogs]))).toBe(1);
  expect(found(proposalsFound, ...two, search([night, night]))).toBe(1);
  expect(found(proposalsFound, ...two, reads("proposals?q=nights")([night]))).toBe(0);
  expect(found(proposalsFound, ...two, reads("proposals?q=dog")([]))).toBe(0);
});
test("a search may show what has a word in its text, at the end of a word, with a mistake, or as two; and nothing else", () => {
  const idea = [make(A, "Dark mode for the keyboard"), make(B, "Dogs", { description: "On the ferry" })];
  const [dark, dogs] = [seen(A, "Dark mode for the keyboard"), seen(B, "Dogs", { description: "On the ferry" })];
  for (const q of ["board", "keybaord", "kyboard", "keyyboard", "darkmode"]) {
    expect(found(proposalsFound, ...idea, reads(`proposals?q=${q}`)([dark]))).toBe(0);
    expect(found(proposalsFound, ...idea, reads(`proposals?q=${q}`)([dogs]))).toBe(1);
  }
  expect(found(proposalsFound, ...idea, reads("proposals?q=ferry")([dogs]))).toBe(0);
  expect(found(proposalsFound, ...idea, reads("proposals?q=ferry")([dark]))).toBe(1);
});
test("no search shows what the panelist may not see", () => {
  for (const more of [{ visibility: "hidden" }, { visibility: "pending" }, { duplicate_of: B }, { idea_bank_id: A }]) {
    const search = reads("proposals?q=night");
    expect(found(proposalsFound, make(A, "Night", more), search([]))).toBe(0);
    expect(found(proposalsFound, make(A, "Night", more), search([seen(A, "Night")]))).toBe(1);
    const similar = reads("proposals/similar?title=night", "listSimilarProposals");
    expect(found(proposalsFound, make(A, "Night", more), similar([seen(A, "Night")]))).toBe(1);
  }
});
test("where twenty titles have words that begin alike, and of similar ones, some may be missing", () => {
  const many = Array.from({ length: 20 }, (_, index) => make(`0prop00001${index + 10}`, `Nights ${index}`));
  expect(found(proposalsFound, ...many.slice(0, 19), reads("proposals?q=nights")([]))).toBe(1);
  expect(found(proposalsFound, ...many, reads("proposals?q=nights")([]))).toBe(0);
  expect(
    found(proposalsFound, make(A, "Night"), reads("proposals/similar?title=night", "listSimilarProposals")([])),
  ).toBe(0);
});
test("a title that was written beside the Worker has its words later", () => {
  const edited = wrote(2_000, "proposals", proposal(A, { title: "Dogs" }), proposal(A, { title: "Night" }));
  const shown = [seen(A, "Dogs")];
  expect(found(proposalsFound, make(A, "Night"), edited, reads("proposals?q=dogs")([]))).toBe(0);
  expect(found(proposalsFound, make(A, "Night"), edited, reads("proposals?q=night")(shown))).toBe(0);
  expect(found(proposalsFound, make(A, "Night"), { ...edited, call: 8 }, reads("proposals?q=night")(shown))).toBe(1);
});
test("a list by tag is those with the tag, and the tags are those of public proposals", () => {
  const two = [
    make(A, "Night", { tags: '["Mobile"]' }),
    make(B, "Dogs", { tags: '["Mobile","R&D"]', visibility: "hidden" }),
  ];
  const night = seen(A, "Night", { tags: ["Mobile"] });
  expect(found(proposalsFresh, ...two, reads("proposals?tag=Mobile")([night]))).toBe(0);
  expect(found(proposalsFresh, ...two, reads("proposals?tag=Mobile")([]))).toBe(1);
  expect(found(proposalsFresh, ...two, reads("proposals?tag=R%26D")([night]))).toBe(1);
  expect(found(proposalsFresh, ...two, reads("proposals?tag=Mobile")([seen(A, "Night")]))).toBe(1);
  const tags = reads("tags", "listTags");
  expect(found(proposalsFresh, ...two, tags([{ tag: "Mobile", proposals: 1 }]))).toBe(0);
  expect(found(proposalsFresh, ...two, tags([{ tag: "Mobile", proposals: 2 }]))).toBe(1);
  expect(
    found(
      proposalsFresh,
      ...two,
      tags([
        { tag: "Mobile", proposals: 1 },
        { tag: "R&D", proposals: 1 },
      ]),
    ),
  ).toBe(1);
  expect(found(proposalsFresh, ...two, tags([]))).toBe(1);
});
test("one's own list has pending ones, and that of one's votes has no other", () => {
  const own = make(A, "Night", { author_id: PANELIST, visibility: "pending" });
  const mine = seen(A, "Night", { mine: true, visibility: "pending" });
  expect(found(proposalsFresh, own, reads("proposals?mine=submitted")([mine]))).toBe(0);
  expect(found(proposalsFresh, own, reads("proposals?mine=submitted")([]))).toBe(1);
  expect(found(proposalsFresh, own, reads("proposals")([mine]))).toBe(1);
  expect(found(proposalsFresh, own, reads("proposals?mine=voted")([mine]))).toBe(1);
});
test("a vote for a panelist is there, and its count is exact; what is created for one is the panelist's", () => {
  const vote = { proposal_id: A, panelist_id: PANELIST, account_id: ACCOUNT, idea_bank_id: IDEA_BANK };
  const counted = { table: "proposals", before: proposal(A), after: proposal(A, { votes: 1 }) };
  const whole = { ...wrote(205, "votes", vote), changes: [{ table: "votes", before: null, after: vote }, counted] };
  const headers = { "x-api-key": KEY };
  const path = `/tenant/ideabanks/${IDEA_BANK}/proposals/${A}/votes`;
  const put = (votes: number) =>
    asked(1, [200, 210], { operation: "putVote", method: "PUT", path: `${path}/${PANELIST}`, headers }, 200, {
      body: { voted: true, votes },
    });
  const made = wrote(100, "proposals", proposal(A));
  expect(found(acknowledged, made, whole, put(1))).toBe(0);
  expect(found(acknowledged, made, whole, put(2))).toBe(1);
  expect(found(acknowledged, made, put(0))).toBe(1);
  const body = { title: "T", panelistId: PANELIST, tags: ["Mobile"] };
  const create = asked(2, [50, 110], { operation: "createProposal", method: "POST", headers, body }, 201, {
    body: { id: A },
  });
  const right = { title: "T", author_id: PANELIST, tags: '["Mobile"]' };
  expect(found(acknowledged, wrote(100, "proposals", proposal(A, right)), create)).toBe(0);
  for (const wrong of [{ author_id: null }, { tags: null }, { title: "U" }])
    expect(found(acknowledged, wrote(100, "proposals", proposal(A, { ...right, ...wrong })), create)).toBe(1);
});
test("what only the tenant keeps with a proposal is shown to no panelist", () => {
  const kept = make(A, "Night", { external_id: "TRACK-1", metadata: '{"source":"kept"}' });
  const list = reads("proposals");
  expect(found(nobodyIdentified, kept, list([seen(A, "Night")]))).toBe(0);
  expect(found(nobodyIdentified, kept, list([seen(A, "Night", { externalId: "TRACK-1" })]))).toBe(1);
  expect(found(nobodyIdentified, kept, list([seen(A, "Night", { metadata: { source: "kept" } })]))).toBe(1);
});
