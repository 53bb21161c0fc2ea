/**
 * Whoever follows the feed holds what the lists hold: random changes by tenants, panelists, the scheduled job and SQL, and a client that
 * reads pages of random sizes at random moments, asks again, and upserts by id.
 */
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Change } from "../../../src/worker/model/change.ts";
import { databaseOf } from "../../support/databases.ts";
import { createIsolate } from "../../support/isolate.ts";
import { runJob } from "../../support/job.ts";
import { withoutLimits } from "../../support/limits.ts";
import { addComments } from "../../support/many-rows.ts";
import { createPanel, PROPOSALS } from "../../support/panel.ts";
import { newId } from "../../support/world.ts";

type Item = { readonly id: string };
type Panel = Awaited<ReturnType<typeof createPanel>>;
const NOUNS = ["ideaBank", "proposal", "comment", "panelist"] as const;
type Noun = (typeof NOUNS)[number];

/** What a client knows of each kind, by id. Counts move without a change, so a client that needs them asks for them. */
type Known = Record<Noun, Map<string, Readonly<Record<string, unknown>>>>;
const nothingKnown = (): Known => ({
  ideaBank: new Map(),
  proposal: new Map(),
  comment: new Map(),
  panelist: new Map(),
});
const withoutCounts = ({ votes, comments, merging, lastActivityAt, ...rest }: Record<string, unknown>) => rest;

function upsert(known: Known, change: Change): void {
  const [kind = ""] = change.type.split(".");
  for (const noun of NOUNS) {
    const id = noun === "ideaBank" ? change.ideaBankId : change[`${noun}Id`];
    const now = change[noun];
    // A comment's change shows its proposal, too.
    if (id === undefined || now === undefined) continue;
    expect([kind === "ideabank" ? "ideaBank" : kind, "proposal"]).toContain(noun);
    if (now === null) remove(known, noun, id);
    else known[noun].set(id, { ...withoutCounts(now), ...(noun === "proposal" && { ideaBankId: change.ideaBankId }) });
  }
}

/** What was in a deleted idea bank or proposal goes with it. */
function remove(known: Known, noun: Noun, id: string): void {
  known[noun].delete(id);
  for (const [proposalId, proposal] of [...known.proposal])
    if (noun === "ideaBank" && proposal.ideaBankId === id) remove(known, "proposal", proposalId);
  if (noun !== "proposal") return;
  for (const [commentId, comment] of [...known.comment]) if (comment.proposalId === id) known.comment.delete(commentId);
}

async function listAll({ send }: Panel["tenant"], path: string): Promise<Item[]> {
  const items: Item[] = [];
  let cursor = "";
  do {
    const page = await (await send("GET", `${path}?limit=100${cursor && `&cursor=${cursor}`}`)).json<{
      items: Item[];
      nextCursor?: string;
    }>();
    items.push(...page.items);
    cursor = page.nextCursor ?? "";
  } while (cursor !== "");
  return items;
}

/** Everything that the lists show, and the merged proposals of `known` that the tenant can still read. */
async function list(panel: Panel, known: Known): Promise<Known> {
  const { tenant } = panel;
  const ideaBanks = await listAll(tenant, "/tenant/ideabanks");
  const proposals: Item[] = [];
  const comments: Item[] = [];
  for (const { id } of ideaBanks) {
    const path = `/tenant/ideabanks/${id}/proposals`;
    const here = await listAll(tenant, path);
    for (const merged of known.proposal.keys()) {
      if (here.some((proposal) => proposal.id === merged)) continue;
      const response = await tenant.send("GET", `${path}/${merged}`);
      if (response.ok) here.push(await response.json<Item>());
    }
    for (const proposal of here) comments.push(...(await listAll(tenant, `${path}/${proposal.id}/comments`)));
    proposals.push(...here.map((proposal) => ({ ...proposal, ideaBankId: id })));
  }
  const byId = (items: readonly Item[]) => new Map(items.map((item) => [item.id, withoutCounts({ ...item })]));
  return {
    ideaBank: byId(ideaBanks),
    proposal: byId(proposals),
    comment: byId(comments),
    panelist: byId(await listAll(tenant, "/tenant/panelists")),
  };
}

type World = {
  panel: Panel;
  panelists: Awaited<ReturnType<Panel["panelist"]>>[];
  proposals: string[];
  comments: string[];
};
/** Refused requests are part of it: a proposal may be merged, or gone. */
type Act = (world: World, pick: <T>(from: readonly T[]) => T) => Promise<unknown>;

