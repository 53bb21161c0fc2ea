/** The lists of the panelist API: their sorts, filters and pages, against a sort of everything. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { PROPOSAL_STATUSES } from "../../../src/worker/model/proposal.ts";
import { databaseOf } from "../../support/databases.ts";
import { createIsolate } from "../../support/isolate.ts";
import { withoutLimits } from "../../support/limits.ts";
import { createPanel, listPath, type Panelist, PROPOSALS, sendWith } from "../../support/panel.ts";
import { addIdeaBank, tokenFor } from "../../support/world.ts";

type Item = {
  id: string;
  votes: number;
  voted: boolean;
  mine: boolean;
  status: string;
  createdAt: string;
  lastActivityAt: string;
};
type Page = { items: Item[]; nextCursor?: string };

const SORTS = ["new", "top", "hot", "active"];
const MINE = [undefined, "submitted", "voted"];
const filters = [undefined, ...PROPOSAL_STATUSES].flatMap((status) => MINE.map((mine) => ({ status, mine })));

const WEEK = 7 * 86_400_000;
/** What a sort puts first is what has most of this (the one for `hot`: a week for each doubling of the votes). */
const KEYS: Record<string, (item: Item) => number> = {
  new: ({ createdAt }) => Date.parse(createdAt),
  top: ({ votes }) => votes,
  hot: ({ createdAt, votes }) => Date.parse(createdAt) + Math.trunc(WEEK * Math.log2(votes + 1)),
  active: ({ lastActivityAt }) => Date.parse(lastActivityAt),
};

const sorted = (items: readonly Item[], sort: string): Item[] => {
  const key = KEYS[sort] ?? (() => 0);
  return items.toSorted((a, b) => key(b) - key(a) || (a.id < b.id ? 1 : -1));
};

/** 60 proposals, of which the panelist has submitted some and votes for some (at once); many share their times and their votes. */
async function createScene(): Promise<Panelist> {
  const panel = await createPanel({}, createIsolate(withoutLimits(env)));
  const panelist = await panel.panelist();
  const others = await Promise.all(Array.from({ length: 4 }, () => panel.panelist()));
  const { id, accountId } = panel.bank;
  const base = Date.UTC(2026, 0, 1);
  await databaseOf(id)
    .prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
     INSERT INTO proposals (id, account_id, idea_bank_id, author_id, title, description, status, created_at, last_activity_at)
     SELECT printf('pr%010d', (i * 7919) % 100003), ?1, ?2, iif(i % 5 < 2, ?3, NULL), 'T', 'D', s.value, ?4 + i / 5 * 86400000,
       ?4 + i % 9 * 86400000
     FROM n JOIN json_each(?5) s ON s.key = i % json_array_length(?5)`,
    )
    .bind(accountId, id, panelist.id, base, JSON.stringify(PROPOSAL_STATUSES))
    .run();
  for (const [index, voter] of [panelist, ...others].entries()) {
    await databaseOf(id)
      .prepare(
        `INSERT INTO votes SELECT id, ?1, account_id, idea_bank_id, created_at FROM proposals WHERE idea_bank_id = ?2 AND rowid / ?4 % 7 >= ?3 + 2`,
      )
      // Some of each status.
      .bind(voter.id, id, index, PROPOSAL_STATUSES.length)
      .run();
  }
  return panelist;
}

async function readAll(panelist: Panelist, parameters: Record<string, string | undefined>): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page: Page = await panelist.read<Page>(listPath({ ...parameters, cursor }));
    items.push(...page.items);
    expect(items.length).toBeLessThanOrEqual(60);
    cursor = page.nextCursor;
    if (cursor !== undefined) expect(page.items).toHaveLength(Number(parameters.limit));
  } while (cursor !== undefined);
  return items;
}

it.each(SORTS)(
  "sort=%s gives the right ones in the right order, by any filter and in pages of any size",
  async (sort) => {
    const panelist = await createScene();
    const everything = await readAll(panelist, { limit: "100" });
    expect(everything).toHaveLength(60);
    for (const { status, mine } of filters) {
      const wanted = everything.filter(
        (item) =>
          (status === undefined || item.status === status) &&
          (mine !== "submitted" || item.mine) &&
          (mine !== "voted" || item.voted),
      );
      const title = JSON.stringify({ sort, status, mine });
      expect(wanted.length, title).toBeGreaterThan(1);
      for (const limit of ["100", "3"])
        expect(await readAll(panelist, { sort, status, mine, limit }), title).toEqual(sorted(wanted, sort));
    }
  },
);

describe("a cursor", () => {
  it("of another idea bank is refused, also of the same account", async () => {
    const panel = await createPanel();
    const panelist = await panel.panelist();
    for (const title of ["One", "Two"]) await panelist.submit(title);
    const { nextCursor: cursor = "" } = await panelist.read<Page>(listPath({ limit: "1" }));
    const { id } = await addIdeaBank({ accountId: panel.bank.accountId });
    const there = sendWith(panel.isolate, await tokenFor(id, panelist.id));
    expect((await panelist.send("GET", listPath({ cursor }))).status).toBe(200);
    expect((await there("GET", listPath({ cursor }))).status).toBe(400);
  });

  it("belongs to its sort, filters and idea bank, and cannot be changed", async () => {
    const panelist = await createScene();
    const { nextCursor: cursor = "" } = await panelist.read<Page>(
      listPath({ sort: "top", status: "planned", limit: "2" }),
    );
    expect(cursor).not.toBe("");
    const status = async (parameters: Record<string, string>) =>
      (await panelist.send("GET", listPath({ cursor, ...parameters }))).status;
    expect(await status({ sort: "top", status: "planned" })).toBe(200);
    expect(await status({ sort: "top", status: "planned", limit: "1" })).toBe(200);
    const changed = cursor.slice(0, -1) + (cursor.endsWith("x") ? "y" : "x");
    for (const parameters of [
      { sort: "hot", status: "planned" },
      { sort: "top" },
      { sort: "top", status: "declined" },
      { sort: "top", status: "planned", mine: "voted" },
      { sort: "top", status: "planned", cursor: changed },
      { sort: "top", status: "planned", cursor: "" },
    ])
      expect(await status(parameters), JSON.stringify(parameters)).toBe(400);
    const comments = await panelist.send("GET", `${PROPOSALS}/${await panelist.submit()}/comments?cursor=${cursor}`);
    expect(comments.status).toBe(400);
  });

  it("of `top` goes on after its row, whatever the votes do meanwhile: nothing that stays is missed", async () => {
    const panelist = await createScene();
    const first = await panelist.read<Page>(listPath({ sort: "top", limit: "10" }));
    const [leader] = first.items;
    // The last of the page loses all its votes, and so moves behind the cursor.
    await databaseOf(panelist.id)
      .prepare("DELETE FROM votes WHERE proposal_id = ?1")
      .bind(first.items.at(-1)?.id)
      .run();
    const rest: Item[] = [];
    let cursor = first.nextCursor;
    while (cursor !== undefined) {
      const page: Page = await panelist.read<Page>(listPath({ sort: "top", limit: "10", cursor }));
      rest.push(...page.items);
      expect(rest.length).toBeLessThanOrEqual(60);
      cursor = page.nextCursor;
    }
    const seen = new Set([...first.items, ...rest].map(({ id }) => id));
    expect(seen.size).toBe(60);
    expect(rest.map(({ id }) => id)).not.toContain(leader?.id);
  });
});
