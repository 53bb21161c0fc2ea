/** Comments that wait for approval, and hidden ones: nobody but the author and the team sees a word of them. And the same text twice. */
import { describe, expect, it, vi } from "vitest";
import { SORTS } from "../../../src/worker/model/panelist-proposal.ts";
import { freeze } from "../../support/clock.ts";
import { selectEverywhere } from "../../support/databases.ts";
import { createIsolate } from "../../support/isolate.ts";
import { withoutLimits } from "../../support/limits.ts";
import { fillPath, operationsOf } from "../../support/operations.ts";
import { createPanel, listPath, type Panelist, PROPOSALS, sendWith } from "../../support/panel.ts";
import { open } from "../../support/public-page.ts";
import { giveAddress, telling } from "../../support/told.ts";
import { tokenFor } from "../../support/world.ts";

type Comment = { id: string; body: string; createdAt: string; visibility?: string };
type Page = { items: Comment[] };
type Proposal = { comments: number; lastActivityAt: string };

const SECRET = "Nobody else reads this";

async function createScene(settings: object = { commentApprovalRequired: true }) {
  freeze(Date.now());
  const panel = await createPanel({ changelogEnabled: true }, createIsolate(withoutLimits(telling)));
  await panel.manage("PATCH", "", { publicPage: true, approvalRequired: false, ...settings });
  const [robin, kim] = [await panel.panelist("Robin"), await panel.panelist("Kim")];
  const id = await panel.propose({ title: "Night buses" });
  const path = `${PROPOSALS}/${id}/comments`;
  const below = `/proposals/${id}/comments`;
  const later = () => vi.setSystemTime(Date.now() + 1_000);
  const add = async (by: Panelist, body = SECRET) => {
    later();
    return (await by.send("POST", path, { body })).json<Comment>();
  };
  const changes = async () =>
    (
      await (await panel.tenant.send("GET", "/tenant/changes?limit=100")).json<{ items: { type: string }[] }>()
    ).items.filter(({ type }) => type.startsWith("comment."));
  return {
    ...{ panel, robin, kim, id, path, below, add, later, changes },
    proposal: (by: Panelist) => by.read<Proposal>(`${PROPOSALS}/${id}`),
    set: (commentId: string, visibility: string) => panel.manage("PATCH", `${below}/${commentId}`, { visibility }),
  };
}

type Scene = Awaited<ReturnType<typeof createScene>>;

/** Every byte that somebody can read: of each operation of the panelist API that reads, and of each page of the board. */
async function readEverything({ panel, id }: Scene, send: Panelist["send"], comments: readonly string[]) {
  const bytes: string[] = [];
  const note = async (answer: Response) => bytes.push(JSON.stringify([...answer.headers]) + (await answer.text()));
  for (const { method, path } of operationsOf("compoundToken"))
    if (method === "GET")
      for (const commentId of comments) await note(await send(method, fillPath(path, { proposalId: id, commentId })));
  for (const sort of SORTS) await note(await send("GET", listPath({ sort, q: undefined })));
  const home = `/b/${panel.bank.id}/an-idea-bank`;
  for (const below of ["", `/ideas/${id}`, "/roadmap", "/changelog"]) {
    const page = await open(panel.isolate, home + below);
    expect(page.status).toBe(200);
    await note(page);
  }
  await note(await open(panel.isolate, "/sitemap.xml"));
  return bytes.join("\n");
}

