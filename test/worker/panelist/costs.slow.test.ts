/** What the panelist API costs in rows, counted by D1: the same whatever an idea bank holds. And what a write costs, of whoever writes. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import operations from "../../../docs/operations.md?raw";
import schema from "../../../schema.sql?raw";
import { listForPanelist } from "../../../src/worker/database/proposals/panelist-proposals.ts";
import { type PanelistProposalFilter, SORTS } from "../../../src/worker/model/panelist-proposal.ts";
import { PROPOSAL_STATUSES } from "../../../src/worker/model/proposal.ts";
import { bindingOf, databaseOf, sessionOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { meterDatabase, meterDatabases } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { withoutLimits } from "../../support/limits.ts";
import { bodyOf, fillPath, operationsOf } from "../../support/operations.ts";
import { createPanel, PROPOSALS, sendWith } from "../../support/panel.ts";
import { makeSchema } from "../../support/schema-parts.ts";

const KEYS = { new: "created_at", top: "votes", hot: "hot", active: "last_activity_at" };

/** The database of the idea bank, and what it has counted since the last time it was asked. */
function createMeter(ideaBankId: string) {
  const counted = { read: 0, written: 0 };
  const database = meterDatabase(databaseOf(ideaBankId), (results) => {
    for (const { meta } of results) {
      counted.read += meta.rows_read;
      counted.written += meta.rows_written;
    }
  });
  const take = () => {
    const taken = { ...counted };
    Object.assign(counted, { read: 0, written: 0 });
    return taken;
  };
  return { database, take };
}

