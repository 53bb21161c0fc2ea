/** What Undo never does, within its minute: show people a text that nobody of the team has read, or words of somebody who was blocked since. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { freeze } from "../../support/clock.ts";
import { createDesk } from "../../support/desk.ts";
import { runJob } from "../../support/job.ts";
import { ORIGIN } from "../../support/owner.ts";
import { PROPOSALS } from "../../support/panel.ts";

const eventOf = (answer: Response) => /(?:undo|redo)=(\w{12})/.exec(answer.headers.get("Location") ?? "")?.[1] ?? "";

async function createScene() {
  const desk = await createDesk();
  const { panel, owner, bank } = desk;
  const bo = await panel.panelist("Bo");
  const ana = await panel.panelist("Ana");
  return {
    ...{ ...desk, bo, ana },
    decide: async (id: string, fields: Record<string, string>) =>
      eventOf(await owner.submit(`${bank}/ideas/${id}`, { do: "decide", ...fields })),
    undo: (event: string, more: Record<string, string> = {}) => owner.submit("/undo", { event, ...more }),
    isSeen: async (id: string) => (await ana.send("GET", `${PROPOSALS}/${id}`)).status === 200,
    comments: async (id: string) =>
      (await ana.read<{ items: { body: string }[] }>(`${PROPOSALS}/${id}/comments`)).items.map(({ body }) => body),
  };
}

describe("an idea that waits", { tags: "slow" }, () => {
  async function createWaiting() {
    const scene = await createScene();
    await scene.panel.manage("PATCH", "", { approvalRequired: true });
    const id = await scene.bo.submit("Night buses");
    await scene.panel.manage("PATCH", `/proposals/${id}`, { visibility: "public" });
    return { ...scene, id };
  }

  it("becomes public again by Undo as it was read, and not with a text that its author has written since", async () => {
    const { id, bo, decide, undo, isSeen } = await createWaiting();
    const undone = await undo(await decide(id, { visibility: "pending" }));
    expect([undone.status, await isSeen(id)]).toEqual([303, true]);
    const event = await decide(id, { visibility: "pending" });
    expect((await bo.send("PATCH", `${PROPOSALS}/${id}`, { title: "Unseen" })).status).toBe(200);
    const refused = await undo(event);
    expect([refused.status, await isSeen(id)]).toEqual([409, false]);
    expect(await refused.text()).toContain("It was changed in the meantime, so nothing was undone.");
  });

  it("stays so when its approval is done again after an edit", async () => {
    const { owner, bank, bo, undo, isSeen } = await createWaiting();
    const id = await bo.submit("Trams");
    const approved = eventOf(await owner.submit(`${bank}/ideas/${id}`, { do: "approve" }));
    const undone = eventOf(await undo(approved));
    await bo.send("PATCH", `${PROPOSALS}/${id}`, { description: "Unseen" });
    expect((await undo(undone, { redo: "" })).status).toBe(409);
    expect(await isSeen(id)).toBe(false);
  });

  it("is left out where several are approved again", async () => {
    const { owner, bo, undo, isSeen } = await createWaiting();
    const ids = [await bo.submit("One"), await bo.submit("Two")];
    const html = await (await owner.page("/ideas?visibility=pending")).text();
    const chosen = [...html.matchAll(/name="ids" value="([^"]+)"/g)].map(([, value]) => value ?? "");
    const approved = eventOf(await owner.submit("/ideas", { ids: chosen, do: "public" }));
    const undone = eventOf(await undo(approved));
    await bo.send("PATCH", `${PROPOSALS}/${ids[0]}`, { description: "Unseen" });
    expect((await undo(undone, { redo: "" })).status).toBe(303);
    expect(await Promise.all(ids.map(isSeen))).toEqual([false, true]);
  });

  it("stays so when another decision about it is undone, at once and long after", async () => {
    const { id, owner, bank, bo, decide, undo, isSeen } = await createWaiting();
    const event = await decide(id, { visibility: "pending", response: "Soon." });
    await bo.send("PATCH", `${PROPOSALS}/${id}`, { title: "Unseen" });
    await undo(event);
    const html = await (await owner.page(`${bank}/ideas/${id}/history`)).text();
    for (const [, step = ""] of html.matchAll(/name="step" value="(\d+)"/g))
      await owner.submit(`${bank}/ideas/${id}/history`, { step });
    expect(await isSeen(id)).toBe(false);
  });
});

it("says why nothing is undone, offers no second try of the same, and leads back to the page", async () => {
  const { owner, panel, bank, decide } = await createScene();
  const id = await panel.propose();
  const back = `/account${bank}/ideas/${id}?back=%2Faccount%2Fideas`;
  const refused = async (event: string) => {
    const answer = await owner.submit("/undo", { event, back }, { Referer: `${ORIGIN}/account/undo` });
    const html = await answer.text();
    expect([answer.status, html.includes("Try again")]).toEqual([409, false]);
    expect(html).toContain(`href="${back}"`);
    return html;
  };
  const first = await decide(id, { status: "planned" });
  await decide(id, { status: "declined" });
  expect(await refused(first)).toContain("It was changed in the meantime, so nothing was undone.");
  const second = await decide(id, { status: "planned" });
  freeze(Date.now() + 61_000);
  expect(await refused(second)).toContain("A minute has passed, so nothing was undone.");
});

it.each(["block", "clear"])(
  "brings no comment back whose author was blocked since (%s)",
  { tags: "slow" },
  async (what) => {
    const { owner, panel, bank, bo, undo, comments } = await createScene();
    const id = await panel.propose();
    const path = `${bank}/ideas/${id}`;
    const write = async (body: string) =>
      (await (await bo.send("POST", `${PROPOSALS}/${id}/comments`, { body })).json<{ id: string }>()).id;
    const [first, second] = [await write("Rude"), await write("Also rude")];
    const deleted = eventOf(await owner.submit(path, { do: "delete-comment", commentId: first }));
    const hidden = eventOf(await owner.submit(path, { do: "hide-comment", commentId: second }));
    expect((await owner.submit(`/people/${bo.id}`, { do: what })).status).toBe(303);
    const refused = await undo(deleted);
    expect([refused.status, await comments(id)]).toEqual([409, []]);
    expect(await refused.text()).toContain("Its author was blocked in the meantime, so nothing was undone.");
    expect([(await undo(hidden)).status, await comments(id)]).toEqual([409, []]);
    await runJob(env);
    expect((await undo(deleted)).status).toBe(409);
    expect(await comments(id)).toEqual([]);
  },
);

it("brings back what was deleted of somebody who was blocked before", async () => {
  const { owner, panel, bank, bo, undo, comments } = await createScene();
  const id = await panel.propose();
  const written = await bo.send("POST", `${PROPOSALS}/${id}/comments`, { body: "Fine" });
  const { id: commentId } = await written.json<{ id: string }>();
  await owner.submit(`/people/${bo.id}`, { do: "block" });
  const deleted = eventOf(await owner.submit(`${bank}/ideas/${id}`, { do: "delete-comment", commentId }));
  expect((await undo(deleted)).status).toBe(303);
  expect(await comments(id)).toEqual(["Fine"]);
});

it.each(["block", "clear"])("shows no idea again whose author was blocked since (%s)", async (what) => {
  const { owner, bo, decide, undo, isSeen } = await createScene();
  const id = await bo.submit("Rude");
  const hidden = await decide(id, { visibility: "hidden" });
  await owner.submit(`/people/${bo.id}`, { do: what });
  const refused = await undo(hidden);
  expect([refused.status, await isSeen(id)]).toEqual([409, false]);
  expect(await refused.text()).toContain("nothing was undone.");
});
