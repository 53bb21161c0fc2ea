/** No panelist ever sees another's id or external id, or which proposals another votes for: in no byte of any answer. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { SORTS } from "../../../src/worker/model/panelist-proposal.ts";
import { databaseOf } from "../../support/databases.ts";
import { createIsolate } from "../../support/isolate.ts";
import { withoutLimits } from "../../support/limits.ts";
import { bodyOf, fillPath, operationsOf } from "../../support/operations.ts";
import { CHANGELOG, createPanel, listPath, type Panelist, PROPOSALS } from "../../support/panel.ts";
import { newId } from "../../support/world.ts";

/** Four panelists who have done everything that panelists can do to each other's proposals, and a tenant who has answered. */
async function createScene() {
  const panel = await createPanel({}, createIsolate(withoutLimits(env)));
  const [viewer, robin, kim, gone] = [
    await panel.panelist("The viewer"),
    await panel.panelist("Robin"),
    await panel.panelist("Kim"),
    await panel.panelist("Gone"),
  ];
  const everyone = [viewer, robin, kim, gone];
  for (const { id } of everyone)
    await panel.tenant.send("PATCH", `/tenant/panelists/${id}`, { email: `${id}@nightjar.example` });
  const own = await viewer.submit("The viewer's");
  const proposals = [own, await robin.submit("Robin's"), await kim.submit("Kim's"), await gone.submit("Somebody's")];
  const [, robins = "", kims = "", somebodys = ""] = proposals;
  for (const id of proposals)
    for (const { send } of everyone) await send("POST", `${PROPOSALS}/${id}/comments`, { body: `A comment on ${id}.` });
  for (const id of [own, robins, kims])
    for (const { send } of [robin, gone]) await send("PUT", `${PROPOSALS}/${id}/vote`);
  await viewer.send("PUT", `${PROPOSALS}/${kims}/vote`);
  await panel.manage("POST", `/proposals/${kims}/comments`, { body: "The tenant's." });
  await panel.manage("PATCH", `/proposals/${robins}`, { status: "implemented", response: { text: "Here it is." } });
  await panel.manage("POST", `/proposals/${somebodys}/merge`, { into: robins });
  for (const visibility of ["pending", "hidden"])
    await panel.manage("PATCH", `/proposals/${await kim.submit(visibility)}`, { visibility });
  expect((await panel.tenant.send("DELETE", `/tenant/panelists/${gone.id}`)).status).toBe(204);
  const { results } = await databaseOf(panel.bank.id).prepare("SELECT id, proposal_id FROM comments").all<{
    id: string;
    proposal_id: string;
  }>();
  return { panel, viewer, robin, kim, gone, own, proposals, robins, kims, comments: results };
}

type Scene = Awaited<ReturnType<typeof createScene>>;

async function bytesOf(response: Response): Promise<string> {
  return JSON.stringify([response.status, [...response.headers], await response.text()]);
}

/** Every byte that the panelist can read, by what was asked. Nothing in it changes with time. */
async function readEverything({ proposals }: Scene, { send }: Panelist): Promise<Record<string, string>> {
  const lists = SORTS.flatMap((sort) =>
    [undefined, "submitted", "voted"].flatMap((mine) => ["1", "100"].map((limit) => listPath({ sort, mine, limit }))),
  );
  const single = proposals.flatMap((id) => [id, `${id}/comments`, `${id}/comments?limit=1`]);
  const paths = ["/ideabank", CHANGELOG, ...lists, ...single.map((below) => `${PROPOSALS}/${below}`)];
  const bytes: Record<string, string> = {};
  for (const path of paths) bytes[path] = await bytesOf(await send("GET", path, undefined, { "X-Request-Id": "same" }));
  return bytes;
}

