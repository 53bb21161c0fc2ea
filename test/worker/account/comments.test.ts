/** `/account/comments`: the comments of all boards, and what is decided there about each. */
import { describe, expect, it } from "vitest";
import { databaseOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { numbers } from "../../support/many-rows.ts";
import { createOwner } from "../../support/owner.ts";
import { PROPOSALS } from "../../support/panel.ts";
import { readForm } from "../../support/read-forms.ts";

const DOES: Readonly<Record<string, string>> = {
  ...{ Approve: "approve-comment", "Make public": "approve-comment", Hide: "hide-comment", Delete: "delete-comment" },
  ...{ Block: "block", Unblock: "unblock" },
};
const APPROVE = { do: "approve-comment" };

async function createScene() {
  const desk = await createDesk();
  const { panel, owner } = desk;
  await panel.manage("PATCH", "", { commentApprovalRequired: true });
  const robin = await panel.panelist("Robin");
  const id = await panel.propose({ title: "Night <buses>" });
  const path = `${PROPOSALS}/${id}/comments`;
  return {
    ...{ ...desk, robin, id, path },
    write: async (body: string) => (await robin.send("POST", path, { body })).json<{ id: string }>(),
    read: async (query = "") => (await owner.page(`/comments${query}`)).text(),
    shown: async () =>
      (
        await (
          await panel.manage("GET", `/proposals/${id}/comments`)
        ).json<{ items: { id: string; visibility: string }[] }>()
      ).items,
    /** The first form of the page with this button, as a browser sends it. */
    press: async (button: string, query = "") => {
      const fields = await desk.opened(`/comments${query}`, button);
      const answer = await owner.submit("/comments", { ...fields, do: DOES[button] ?? "" });
      return (await owner.page((answer.headers.get("Location") ?? "").replace("/account", ""))).text();
    },
  };
}

const textsIn = (html: string) => [...html.matchAll(/class="pending-text">([^<]*)</g)].map(([, text]) => text);
const olderIn = (html: string) =>
  /href="\/account\/comments(\?[^"]*cursor=[^"]+)" rel="next"/.exec(html)?.[1]?.replaceAll("&amp;", "&");

describe("the list", { tags: "slow" }, () => {
  it("has the comments of all boards, the newest first, with author, idea and board", async () => {
    const { panel, write, read, id } = await createScene();
    await write("First <one>");
    const { id: other } = await (await panel.tenant.send("POST", "/tenant/ideabanks", { name: "Other" })).json<{
      id: string;
    }>();
    const at = `/tenant/ideabanks/${other}/proposals`;
    const { id: idea } = await (await panel.tenant.send("POST", at, { title: "Trams" })).json<{ id: string }>();
    await panel.tenant.send("POST", `${at}/${idea}/comments`, { body: "The team’s" });
    const html = await read();
    expect(textsIn(html)).toEqual(["The team’s", "First &lt;one&gt;"]);
    for (const part of [
      "<bdi>Robin</bdi>",
      "<strong>Your team</strong>",
      "<bdi>Night &lt;buses&gt;</bdi>",
      "<bdi>Other</bdi>",
    ])
      expect(html).toContain(part);
    expect(html).toContain(`/account/idea-banks/${panel.bank.id}/ideas/${id}?back=`);
    expect(textsIn(await read(`?board=${other}`))).toEqual(["The team’s"]);
    expect(textsIn(await read("?show=waiting"))).toEqual(["First &lt;one&gt;"]);
    expect(textsIn(await read(`?show=waiting&board=${other}`))).toEqual([]);
  });

  it("comes in pages, also of what waits", async () => {
    const { panel, id, read } = await createScene();
    await databaseOf(id)
      .prepare(
        `${numbers(1, 45)} INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, body, created_at, visibility)
         SELECT substr(?1, 1, 1) || printf('%011d', i), ?1, ?2, ?3, 'Number ' || i, i, iif(i % 2, 'pending', 'public') FROM n`,
      )
      .bind(panel.bank.accountId, panel.bank.id, id)
      .run();
    for (const [query, count] of [
      ["?", 45],
      ["?show=waiting", 23],
    ] as const) {
      const all: (string | undefined)[] = [];
      for (let at: string | undefined = query; at !== undefined; ) {
        const html: string = await read(at);
        all.push(...textsIn(html));
        at = olderIn(html);
      }
      expect(all).toHaveLength(count);
      expect(all[0]).toBe("Number 45");
      expect(new Set(all).size).toBe(count);
    }
  });

  it("has another account's board as if there were none, and decides nothing there", async () => {
    const { panel, id, write, shown } = await createScene();
    const { id: comment } = await write("Mine");
    const stranger = createOwner();
    await stranger.submit("/idea-banks", { name: "Theirs" });
    expect(textsIn(await (await stranger.page(`/comments?board=${panel.bank.id}`)).text())).toEqual([]);
    for (const what of ["approve-comment", "hide-comment", "delete-comment"]) {
      const fields = {
        commentId: comment,
        ideaBankId: panel.bank.id,
        proposalId: id,
        was: "pending",
        seen: "Mine",
        do: what,
      };
      expect((await stranger.submit("/comments", fields)).status).not.toBe(303);
    }
    expect(await shown()).toMatchObject([{ id: comment, visibility: "pending" }]);
  });
});

describe("deciding", () => {
  it("approves what was read, and Undo takes it back", { tags: "slow" }, async () => {
    const { write, press, shown, owner } = await createScene();
    await write("Line one\nline two");
    const html = await press("Approve", "?show=waiting");
    expect(html).toContain("Comment approved.");
    expect(await shown()).toMatchObject([{ visibility: "public" }]);
    const event = /name="event" value="(\w+)"/.exec(html)?.[1] ?? "";
    const undone = await owner.submit("/undo", { event, back: "/account/comments" });
    const back = await (await owner.page((undone.headers.get("Location") ?? "").replace("/account", ""))).text();
    expect(back).toContain("Comment waits for approval again.");
    expect(await shown()).toMatchObject([{ visibility: "pending" }]);
  });

  it("does not approve a text that was changed since, or that somebody has decided about", {
    tags: "slow",
  }, async () => {
    const { robin, path, write, opened, owner, shown, panel, id } = await createScene();
    const { id: comment } = await write("Harmless");
    const fields = await opened("/comments", "Approve");
    await robin.send("PATCH", `${path}/${comment}`, { body: "Not harmless" });
    expect((await owner.submit("/comments", { ...fields, ...APPROVE })).status).toBe(409);
    const again = await opened("/comments", "Approve");
    await panel.manage("PATCH", `/proposals/${id}/comments/${comment}`, { visibility: "hidden" });
    expect((await owner.submit("/comments", { ...again, ...APPROVE })).status).toBe(409);
    expect(await shown()).toMatchObject([{ visibility: "hidden" }]);
  });

  it("hides, makes public again, and deletes, each with Undo", { tags: "slow" }, async () => {
    const { write, press, shown } = await createScene();
    await write("A comment");
    expect(await press("Hide")).toContain("Comment hidden.");
    expect(await shown()).toMatchObject([{ visibility: "hidden" }]);
    expect(await press("Make public")).toContain("Comment made public.");
    expect(await shown()).toMatchObject([{ visibility: "public" }]);
    expect(await press("Delete")).toContain("Comment deleted.");
    expect(await shown()).toEqual([]);
  });

  it("blocks its author and ends that, from beside the comment", { tags: "slow" }, async () => {
    const { write, press, robin, path } = await createScene();
    await write("A comment");
    expect(await press("Block")).toContain("Robin blocked.");
    expect((await robin.send("POST", path, { body: "Another" })).status).toBe(401);
    expect(await press("Unblock")).not.toContain('class="pill bad">Blocked');
  });

  it("of a text that is shown in part can only hide it", async () => {
    const { write, read } = await createScene();
    await write("x".repeat(1_001));
    const html = await read();
    expect([html.includes(">Approve<"), html.includes(">Hide<"), html.includes("Read the full text")]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it("approves several that were read, each an event of its own, says what it left out, and Undo takes all back", {
    tags: "slow",
  }, async () => {
    const { robin, path, write, shown, owner, read } = await createScene();
    const written = [await write("One\ntwo"), await write("Three"), await write("Four"), await write("Five")];
    await write("x".repeat(1_001));
    const html = await read("?show=waiting");
    const form = await readForm(new Response(html), "Approve selected");
    const ids = [...html.matchAll(/name="ids" value="([^"]+)"/g)].map(([, value]) => value ?? "");
    // Nobody approves a text that is shown in part.
    expect(ids).toHaveLength(4);
    const fields = { ...Object.fromEntries(form.fields), do: "approve-several" };
    const open = async (answer: Response) =>
      (await owner.page((answer.headers.get("Location") ?? "").replace("/account", ""))).text();
    expect(await open(await owner.submit("/comments", fields))).toContain("Choose at least one comment.");
    // One was changed since, and one was not chosen.
    await robin.send("PATCH", `${path}/${written[1]?.id}`, { body: "Not harmless" });
    const chosen = ids.filter((each) => !each.endsWith(`-${written[3]?.id}`));
    const approved = await open(await owner.submit("/comments", { ...fields, ids: chosen }));
    expect(approved).toContain("2 comments approved.");
    expect(approved).toContain("1 comment was left out: changed or decided about in the meantime.");
    const visible = async () =>
      (await shown())
        .filter(({ visibility }) => visibility === "public")
        .map(({ id }) => id)
        .toSorted();
    expect(await visible()).toEqual([written[0]?.id, written[2]?.id].toSorted());
    expect((await owner.events()).filter(({ event }) => event === "comment-changed")).toHaveLength(2);
    const undo = await readForm(new Response(approved), "Undo");
    const undone = await owner.submit("/undo", {
      event: undo.fields.getAll("event"),
      back: undo.fields.get("back") ?? "",
    });
    expect(await open(undone)).toContain("The comments wait for approval again.");
    expect(await visible()).toEqual([]);
    // A minute later, or twice, there is nothing to undo.
    expect((await owner.submit("/undo", { event: undo.fields.getAll("event") })).status).toBe(409);
    // One alone is told as one.
    const one = await owner.submit("/comments", { ...fields, ids: ids.slice(-1) });
    expect(await open(one)).toContain("Comment approved.");
    const many = Array.from({ length: 21 }, (_, index) => `${ids[0]}${index}`);
    expect((await owner.submit("/comments", { ...fields, ids: many })).status).toBe(400);
  });

  it("works on the idea's page, too", { tags: "slow" }, async () => {
    const { write, opened, owner, bank, id, shown, page } = await createScene();
    await write("A comment");
    const at = `${bank}/ideas/${id}`;
    expect(await page(at)).toContain('<span class="pill warn">Waiting for approval</span>');
    await owner.submit(at, { ...(await opened(at, "Approve")), ...APPROVE });
    expect(await shown()).toMatchObject([{ visibility: "public" }]);
  });
});

it("the navigation says how many comments wait, and the place of ideas and comments together", async () => {
  const { write, page, panel } = await createScene();
  await write("One");
  await write("Two");
  await panel.propose({ visibility: "pending" });
  const html = await page("/comments");
  expect(html).toContain('<a href="/account/comments" aria-current="page">Comments<span class="count">2<span');
  expect(html).toContain('Ideas<span class="count">3<span');
});

it("a hidden comment of a merged idea says so under the idea that was kept", { tags: "slow" }, async () => {
  const { panel, bank, write, id, page } = await createScene();
  const { id: comment } = await write("Rude");
  await panel.manage("PATCH", `/proposals/${id}/comments/${comment}`, { visibility: "hidden" });
  const into = await panel.propose({ title: "Kept" });
  await panel.manage("POST", `/proposals/${id}/merge`, { into });
  const [, merged = ""] = (await page(`${bank}/ideas/${into}`)).split("Merged into this idea");
  expect(merged).toMatch(/<span class="pill warn">Hidden<\/span>.*?Rude/s);
});