describe("a comment that waits", () => {
  it("is answered and listed as pending to its author alone, and not counted", async () => {
    const { panel, robin, kim, path, below, add, proposal } = await createScene();
    const before = await proposal(kim);
    const added = await add(robin);
    expect(added).toMatchObject({ body: SECRET, visibility: "pending" });
    expect((await robin.read<Page>(path)).items).toEqual([added]);
    expect((await kim.read<Page>(path)).items).toEqual([]);
    expect(await proposal(kim)).toEqual(before);
    expect(await (await panel.manage("GET", below)).json()).toMatchObject({ items: [{ visibility: "pending" }] });
  });

  it("has no word in anything that anybody else reads, and neither has a hidden one", { tags: "slow" }, async () => {
    const scene = await createScene();
    const { panel, robin, kim, add, set, changes } = scene;
    const [waiting, hidden] = [await add(robin), await add(robin, `${SECRET}, either`)];
    await set(hidden.id, "hidden");
    const ids = [waiting.id, hidden.id];
    const issued = await panel.manage("POST", "/tokens", { visitor: true });
    const visitor = sendWith(panel.isolate, (await issued.json<{ token: string }>()).token);
    for (const send of [kim.send, visitor]) {
      const all = await readEverything(scene, send, ids);
      expect(all).toContain("Night buses");
      for (const word of [SECRET, ...ids]) expect(all).not.toContain(word);
    }
    expect(JSON.stringify(await changes())).toBe("[]");
    expect(await selectEverywhere("SELECT * FROM outbox")).toEqual([]);
    // Its author sees what waits, and not what was hidden.
    const own = await readEverything(scene, robin.send, ids);
    expect([own.includes(waiting.id), own.includes(hidden.id)]).toEqual([true, false]);
  });

  it("cannot be told from one that is not there, by anybody else", async () => {
    const { robin, kim, path, add } = await createScene();
    const { id } = await add(robin);
    for (const [method, body] of [["PATCH", { body: "Changed." }], ["DELETE"]] as const) {
      const answer = await kim.send(method, `${path}/${id}`, body);
      expect([answer.status, (await answer.json<{ error: string }>()).error]).toEqual([404, "comment-not-found"]);
    }
  });

  it("is edited and deleted by its author, and no change tells of it", async () => {
    const { robin, path, add, changes } = await createScene();
    const { id } = await add(robin);
    expect(await (await robin.send("PATCH", `${path}/${id}`, { body: "Better." })).json()).toMatchObject({
      ...{ body: "Better.", visibility: "pending" },
    });
    expect((await robin.send("DELETE", `${path}/${id}`)).status).toBe(204);
    expect((await robin.read<Page>(path)).items).toEqual([]);
    expect(await changes()).toEqual([]);
  });

  it("comes in pages with the others, in their order", { tags: "slow" }, async () => {
    const { panel, robin, kim, path, below, add, set } = await createScene();
    const all: string[] = [];
    for (let index = 0; index < 9; index++) {
      const { id } = await add(index % 3 === 0 ? robin : kim, `Number ${index}`);
      all.push(id);
      if (index % 3 === 1) await set(id, "public");
    }
    const listed = async (by: (path: string) => Promise<Page & { nextCursor?: string }>, at: string) => {
      const ids: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await by(`${at}?limit=2${cursor === undefined ? "" : `&cursor=${cursor}`}`);
        ids.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      return ids;
    };
    const isShown = (to: number) => (_: string, index: number) => index % 3 === 1 || index % 3 === to;
    expect(await listed(robin.read, path)).toEqual(all.filter(isShown(0)));
    expect(await listed(kim.read, path)).toEqual(all.filter(isShown(2)));
    const team = async (at: string) => (await panel.manage("GET", at)).json<Page & { nextCursor?: string }>();
    expect(await listed(team, below)).toEqual(all.toReversed());
  });
});

describe("approval", () => {
  it("shows and counts it, is activity, and is the first change that tells of it", async () => {
    const { robin, kim, path, add, set, proposal, changes } = await createScene();
    const before = await proposal(kim);
    const { id, createdAt } = await add(robin);
    const approved = await (await set(id, "public")).json<Comment>();
    expect(approved).toMatchObject({ id, visibility: "public" });
    const [seen] = (await kim.read<Page>(path)).items;
    expect(seen).toMatchObject({ id, body: SECRET, mine: false });
    expect(seen).not.toHaveProperty("visibility");
    expect(await proposal(kim)).toMatchObject({
      comments: before.comments + 1,
      lastActivityAt: createdAt,
    });
    expect(await changes()).toMatchObject([{ type: "comment.created", by: "tenant", comment: { id, body: SECRET } }]);
  });

  it("twice at once counts once and is one change", async () => {
    const { robin, kim, add, set, proposal, changes } = await createScene();
    const { id } = await add(robin);
    await Promise.all([set(id, "public"), set(id, "public")]);
    expect(await proposal(kim)).toMatchObject({ comments: 1 });
    expect(await changes()).toHaveLength(1);
  });

  it("at the same time as hiding, editing, deleting and replying leaves a count that is true", {
    tags: "slow",
  }, async () => {
    const { panel, robin, kim, path, add, set, proposal } = await createScene();
    const { id } = await add(robin);
    const edit = () => robin.send("PATCH", `${path}/${id}`, { body: "Edited meanwhile." });
    await Promise.all([set(id, "public"), set(id, "hidden"), edit(), add(kim, "A reply."), set(id, "public")]);
    await Promise.all([
      panel.manage("DELETE", `/proposals/${path.split("/")[3]}/comments/${id}`),
      edit(),
      set(id, "hidden").catch(() => {}),
    ]);
    const rows = await selectEverywhere<{ n: number }>(
      "SELECT count(*) AS n FROM comments WHERE visibility = 'public'",
    );
    const shown = rows.reduce((sum, { n }) => sum + n, 0);
    expect(await proposal(kim)).toMatchObject({ comments: shown });
    expect((await kim.read<Page>(path)).items.filter(({ visibility }) => visibility === undefined)).toHaveLength(shown);
  });

  it("is needed again after an edit by the author, and is then no second creation", { tags: "slow" }, async () => {
    const { robin, kim, path, add, set, proposal, changes } = await createScene();
    const { id } = await add(robin);
    await set(id, "public");
    const edited = await robin.send("PATCH", `${path}/${id}`, { body: `${SECRET} now` });
    expect(await edited.json()).toMatchObject({ visibility: "pending" });
    expect([(await kim.read<Page>(path)).items, (await proposal(kim)).comments]).toEqual([[], 0]);
    const log = await changes();
    expect(log).toMatchObject([
      { type: "comment.created" },
      { type: "comment.updated", by: "panelist", comment: null },
    ]);
    expect(JSON.stringify(log)).not.toContain(SECRET);
    await set(id, "public");
    expect((await changes()).map(({ type }) => type)).toEqual([
      "comment.created",
      "comment.updated",
      "comment.updated",
    ]);
    expect(await proposal(kim)).toMatchObject({ comments: 1 });
  });

  it("is when those who follow the idea are told, not before, and once", async () => {
    const { robin, kim, id, path, add, set } = await createScene();
    await giveAddress(kim.id);
    expect((await kim.send("PUT", `${PROPOSALS}/${id}/follow`)).status).toBe(204);
    const { id: comment } = await add(robin);
    const outbox = () => selectEverywhere<{ kind: string }>("SELECT kind FROM outbox");
    expect(await outbox()).toEqual([]);
    await set(comment, "public");
    expect(await outbox()).toEqual([{ kind: "comments" }]);
    await selectEverywhere("DELETE FROM outbox");
    await robin.send("PATCH", `${path}/${comment}`, { body: "Changed." });
    await set(comment, "public");
    await set(comment, "hidden");
    await set(comment, "public");
    expect(await outbox()).toEqual([]);
  });

  it("with If-Match is of what was read", async () => {
    const { panel, robin, path, below, add, set } = await createScene();
    const { id } = await add(robin);
    const etag = (await set(id, "pending")).headers.get("ETag") ?? "";
    await robin.send("PATCH", `${path}/${id}`, { body: "Something else." });
    const at = `/tenant/ideabanks/${panel.bank.id}${below}/${id}`;
    const answer = await panel.tenant.send("PATCH", at, { visibility: "public" }, { "If-Match": etag });
    expect(answer.status).toBe(412);
  });
});