describe("every byte that a panelist can read", () => {
  it("has no id and no external id of any panelist, and no id of the account", async () => {
    const scene = await createScene();
    const { panel, viewer, robin, kim, gone } = scene;
    const bytes = Object.values(await readEverything(scene, viewer));
    // And every operation on every proposal and comment, most of which are not the panelist's to change.
    for (const { proposal_id: proposalId, id: commentId } of scene.comments) {
      for (const { operation, method, path } of operationsOf("compoundToken")) {
        for (const body of operation.body ? [bodyOf(operation), { panelistId: 1 }] : [undefined]) {
          const response = await viewer.send(method, fillPath(path, { proposalId, commentId }), body, {
            "Idempotency-Key": newId(),
          });
          bytes.push(await bytesOf(response));
        }
      }
    }
    const all = bytes.join("\n");
    expect(all).toContain("Robin");
    expect(all).toContain("Kim");
    const secrets = [viewer, robin, kim, gone].flatMap(({ id, externalId }) => [id, externalId]);
    for (const secret of [...secrets, "nightjar", panel.bank.accountId, panel.tenant.id])
      expect(all).not.toContain(secret);
  });

  it("has nothing of what the tenant alone keeps with a proposal: its external id, its metadata", async () => {
    const scene = await createScene();
    const { panel, viewer, proposals, comments } = scene;
    for (const [index, id] of proposals.entries())
      await panel.manage("PATCH", `/proposals/${id}`, {
        externalId: `secret-id-${index}`,
        metadata: { "secret-name": `secret-text-${index}` },
        tags: ["Seen"],
      });
    const bytes = Object.values(await readEverything(scene, viewer));
    for (const proposalId of proposals) {
      for (const { operation, method, path } of operationsOf("compoundToken")) {
        const commentId = comments.find(({ proposal_id }) => proposal_id === proposalId)?.id ?? newId();
        const response = await viewer.send(method, fillPath(path, { proposalId, commentId }), bodyOf(operation));
        bytes.push(await bytesOf(response));
      }
    }
    const all = bytes.join("\n");
    expect(all).toContain("Seen");
    expect(all).not.toMatch(/secret-|externalId|metadata/);
  });

  it("is the same when other panelists have voted for other proposals", async () => {
    const scene = await createScene();
    const { viewer, robin, panel } = scene;
    const another = await panel.panelist();
    const before = await readEverything(scene, viewer);
    const votesOf = async () =>
      (await databaseOf(robin.id).prepare("SELECT proposal_id, panelist_id FROM votes ORDER BY 1, 2").all()).results;
    const votes = await votesOf();
    // Robin's votes become somebody else's: as many for each proposal as before.
    await databaseOf(robin.id)
      .prepare("UPDATE votes SET panelist_id = ?2, created_at = created_at + 1 WHERE panelist_id = ?1")
      .bind(robin.id, another.id)
      .run();
    expect(await votesOf()).not.toEqual(votes);
    expect(await readEverything(scene, viewer)).toEqual(before);
  });

  it("is the same when other panelists have other ids and other external ids", async () => {
    const scene = await createScene();
    const { viewer, robin, panel } = scene;
    const before = await readEverything(scene, viewer);
    const another = await panel.panelist("Robin");
    for (const [table, column] of [
      ["proposals", "author_id"],
      ["comments", "panelist_id"],
      ["votes", "panelist_id"],
    ])
      await databaseOf(robin.id)
        .prepare(`UPDATE ${table} SET ${column} = ?2 WHERE ${column} = ?1`)
        .bind(robin.id, another.id)
        .run();
    expect(await readEverything(scene, viewer)).toEqual(before);
  });

  it("has exactly the documented fields", async () => {
    const { viewer, kims } = await createScene();
    expect(Object.keys(await viewer.read<object>(`${PROPOSALS}/${kims}`))).toEqual([
      "id",
      "title",
      "description",
      "status",
      "tags",
      "votes",
      "comments",
      "voted",
      "mine",
      "by",
      "author",
      "visibility",
      "response",
      "duplicateOf",
      "createdAt",
      "lastActivityAt",
    ]);
    const { items } = await viewer.read<{ items: object[] }>(`${PROPOSALS}/${kims}/comments`);
    for (const item of items) expect(Object.keys(item)).toEqual(["id", "by", "author", "mine", "body", "createdAt"]);
  });
});
