/** Merging proposals with many votes: accepted at once, moved in slices, each panelist counted once at each moment. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { continueMerge } from "../../../src/worker/database/proposals/merges.ts";
import { DatabaseOutage } from "../../../src/worker/store/outage.ts";
import { bindingOf, databaseOf, sessionOf } from "../../support/databases.ts";
import { interceptDatabase, meterDatabase } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { runJob } from "../../support/job.ts";
import { addVoters, addVotes, findMiscounts, numbers, voterId } from "../../support/many-rows.ts";
import { createPanel, PROPOSALS, sendWith } from "../../support/panel.ts";
import { tokenFor } from "../../support/world.ts";

type Proposal = { votes: number; voted: boolean; duplicateOf: string | null; merging: boolean };

/** `source` has the votes of the panelists 1 to 1,000, `target` those of 901 to 1,100. */
async function createScene() {
  const panel = await createPanel();
  const { bank } = panel;
  const [source, target] = [await panel.propose(), await panel.propose()];
  await addVoters(bank, 1, 1_100);
  await addVotes(bank, source, 1, 1_000);
  await addVotes(bank, target, 901, 1_100);
  const database = databaseOf(bank.id);
  const path = `/tenant/ideabanks/${bank.id}/proposals`;
  const merge = (from: string, into: string) => panel.tenant.send("POST", `${path}/${from}/merge`, { into });
  const load = async (id: string) => (await panel.tenant.send("GET", `${path}/${id}`)).json<Proposal>();
  const as = async (number: number) => {
    const send = sendWith(panel.isolate, await tokenFor(bank.id, voterId(bank, number)));
    return { send, read: async (id: string) => (await send("GET", `${PROPOSALS}/${id}`)).json<Proposal>() };
  };
  const finish = async () => {
    while (await continueMerge(sessionOf(database))) expect(await findMiscounts(bank)).toEqual([]);
  };
  return { panel, bank, source, target, database, path, merge, load, as, finish };
}