/** An idea bank with so many proposals, all of them a panelist's, and that panelist's vote for each. */
async function createScene(proposals: number) {
  const panel = await createPanel({}, createIsolate(withoutLimits(env)));
  const panelist = await panel.panelist("Robin");
  const { id, accountId } = panel.bank;
  // With so many rows they would take long. The vote's count is written beside the rows.
  const database = databaseOf(id);
  for (const trigger of ["vote_added", "quota_proposals_added"])
    await database.prepare(`DROP TRIGGER ${trigger}`).run();
  await database.batch([
    database
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
       INSERT INTO proposals
         (id, account_id, idea_bank_id, author_id, title, description, status, votes, created_at, last_activity_at)
       SELECT printf('pr%010d', i * 7919 % 100003), ?2, ?3, ?4, 'T', 'D', s.value, 1 + i % 50, ?6 + i * 1000, ?6 + i * 7919 % 100003
       FROM n JOIN json_each(?5) s ON s.key = i % json_array_length(?5)`,
      )
      .bind(proposals, accountId, id, panelist.id, JSON.stringify(PROPOSAL_STATUSES), Date.UTC(2026, 0, 1)),
    database.prepare("INSERT INTO votes SELECT id, author_id, account_id, idea_bank_id, created_at FROM proposals"),
  ]);
  await makeSchema(database, schema);
  return { panel, panelist, claims: { ideaBankId: id, panelistId: panelist.id, issuedAt: 1_900_000_000 } };
}

describe.each([10, 100_000])("with %d proposals", (proposals) => {
  it("each sort, with and without a status, reads at most 6 x (limit + 1) + 20 rows, first page and middle", async () => {
    const { claims } = await createScene(proposals);
    const { database, take } = createMeter(claims.ideaBankId);
    const session = sessionOf(database);
    for (const sort of SORTS) {
      for (const status of [undefined, "planned"] as const) {
        const filter: PanelistProposalFilter = { sort, status };
        const half = Math.floor(proposals / (status === undefined ? 2 : 12));
        const middle = await databaseOf(claims.ideaBankId)
          .prepare(
            `SELECT ${KEYS[sort]} AS key, id FROM proposals WHERE ?1 IS NULL OR status = ?1 ORDER BY 1 DESC, 2 DESC LIMIT 1 OFFSET ${half}`,
          )
          .bind(status ?? null)
          .first<{ key: number; id: string }>();
        for (const limit of [1, 20, 100]) {
          for (const after of [undefined, middle ?? undefined]) {
            const { page } = await listForPanelist(session, { token: claims, filter, request: { limit, after } });
            const title = JSON.stringify({ ...filter, limit, after });
            expect(take().read, title).toBeLessThanOrEqual(6 * (limit + 1) + 20);
            if (proposals > 1_000) expect(page.items, title).toHaveLength(limit);
          }
        }
      }
    }
  });
});

it("the lists of `mine` read what they show; with another sort or a status, the latest 100 or those that are passed over", async () => {
  const { claims } = await createScene(10_000);
  const { database, take } = createMeter(claims.ideaBankId);
  const session = sessionOf(database);
  for (const sort of SORTS) {
    for (const mine of ["submitted", "voted"] as const) {
      for (const status of [undefined, "planned"] as const) {
        for (const limit of [1, 20]) {
          const filter: PanelistProposalFilter = { sort, mine, status };
          const { page } = await listForPanelist(session, {
            token: claims,
            filter,
            request: { limit, after: undefined },
          });
          const shows = sort === "new" && (mine === "submitted" || status === undefined);
          const title = JSON.stringify({ ...filter, limit });
          if (shows) expect(page.items, title).toHaveLength(limit);
          // An item of a page: what names it twice (its size is added up first), itself, its author, whether voted, in its order.
          expect(take().read, title).toBeLessThanOrEqual(
            (shows && status === undefined ? 0 : 3 * 100) + 8 * (limit + 1) + 20,
          );
        }
      }
    }
  }
});

describe("a vote", () => {
  it.each(PROPOSAL_STATUSES)("for a proposal that is %s writes at most five rows; again, none", async (status) => {
    const panel = await createPanel();
    const [panelist, other] = [await panel.panelist(), await panel.panelist()];
    const id = await panel.propose({ status });
    const { database, take } = createMeter(panel.bank.id);
    const isolate = createIsolate({ ...env, [bindingOf(panel.bank.id)]: database });
    const send = async (method: string, token: string) => {
      await sendWith(isolate, token)(method, `${PROPOSALS}/${id}/vote`);
      return take().written;
    };
    for (const { token } of [panelist, other]) {
      const given = await send("PUT", token);
      expect(given).toBeGreaterThan(0);
      expect(given).toBeLessThanOrEqual(5);
      expect(await send("PUT", token)).toBe(0);
    }
    const taken = await send("DELETE", panelist.token);
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThanOrEqual(5);
    expect(await send("DELETE", panelist.token)).toBe(0);
  });
});

it("a write writes the rows that docs/operations.md names", async () => {
  const [, section = ""] = operations.split("## What a write costs");
  const documented = [...section.matchAll(/^\| ([^|]+) \| (\d+) \|/gm)].map(([, write, rows]) => [write, Number(rows)]);
  let written = 0;
  const metered = meterDatabases(env, (results) => {
    for (const { meta } of results) written += meta.rows_written;
  });
  const desk = await createDesk({ bindings: metered });
  const { panel, bank } = desk;
  const isolate = createIsolate(metered);
  const [author, other] = [await panel.panelist("Robin"), await panel.panelist("Kim")];
  const [theirs, own] = [
    await author.submit("Night buses on weekends"),
    await panel.propose({ title: "Shorter opening hours please" }),
  ];
  const as = ({ token }: typeof author) => sendWith(isolate, token);
  const byKey = (method: string, below: string, body: object) =>
    isolate.request(`/tenant/ideabanks/${panel.bank.id}/proposals${below}`, {
      method,
      headers: { "X-API-Key": panel.tenant.text, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  const path = `${bank}/ideas/${theirs}`;
  const decide = async (fields: Record<string, string>) => {
    const opened = await desk.opened(path, "Save");
    written = 0;
    return desk.owner.submit(path, { ...opened, do: "decide", ...fields });
  };
  const writes: Record<string, () => Promise<Response>> = {
    "a panelist votes": () => as(other)("PUT", `${PROPOSALS}/${theirs}/vote`),
    "a panelist takes the vote back": () => as(other)("DELETE", `${PROPOSALS}/${theirs}/vote`),
    "a panelist comments": () => as(other)("POST", `${PROPOSALS}/${theirs}/comments`, { body: "Yes." }),
    "a panelist submits an idea": () =>
      as(other)("POST", PROPOSALS, { title: "Night trains too please", description: "D" }),
    "a panelist changes its title: one word": () =>
      as(author)("PATCH", `${PROPOSALS}/${theirs}`, { title: "Night buses on weekdays" }),
    "an API key creates an idea": () => byKey("POST", "", { title: "More trees in town" }),
    "an API key changes its title: one word": () => byKey("PATCH", `/${own}`, { title: "Longer opening hours please" }),
    "an API key changes its status": () => byKey("PATCH", `/${own}`, { status: "planned" }),
    "an API key changes its metadata": () => byKey("PATCH", `/${own}`, { metadata: { ticket: "T-1" } }),
    "an API key sends what is there already": () => byKey("PATCH", `/${own}`, { status: "planned" }),
    "an API key comments": () => byKey("POST", `/${own}/comments`, { body: "Soon." }),
    "a member changes the status": () => decide({ status: "planned" }),
    "a member changes the status and responds": () => decide({ status: "in-progress", response: "We do it." }),
  };
  const counted: unknown[] = [];
  for (const [write, send] of Object.entries(writes)) {
    written = 0;
    const answer = await send();
    await answer.text();
    expect(answer.status, write).toBeLessThan(400);
    counted.push([write, written]);
  }
  expect(counted).toEqual(documented);
});

const participation = operationsOf("compoundToken").filter(({ path }) => path.startsWith("/ideabank/"));

/**
 * Where an index has no entry, SQLite may count the one that it looked at instead: a withdrawal looks into each table that can have something
 * of the proposal. Of up to 50 titles it is counted how rare a word is.
 */
const MORE: Readonly<Record<string, number>> = { listSimilarProposals: 50, withdrawProposal: 15 };

it("every operation reads and writes no more rows with 10,000 proposals than with 10", async () => {
  const costs = async (proposals: number) => {
    const { panel, panelist } = await createScene(proposals);
    const { database, take } = createMeter(panel.bank.id);
    const isolate = createIsolate(withoutLimits({ ...env, [bindingOf(panel.bank.id)]: database }));
    const found: Record<string, ReturnType<typeof take>> = {};
    for (const { name, operation, method, path } of participation) {
      const proposalId = await panelist.submit();
      const { id: commentId } = await (
        await panelist.send("POST", `${PROPOSALS}/${proposalId}/comments`, { body: "Mine." })
      ).json<{ id: string }>();
      const given =
        fillPath(path, { proposalId, commentId }) +
        (operation.query ? `?limit=1${path.endsWith("/similar") ? "&title=T" : ""}` : "");
      await sendWith(isolate, panelist.token)(method, given, bodyOf(operation));
      found[name] = take();
    }
    await database.prepare("DELETE FROM accounts WHERE id = ?1").bind(panel.bank.accountId).run();
    await database.prepare("DELETE FROM proposals").run();
    return found;
  };
  const [few, many] = [await costs(10), await costs(10_000)];
  for (const { name } of participation) {
    expect(few[name]?.read, name).toBeGreaterThan(0);
    expect(many[name]?.read, name).toBeLessThanOrEqual((few[name]?.read ?? 0) + (MORE[name] ?? 5));
    expect(many[name]?.written, name).toBe(few[name]?.written);
  }
});