it("the team's own comments never wait, and the text of a panelist's stays the panelist's", async () => {
  const { panel, robin, kim, path, below, add } = await createScene();
  await panel.manage("POST", below, { body: "Thank you." });
  await panel.manage("POST", below, { body: "By phone.", panelistId: robin.id });
  expect((await kim.read<Page>(path)).items.map(({ body }) => body).toSorted()).toEqual(["By phone.", "Thank you."]);
  const { id } = await add(robin);
  const at = `/tenant/ideabanks/${panel.bank.id}${below}/${id}`;
  const refused = await panel.tenant.send("PATCH", at, { body: "Ours.", visibility: "public" });
  expect(refused.status).toBe(403);
  expect((await kim.read<Page>(path)).items).toHaveLength(2);
});

const SAME = "The same text as before.";

describe("the same text again by the same person", () => {
  const of = async (answer: Response) => [answer.status, (await answer.json<{ error?: string }>()).error];

  it("is refused on the idea and within a day on the board, for this person alone", async () => {
    const { panel, robin, kim, path, add, later } = await createScene({});
    await add(robin, SAME);
    later();
    expect(await of(await robin.send("POST", path, { body: SAME }))).toEqual([409, "repeated-comment"]);
    const other = `${PROPOSALS}/${await panel.propose()}/comments`;
    expect(await of(await robin.send("POST", other, { body: SAME }))).toEqual([409, "repeated-comment"]);
    expect((await kim.send("POST", path, { body: SAME })).status).toBe(201);
    const short = { body: "+1" };
    expect((await kim.send("POST", path, short)).status).toBe(201);
    expect((await kim.send("POST", other, short)).status).toBe(201);
    expect(await of(await kim.send("POST", other, short))).toEqual([409, "repeated-comment"]);
    vi.setSystemTime(Date.now() + 86_400_000);
    const back = { send: sendWith(panel.isolate, await tokenFor(panel.bank.id, robin.id)) };
    expect(await of(await back.send("POST", path, { body: SAME }))).toEqual([409, "repeated-comment"]);
    expect((await back.send("POST", other, { body: SAME })).status).toBe(201);
    expect((await back.send("POST", path, { body: "Something else." })).status).toBe(201);
    expect(await of(await back.send("POST", path, { body: SAME }))).toEqual([409, "repeated-comment"]);
  });

  it("is decided in the statement: of thirty at once one is there", { tags: "slow" }, async () => {
    const { robin, path } = await createScene({});
    const answers = await Promise.all(Array.from({ length: 30 }, () => robin.send("POST", path, { body: "Same." })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(29).fill(409)]);
    expect((await robin.read<Page>(path)).items).toHaveLength(1);
  });

  it("with the same Idempotency-Key gets its first answer", async () => {
    const { robin, path } = await createScene();
    const send = () => robin.send("POST", path, { body: "Same." }, { "Idempotency-Key": "once" });
    const [first, again] = [await send(), await send()];
    expect([again.status, again.headers.get("Idempotency-Replayed")]).toEqual([201, "true"]);
    expect(await again.json()).toEqual(await first.json());
  });
});