const at = (panel: Panel, below: string) => `/tenant/ideabanks/${panel.bank.id}${below}`;
const ACTS: Record<string, Act> = {
  propose: async ({ panel, proposals }) => proposals.push((await panel.propose({ status: "planned" })) ?? newId()),
  submit: async ({ panelists, proposals }, pick) =>
    proposals.push(
      await pick(panelists)
        .submit()
        .catch(() => newId("1")),
    ),
  edit: ({ panel, proposals }, pick) =>
    panel.tenant.send("PATCH", at(panel, `/proposals/${pick(proposals)}`), { title: newId() }),
  decide: ({ panel, proposals }, pick) =>
    panel.tenant.send("PATCH", at(panel, `/proposals/${pick(proposals)}`), {
      status: pick(["planned", "implemented", "submitted"]),
      visibility: pick(["public", "pending", "hidden"]),
    }),
  merge: ({ panel, proposals }, pick) =>
    panel.tenant.send("POST", at(panel, `/proposals/${pick(proposals)}/merge`), { into: pick(proposals) }),
  remove: ({ panel, proposals }, pick) => panel.tenant.send("DELETE", at(panel, `/proposals/${pick(proposals)}`)),
  withdraw: ({ panelists, proposals }, pick) => pick(panelists).send("DELETE", `${PROPOSALS}/${pick(proposals)}`),
  rewrite: ({ panelists, proposals }, pick) =>
    pick(panelists).send("PATCH", `${PROPOSALS}/${pick(proposals)}`, { title: newId() }),
  vote: ({ panelists, proposals }, pick) => pick(panelists).send("PUT", `${PROPOSALS}/${pick(proposals)}/vote`),
  comment: async ({ panelists, proposals, comments }, pick) => {
    const answer = await pick(panelists).send("POST", `${PROPOSALS}/${pick(proposals)}/comments`, { body: "B" });
    if (answer.ok) comments.push((await answer.json<Item>()).id);
  },
  reply: ({ panel, proposals }, pick) =>
    panel.tenant.send("POST", at(panel, `/proposals/${pick(proposals)}/comments`), { body: "B" }),
  moderate: ({ panel, proposals, comments }, pick) =>
    panel.tenant.send("DELETE", at(panel, `/proposals/${pick(proposals)}/comments/${pick([...comments, newId()])}`)),
  retract: ({ panelists, proposals, comments }, pick) =>
    pick(panelists).send("DELETE", `${PROPOSALS}/${pick(proposals)}/comments/${pick([...comments, newId()])}`),
  rename: ({ panel, panelists }, pick) =>
    panel.tenant.send("PATCH", `/tenant/panelists/${pick(panelists).id}`, { displayName: newId() }),
  leave: async ({ panel, panelists }, pick) => {
    const leaving = pick(panelists);
    if (panelists.length > 1) panelists.splice(panelists.indexOf(leaving), 1);
    await panel.tenant.send("DELETE", `/tenant/panelists/${panelists.includes(leaving) ? newId() : leaving.id}`);
  },
  open: ({ panel }, pick) =>
    panel.tenant.send("PATCH", at(panel, ""), { name: newId(), approvalRequired: pick([true, false]) }),
  another: async ({ panel }) => panel.tenant.send("POST", "/tenant/ideabanks", { name: newId() }),
  close: ({ panel }) => panel.tenant.send("DELETE", at(panel, "")),
  job: () => runJob(env),
  sql: ({ proposals }, pick) =>
    databaseOf("1").prepare("UPDATE proposals SET description = ?2 WHERE id = ?1").bind(pick(proposals), newId()).run(),
  many: async ({ panel, panelists, proposals }, pick) => {
    const answer = await panel.tenant.send("POST", at(panel, "/proposals"), { title: "T" });
    if (!answer.ok) return;
    const { id } = await answer.json<Item>();
    proposals.push(id);
    await addComments(panel.bank, id, pick(panelists).id, 60);
  },
};
/** Most acts leave the idea bank and the panelists there. */
const ACT = fc.oneof(
  { weight: 40, arbitrary: fc.constantFrom(...Object.keys(ACTS).filter((name) => !["close", "leave"].includes(name))) },
  { weight: 2, arbitrary: fc.constant("leave") },
  { weight: 1, arbitrary: fc.constant("close") },
);
const STEP = fc.record({
  act: ACT,
  choices: fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
  /** How many pages the client reads after it, of which size; and whether it forgets the last one, as after a crash. */
  reads: fc.constantFrom(0, 0, 0, 1, 2),
  limit: fc.constantFrom(1, 2, 5, 100),
  crashes: fc.boolean(),
});

it("a client that follows the feed holds what the lists hold, whatever it missed or read twice", {
  timeout: 300_000,
}, async () => {
  let seen = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { minLength: 20, maxLength: 60 }), async (steps) => {
      const panel = await createPanel({ digit: "1" }, createIsolate(withoutLimits(env)));
      const neighbour = await createPanel({ digit: "1" });
      const world: World = { panel, panelists: [], proposals: [await panel.propose()], comments: [] };
      for (const name of ["Robin", "Kim"]) world.panelists.push(await panel.panelist(name));
      const known = nothingKnown();
      let cursor: string | undefined;
      const follow = async (into: Known, limit: number, crashes: boolean) => {
        const query = `limit=${limit}${cursor === undefined ? "" : `&after=${cursor}`}`;
        const page = await (await panel.tenant.send("GET", `/tenant/changes?${query}`)).json<{
          items: Change[];
          nextCursor: string;
        }>();
        for (const change of page.items) upsert(into, change);
        if (!crashes) cursor = page.nextCursor;
        seen += page.items.length;
        return page.items.length;
      };
      for (const { act, choices, reads, limit, crashes } of steps) {
        let choice = 0;
        const pick = <T>(from: readonly T[]): T => from[(choices[choice++ % choices.length] ?? 0) % from.length] as T;
        await ACTS[act]?.(world, pick);
        await neighbour.propose();
        for (let read = 0; read < reads; read++) await follow(known, limit, crashes);
      }
      await runJob(env);
      while ((await follow(known, 100, false)) > 0);
      expect(known).toEqual(await list(panel, known));
      // So does one that reads the log from its beginning.
      const late = nothingKnown();
      for (cursor = undefined; (await follow(late, 100, false)) > 0; );
      expect(late).toEqual(known);
    }),
    { numRuns: 8, seed: 26, endOnFailure: true },
  );
  expect(seen).toBeGreaterThan(200);
});