describe("a merge of many votes", () => {
  it("is accepted at once: the source names its target, and both say that votes are on their way", async () => {
    const { source, target, merge, load, bank } = await createScene();
    expect(await (await merge(source, target)).json()).toMatchObject({ votes: 250, merging: true, duplicateOf: null });
    expect(await load(source)).toMatchObject({ votes: 950, merging: true, duplicateOf: target });
    expect(await findMiscounts(bank)).toEqual([]);
    await runJob(env);
    expect(await load(target)).toMatchObject({ votes: 1_100, merging: false });
    expect(await load(source)).toMatchObject({ votes: 0, merging: false, duplicateOf: target });
    expect(await findMiscounts(bank)).toEqual([]);
  });

  it("writes at most 5,000 rows in a request, and again none when it is done", async () => {
    const { source, target, bank, panel, path, finish } = await createScene();
    let written = 0;
    const metered = meterDatabase(databaseOf(bank.id), (results) => {
      for (const { meta } of results) written += meta.rows_written;
    });
    const isolate = createIsolate({ ...env, [bindingOf(bank.id)]: metered });
    const merge = () =>
      isolate.request(`${path}/${source}/merge`, {
        method: "POST",
        headers: { "X-API-Key": panel.tenant.text, "Content-Type": "application/json" },
        body: JSON.stringify({ into: target }),
      });
    expect((await merge()).status).toBe(200);
    expect(written).toBeGreaterThan(100);
    expect(written).toBeLessThanOrEqual(1_000);
    await finish();
    written = 0;
    expect((await merge()).status).toBe(200);
    // The row that says which key acts, made and deleted.
    expect(written).toBe(2);
  });

  it("counts each panelist once at each moment, whoever votes and takes the vote back meanwhile", async () => {
    const { source, target, merge, as, load, finish, bank } = await createScene();
    await merge(source, target);
    const [onTheWay, both, other] = [await as(999), await as(950), await as(1_050)];
    for (const { read } of [onTheWay, both, other]) expect((await read(target)).voted).toBe(true);
    const again = await onTheWay.send("PUT", `${PROPOSALS}/${target}/vote`);
    expect(await again.json()).toEqual({ voted: true, votes: 250 });
    for (const { send, read } of [onTheWay, both, other]) {
      const taken = await send("DELETE", `${PROPOSALS}/${target}/vote`);
      expect(await taken.json()).toMatchObject({ voted: false });
      expect((await read(target)).voted).toBe(false);
    }
    expect(await findMiscounts(bank)).toEqual([]);
    await finish();
    for (const { read } of [onTheWay, both, other]) expect((await read(target)).voted).toBe(false);
    expect((await load(target)).votes).toBe(1_097);
  });

  it("ends whole when slices run at the same time, and when one is cut off between its statements", async () => {
    const { source, target, merge, load, database, bank } = await createScene();
    await merge(source, target);
    const cut = interceptDatabase(database, async (_, makeCall) => {
      await makeCall();
      throw new Error("Network connection lost.");
    });
    await expect(continueMerge(sessionOf(cut))).rejects.toThrow(DatabaseOutage);
    await Promise.all([continueMerge(sessionOf(database)), continueMerge(sessionOf(database)), runJob(env)]);
    await runJob(env);
    expect(await load(target)).toMatchObject({ votes: 1_100, merging: false });
    expect(await findMiscounts(bank)).toEqual([]);
  });

  it("keeps nothing twice in a chain, and everything follows to the last one", async () => {
    const { source, target, merge, load, panel, database, bank, finish } = await createScene();
    const third = await panel.propose();
    const fourth = await panel.propose();
    for (const [from, into] of [
      [source, target],
      [target, third],
      [third, fourth],
    ] as const)
      expect((await merge(from, into)).status).toBe(200);
    for (const id of [source, target, third]) expect((await load(id)).duplicateOf).toBe(fourth);
    expect(await findMiscounts(bank)).toEqual([]);
    await finish();
    for (const id of [source, target, third]) expect(await load(id)).toMatchObject({ duplicateOf: fourth, votes: 0 });
    expect(await load(fourth)).toMatchObject({ votes: 1_100, merging: false });
    expect(await database.prepare("SELECT count(*) AS n FROM votes").first("n")).toBe(1_100);
  });

  it("into what was merged is refused, and says which of the two was merged into which, and what to send", async () => {
    const { source, target, merge, panel } = await createScene();
    const third = await panel.propose();
    await merge(target, third);
    const refusals = [await merge(source, target), await merge(target, source)];
    for (const { status } of refusals) expect(status).toBe(409);
    expect(await Promise.all(refusals.map((refused) => refused.json()))).toMatchObject([
      {
        error: "conflict",
        duplicateOf: third,
        detail: `The proposal that \`into\` names was merged into ${third}. Send that one as \`into\`.`,
      },
      {
        error: "conflict",
        duplicateOf: third,
        detail: `This proposal was merged into ${third}. Change that proposal instead.`,
      },
    ]);
  });

  it("is refused while twenty others are under way in the idea bank, and taken afterwards", async () => {
    const { source, target, merge, panel, bank, finish } = await createScene();
    await merge(source, target);
    const others = await Promise.all(Array.from({ length: 19 }, () => panel.propose()));
    await databaseOf(bank.id).batch(
      others.map((id) =>
        databaseOf(bank.id)
          .prepare("INSERT INTO merges VALUES (?1, ?2, ?3, ?4)")
          .bind(id, target, bank.accountId, bank.id),
      ),
    );
    const [one, two] = [await panel.propose(), await panel.propose()];
    const refused = await merge(one, two);
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([409, "60"]);
    expect(await refused.json()).toMatchObject({ error: "conflict" });
    await finish();
    expect((await merge(one, two)).status).toBe(200);
  });

  it("ends when its source is deleted meanwhile: the votes that it had are the target's", async () => {
    const { source, target, merge, load, panel, path, bank } = await createScene();
    await merge(source, target);
    expect((await panel.tenant.send("DELETE", `${path}/${source}`)).status).toBe(204);
    expect((await panel.tenant.send("GET", `${path}/${source}`)).status).toBe(403);
    await runJob(env);
    expect(await load(target)).toMatchObject({ votes: 1_100, merging: false });
    expect(await findMiscounts(bank)).toEqual([]);
    expect(await databaseOf(bank.id).prepare("SELECT id FROM proposals").all()).toMatchObject({
      results: [{ id: target }],
    });
  });

  it("takes along what was merged into its source before, also when the source is deleted meanwhile", async () => {
    const { source, target, merge, load, panel, database, path, bank } = await createScene();
    const earlier = 120;
    await database
      .prepare(
        `${numbers(1, earlier)} INSERT INTO proposals
           (id, account_id, idea_bank_id, title, description, duplicate_of, created_at, last_activity_at)
         SELECT substr(?2, 1, 8) || (i + 1000), ?1, ?2, 'T', '', ?3, i, i FROM n`,
      )
      .bind(bank.accountId, bank.id, source)
      .run();
    await merge(source, target);
    const ids = [1, earlier].map((number) => `${bank.id.slice(0, 8)}${number + 1000}`);
    for (const id of ids) expect(await load(id)).toMatchObject({ duplicateOf: target });
    expect((await panel.tenant.send("DELETE", `${path}/${source}`)).status).toBe(204);
    for (const id of ids) expect(await load(id)).toMatchObject({ duplicateOf: target });
    await runJob(env);
    for (const id of ids) expect(await load(id)).toMatchObject({ duplicateOf: target });
    const count = database.prepare("SELECT count(*) AS n FROM proposals WHERE idea_bank_id = ?1").bind(bank.id);
    expect(await count.first("n")).toBe(earlier + 1);
    expect(await findMiscounts(bank)).toEqual([]);
  });

  it("of what more proposals were merged into than one slice holds takes all of them along", async () => {
    const panel = await createPanel();
    const { bank } = panel;
    const path = `/tenant/ideabanks/${bank.id}/proposals`;
    const [first, last] = [await panel.propose(), await panel.propose()];
    const merge = async (from: string, into: string) =>
      expect((await panel.tenant.send("POST", `${path}/${from}/merge`, { into })).status).toBe(200);
    const sources: string[] = [];
    for (let number = 0; number < 60; number++) {
      const source = await panel.propose();
      sources.push(source);
      await merge(source, first);
    }
    await addVoters(bank, 1, 3);
    await addVotes(bank, first, 1, 3);
    await merge(first, last);
    const targets = async () => {
      const read = await Promise.all(
        [...sources, first].map((id) =>
          panel.tenant.send("GET", `${path}/${id}`).then((each) => each.json<Proposal>()),
        ),
      );
      return new Set(read.map(({ duplicateOf }) => duplicateOf));
    };
    expect(await targets()).toEqual(new Set([last]));
    await runJob(env);
    expect(await targets()).toEqual(new Set([last]));
    const { results } = await databaseOf(bank.id)
      .prepare("SELECT duplicate_of, count(*) AS number FROM proposals WHERE duplicate_of IS NOT NULL GROUP BY 1")
      .all();
    expect(results).toEqual([{ duplicate_of: last, number: 61 }]);
    const merged = await (await panel.tenant.send("GET", `${path}/${last}`)).json<Proposal>();
    expect(merged).toMatchObject({ votes: 3, merging: false });
    expect(await findMiscounts(bank)).toEqual([]);
  });

  it.each(["target", "idea bank"])("ends when its %s is deleted meanwhile: nothing is left", async (what) => {
    const { source, target, merge, panel, path, bank, as } = await createScene();
    const third = await panel.propose();
    await merge(source, target);
    await merge(target, third);
    const deleted = what === "target" ? `${path}/${third}` : `/tenant/ideabanks/${bank.id}`;
    expect((await panel.tenant.send("DELETE", deleted)).status).toBe(204);
    const { send } = await as(1);
    for (const id of [source, target, third]) {
      expect((await panel.tenant.send("GET", `${path}/${id}`)).status).toBe(403);
      expect((await send("GET", `${PROPOSALS}/${id}`)).status).toBe(404);
    }
    await runJob(env);
    for (const table of ["proposals", "votes", "merges", "deleted_idea_banks"])
      expect(await databaseOf(bank.id).prepare(`SELECT count(*) AS n FROM ${table}`).first("n"), table).toBe(0);
    expect(await findMiscounts(bank)).toEqual([]);
  });
});
