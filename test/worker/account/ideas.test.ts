/** The owner's pages of ideas: the list, several at once, one idea, merging, undoing. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { databaseOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { interceptDatabases } from "../../support/intercept-binding.ts";
import { addVoters, addVotes } from "../../support/many-rows.ts";
import { createOwner } from "../../support/owner.ts";
import { createPanel } from "../../support/panel.ts";
import { readForm } from "../../support/read-forms.ts";

const titlesIn = (html: string) => [...html.matchAll(/<h2 dir="auto"><a [^>]*>([^<]*)</g)].map(([, title]) => title);
const locationOf = (answer: Response) => answer.headers.get("Location")?.replace(/^\/account/, "") ?? "";

/** The form with this button, as its user changes and sends it. */
async function send(desk: Desk, path: string, button: string, changes: Record<string, string>): Promise<Response> {
  const form = await readForm(await desk.owner.page(path), button);
  return desk.owner.submit(form.action.replace("/account", ""), { ...Object.fromEntries(form.fields), ...changes });
}
type Desk = Awaited<ReturnType<typeof createDesk>>;

it("a text of somebody else does not turn the words of the activity around", async () => {
  const { owner, panel, bank, page } = await createDesk();
  const id = await panel.propose({ title: "Buses", description: "before" });
  const changed = await panel.manage("PATCH", `/proposals/${id}`, { description: "\u202eafter\u2066 all" });
  expect(changed.status).toBe(200);
  await owner.submit(`${bank}/ideas/${id}`, { do: "edit", title: "Buses", description: "new" });
  const activity = await page("/activity");
  expect(activity).toContain("Description: after all → new.");
  expect(activity).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
});

describe("the ideas of an idea bank", () => {
  it("are found by status, visibility, tag and words, in pages", { tags: "slow" }, async () => {
    const { panel, bank, page } = await createDesk();
    const empty = await page(bank);
    expect([empty.includes("No ideas yet."), empty.includes("Clear filters")]).toEqual([true, false]);
    await panel.propose({ title: "Night <buses>", status: "planned", tags: ["Bus"] });
    await panel.propose({ title: "Dogs", tags: ["Bus", "Dog"], visibility: "hidden" });
    await panel.propose({ title: "Ferries at night" });
    const titles = async (query: string) => titlesIn(await page(`${bank}${query}`));
    expect(await titles("")).toEqual(["Ferries at night", "Dogs", "Night &lt;buses&gt;"]);
    await panel.propose({ title: "Sunday boats", status: "implemented" });
    const tabs = (await page(bank)).match(/<nav class="tabs".*?<\/nav>/s)?.[0].replaceAll(/<[^>]+>/g, "|");
    const parts = tabs?.split(/\|+ ?/) ?? [];
    const counts = parts.map((tab, at) => [tab, /^\d+$/.test(parts[at + 1] ?? "") ? parts[at + 1] : undefined]);
    expect(Object.fromEntries(counts)).toMatchObject({
      ...{ All: "4", Open: "3", "No response yet": undefined, Submitted: "2", "Under review": undefined },
      ...{ Planned: "1", "In progress": undefined, Done: "1", Declined: undefined },
    });
    expect(await titles("?status=planned&tag=&q=")).toEqual(["Night &lt;buses&gt;"]);
    expect(await titles("?visibility=hidden")).toEqual(["Dogs"]);
    expect(await titles("?tag=Bus")).toEqual(["Dogs", "Night &lt;buses&gt;"]);
    expect((await titles("?q=night")).toSorted()).toEqual(["Ferries at night", "Night &lt;buses&gt;"]);
    expect(await page(`${bank}?q=zebra`)).toMatch(/Clear filters.*No ideas match\./s);
    const more = (await page(`${bank}?tag=Bus&limit=1`)).match(/href="\/account([^"]*cursor=[^"]*)"/)?.[1];
    expect(await titles(more?.replace(bank, "").replaceAll("&amp;", "&") ?? "")).toEqual(["Night &lt;buses&gt;"]);
    expect((await createOwner().page(bank)).status).toBe(404);
  });

  it("get a status, tags and approval several at once, and the page comes back to where it was", {
    tags: "slow",
  }, async () => {
    const desk = await createDesk();
    const { panel, owner, bank, page, idea, activity, changes } = desk;
    const ids = [
      await panel.propose({ title: "One", tags: ["Old"] }),
      await panel.propose({ title: "Two", visibility: "hidden" }),
      await panel.propose({ title: "Three" }),
    ];
    const [one = "", two = "", three = ""] = ids;
    const foreign = await (await createPanel()).propose();
    const back = `/account${bank}?tag=Old&q=x`;
    const act = (fields: Record<string, string>, chosen = [one, two, foreign]) =>
      owner.submit(bank, { ids: chosen, back, ...fields });
    const answer = await act({ do: "status", status: "planned" });
    const [undo = ""] = locationOf(answer).match(/(?<=undo=)\w+$/) ?? [];
    expect(locationOf(answer)).toBe(`${bank}?tag=Old&q=x&undo=${undo}`);
    expect([(await idea(one)).status, (await idea(two)).status, (await idea(three)).status]).toEqual([
      "planned",
      "planned",
      "submitted",
    ]);
    await act({ do: "tag", tag: " New " });
    expect([(await idea(one)).tags, (await idea(two)).tags]).toEqual([["Old", "New"], ["New"]]);
    await act({ do: "untag", tag: "Old" }, [one]);
    expect((await idea(one)).tags).toEqual(["New"]);
    expect((await act({ do: "tag", tag: "new" }, [one])).status).toBe(303);
    expect((await idea(one)).tags).toEqual(["New"]);
    await act({ do: "public" }, [two]);
    expect((await idea(two)).visibility).toBe("public");
    const events = await activity();
    expect(events.map(({ event }) => event).filter((event) => event.startsWith("proposal"))).toEqual([
      "proposal-changed",
      "proposal-changed",
      "proposals-changed",
      "proposals-changed",
    ]);
    expect(events.filter(({ proposals }) => proposals)).toMatchObject([
      { changes: { before: {}, after: {} }, proposals: { count: 2 } },
      {
        actor: owner.email,
        subject: null,
        changes: { before: { status: "submitted" }, after: { status: "planned" } },
        proposals: {
          count: 2,
          first: [
            { id: one, name: "One", ideaBankId: panel.bank.id },
            { id: two, name: "Two" },
          ],
        },
      },
    ]);
    const words = (await owner.page("/activity").then((answer) => answer.text())).replace(/<[^>]*>/g, "");
    expect(words).toContain("2 ideas: “One”, “Two” changed");
    expect(words).toContain("Status: Submitted → Planned.");
    expect(events[0]).toMatchObject({
      subject: { id: two, name: "Two", ideaBankId: panel.bank.id },
      actor: owner.email,
      changes: { before: { visibility: "hidden" }, after: { visibility: "public" } },
    });
    expect((await changes()).at(-1)).toMatchObject({ type: "proposal.updated", by: "tenant", proposalId: two });
    // What waits is approved where its text is shown.
    const pending = await panel.propose({ title: "Four", visibility: "pending" });
    const left = locationOf(await act({ do: "public" }, [pending]));
    expect(left).toBe(`${bank}?tag=Old&q=x&told=waiting-left-out&left=1`);
    expect(await page(left)).toContain(
      `1 idea was left out: it’s waiting for approval. <a href="/account/ideas?visibility=pending&amp;board=${panel.bank.id}">Read and approve it</a>`,
    );
    expect((await idea(pending)).visibility).toBe("pending");
    expect(await page(`${bank}/ideas/${pending}`)).toContain(`>Approve</button>`);
    // With nothing chosen the page says so, with its filters.
    const nothing = locationOf(await act({ do: "public" }, []));
    expect(nothing).toBe(`${bank}?tag=Old&q=x&told=nothing-chosen`);
    expect(await page(nothing)).toContain("Choose at least one idea.");
    expect((await act({ do: "status", status: "nonsense" })).status).toBe(400);
    // It leads to no other site, whoever has sent the form.
    const elsewhere = await owner.submit(bank, { ids: [one], do: "hidden", back: "https://evil.example/account" });
    expect(locationOf(elsewhere)).toMatch(new RegExp(`^${bank}\\?undo=`));
  });

  it("get a status several at once where it is as the list showed it; the others stay selected", {
    tags: "slow",
  }, async () => {
    const { panel, owner, bank, page, idea } = await createDesk();
    const [one, two, three] = [await panel.propose(), await panel.propose(), await panel.propose()];
    const list = await page(bank);
    const ids = [one, two, three].map((id) => list.match(new RegExp(`value="(\\w+-${id}[^"]*)"`))?.[1] ?? "");
    await panel.manage("PATCH", `/proposals/${two}`, { status: "declined" });
    await panel.manage("PATCH", `/proposals/${three}`, { status: "planned" });
    const act = (chosen: readonly string[]) =>
      owner.submit(bank, { ids: [...chosen], do: "status", status: "planned", back: `/account${bank}` });
    const answer = await act(ids);
    const statuses = async () => [(await idea(one)).status, (await idea(two)).status, (await idea(three)).status];
    expect(await statuses()).toEqual(["planned", "declined", "planned"]);
    const after = await page(locationOf(answer));
    const words = after.replaceAll(/<[^>]*>/g, "");
    expect(words).toContain(
      "Somebody else changed 1 idea while your list was open: The tenant&#39;s is now Declined. It stays selected.",
    );
    expect(after).toContain(`href="/account${bank}/ideas/${two}?back=`);
    expect(after).toContain("Undo");
    const checked = [...after.matchAll(/name="ids" value="([^"]+)" checked=""/g)].map(([, value]) => value);
    expect(checked).toEqual([`${panel.bank.id}-${two}-declined`]);
    // A filter that it fits no longer hides it from the list, not from the notice.
    const filtered = locationOf(answer).replace("?", "?status=submitted&");
    expect((await page(filtered)).replaceAll(/<[^>]*>/g, "")).toContain("The tenant&#39;s is now Declined.");
    expect(await page(filtered)).not.toContain("stays selected");
    // Whoever has seen that decides again.
    await act(checked.map(String));
    expect(await statuses()).toEqual(["planned", "planned", "planned"]);
  });

  it("are as before when what was just decided is undone, but what others have changed since", {
    tags: "slow",
  }, async () => {
    const desk = await createDesk();
    const { panel, owner, bank, page, idea, activity } = desk;
    const [one, two] = [
      await panel.propose({ title: "One" }),
      await panel.propose({ title: "Two", status: "planned" }),
    ];
    const there = locationOf(await owner.submit(bank, { ids: [one, two], do: "status", status: "declined" }));
    const html = await page(there);
    expect(html).toContain("2 ideas set to Declined.");
    await panel.manage("PATCH", `/proposals/${two}`, { status: "implemented" });
    const undone = await send(desk, there, "Undo", {});
    expect([(await idea(one)).status, (await idea(two)).status]).toEqual(["submitted", "implemented"]);
    expect(await page(locationOf(undone))).toContain("“One” is now Submitted (was Declined).");
    expect((await activity())[0]).toMatchObject({ event: "proposal-changed", subject: { id: one } });
    // Nothing is left of it to undo.
    const again = await send(desk, there, "Undo", {});
    expect([again.status, (await again.text()).includes("nothing was undone")]).toEqual([409, true]);
    // Nobody undoes another account's.
    const event = there.match(/undo=(\w+)/)?.[1] ?? "";
    expect((await createOwner().submit("/undo", { event })).status).toBe(409);
  });

  it("keep their date in the changelog when a decision is undone, unless something has happened since", async () => {
    const desk = await createDesk();
    const { panel, owner, bank, idea } = desk;
    const start = Date.now();
    const made = { status: "implemented", createdAt: new Date(start - 86_400_000).toISOString() };
    const [one, two] = [await panel.propose(made), await panel.propose(made)];
    const there = locationOf(await owner.submit(bank, { ids: [one, two], do: "status", status: "planned" }));
    expect(Date.parse(String((await idea(one)).lastActivityAt))).toBeGreaterThanOrEqual(start);
    vi.setSystemTime(start + 10_000);
    const commented = new Date(start + 10_000).toISOString();
    await panel.manage("POST", `/proposals/${two}/comments`, { body: "Sorry, not yet." });
    await send(desk, there, "Undo", {});
    expect(await idea(one)).toMatchObject({ status: "implemented", lastActivityAt: made.createdAt });
    expect(await idea(two)).toMatchObject({ status: "implemented", lastActivityAt: commented });
  });

  it("are not undone after a minute", async () => {
    const desk = await createDesk();
    const { panel, owner, bank, page, idea } = desk;
    const one = await panel.propose();
    const there = locationOf(await owner.submit(bank, { ids: [one], do: "hidden" }));
    const form = await readForm(await owner.page(there), "Undo");
    await databaseOf(panel.bank.accountId).prepare("UPDATE audit_events SET created_at = created_at - 60001").run();
    expect(await page(there)).not.toContain("Undo");
    expect((await owner.submit("/undo", Object.fromEntries(form.fields))).status).toBe(409);
    expect((await idea(one)).visibility).toBe("hidden");
  });
});

describe("one idea", () => {
  it("changes as its forms were changed, and in nothing else", { tags: "slow" }, async () => {
    const desk = await createDesk();
    const { panel, bank, idea, page } = desk;
    const text = "One.\nTwo.";
    const id = await panel.propose({ title: "Night buses", description: text, tags: ["A", "B"], response: { text } });
    const path = `${bank}/ideas/${id}`;
    const form = await readForm(await desk.owner.page(path), "Save");
    await panel.manage("PATCH", `/proposals/${id}`, { visibility: "hidden" });
    const answer = await desk.owner.submit(path, {
      ...Object.fromEntries(form.fields),
      ...{ do: "decide", status: "planned", tags: "B, A,C" },
    });
    expect(locationOf(answer)).toMatch(new RegExp(`^${path}\\?undo=\\w{12}$`));
    expect(await idea(id)).toMatchObject({
      ...{ status: "planned", visibility: "hidden", tags: ["B", "A", "C"], description: text, response: { text } },
    });
    expect(await page(locationOf(answer))).toContain("Status: Submitted → Planned. Tags: A, B → B, A, C.");
    await send(desk, path, "Save text", { do: "edit", title: "Later buses" });
    await send(desk, path, "Save response", { do: "decide", response: "" });
    expect(await idea(id)).toMatchObject({ title: "Later buses", description: text, response: null });
    const refused = await send(desk, path, "Save", { do: "decide", tags: "a,b,c,d,e,f" });
    expect([refused.status, (await refused.text()).includes(">Use at most 5 tags.<")]).toEqual([400, true]);
  });

  it("says when it leaves the changelog, and only then", { tags: "slow" }, async () => {
    const desk = await createDesk();
    const { panel, bank, page } = desk;
    const says = async (status: string, fields: Record<string, string>, visibility = "public") => {
      const path = `${bank}/ideas/${await panel.propose({ title: "Night buses", status, visibility })}`;
      const html = await page(locationOf(await send(desk, path, "Save", { do: "decide", ...fields })));
      return html.includes("Removed from the changelog.");
    };
    expect(await says("implemented", { status: "planned" })).toBe(true);
    expect(await says("implemented", { visibility: "hidden" })).toBe(true);
    expect(await says("implemented", { tags: "Bus" })).toBe(false);
    expect(await says("planned", { visibility: "hidden" })).toBe(false);
    expect(await says("implemented", { status: "planned" }, "hidden")).toBe(false);
    await panel.manage("PATCH", "", { changelogEnabled: false });
    expect(await says("implemented", { status: "planned" })).toBe(false);
  });

  it("is refused in an owner’s words, and shows what a colleague has set in the meantime", {
    tags: "slow",
  }, async () => {
    const desk = await createDesk();
    const { panel, owner, bank } = desk;
    const id = await panel.propose({ title: "Night buses", status: "submitted" });
    const path = `${bank}/ideas/${id}`;
    const long = await (
      await send(desk, path, "Post comment", { do: "comment", body: `${"夜".repeat(20_000)} ` })
    ).text();
    expect(long).toContain('<a href="#body">Comment is too long: 20,000 of 10,000 characters.</a>');
    const empty = await (await send(desk, path, "Post comment", { do: "comment", body: " " })).text();
    expect(empty).toContain('<a href="#body">Comment is empty.</a>');
    const opened = Object.fromEntries((await readForm(await owner.page(path), "Post response")).fields);
    await panel.manage("PATCH", `/proposals/${id}`, { status: "planned", response: { text: "A colleague’s" } });
    const refused = await owner.submit(path, { ...opened, do: "decide", response: "Mine" });
    const { fields } = await readForm(refused, "Save mine all the same");
    expect(fields.get("response")).toBe("Mine");
    await owner.submit(path, Object.fromEntries(fields));
    expect(await desk.idea(id)).toMatchObject({ status: "planned", response: { text: "Mine" } });
  });

  it("names the visibilities in a list, and says below who can see the idea", { tags: "slow" }, async () => {
    const { panel, bank, page } = await createDesk();
    const visibilityOf = async (visibility: "public" | "hidden") =>
      (await page(`${bank}/ideas/${await panel.propose({ visibility })}`))
        .match(/<select id="visibility".*?<p id="visibility-hint".*?<\/p>/s)?.[0]
        .replaceAll(/<[^>]+>/g, "|")
        .split(/\|+/);
    const hidden = "Only your team sees hidden ideas.";
    for (const visibility of ["public", "hidden"] as const)
      expect(await visibilityOf(visibility)).toEqual(["", "Public", "Hidden", hidden, ""]);
    const waiting = await panel.propose({ visibility: "pending" });
    expect(await page(`${bank}/ideas/${waiting}`)).toContain("Only its author and your team can see it.");
  });

  it("that shipped keeps its date and place when a correction is saved", { tags: "slow" }, async () => {
    const desk = await createDesk();
    const { panel, bank, idea, page } = desk;
    const createdAt = "2025-01-01T00:00:00.000Z";
    const id = await panel.propose({ title: "Nihgt buses", status: "implemented", createdAt });
    const path = `${bank}/ideas/${id}`;
    await send(desk, path, "Save text", { do: "edit", title: "Night buses", minor: "on" });
    await send(desk, path, "Post response", { do: "decide", response: "In line 4.", minor: "on" });
    expect(await idea(id)).toMatchObject({
      ...{ title: "Night buses", response: { text: "In line 4." }, lastActivityAt: createdAt },
    });
    await send(desk, path, "Save text", { do: "edit", title: "Night buses, hourly" });
    expect((await idea(id)).lastActivityAt).not.toBe(createdAt);
    expect(await page(`${bank}/ideas/${await panel.propose()}`)).not.toContain("Correction");
  });

  it("gets everything back by Undo that was saved with it, long texts and the response's time too, and again by Redo", {
    tags: "slow",
  }, async () => {
    const desk = await createDesk();
    const { panel, owner, bank, idea, page } = desk;
    const long = "Long. ".repeat(100).trim();
    const id = await panel.propose({
      title: "Night buses",
      description: long,
      response: { text: `${long} Response.` },
    });
    const path = `${bank}/ideas/${id}`;
    const before = await idea(id);
    const undo = async (location: string, button: string) => {
      const form = await readForm(await owner.page(location), button);
      return locationOf(await owner.submit("/undo", Object.fromEntries(form.fields)));
    };
    const saved = locationOf(
      await send(desk, path, "Save response", { do: "decide", status: "planned", response: `${long} Changed.` }),
    );
    const after = await idea(id);
    expect(after).toMatchObject({ status: "planned", response: { text: `${long} Changed.` } });
    const undone = await undo(saved, "Undo");
    expect(await page(undone)).toContain("Undone. “Night buses” is now Submitted (was Planned).");
    expect(await idea(id)).toEqual(before);
    const redone = await undo(undone, "Redo");
    expect(await idea(id)).toMatchObject({ status: "planned", response: { text: `${long} Changed.` } });
    await undo(redone, "Undo");
    expect(await idea(id)).toEqual(before);
    // A text, too.
    const edited = locationOf(
      await send(desk, path, "Save text", { do: "edit", title: "Later", description: "Short" }),
    );
    await undo(edited, "Undo");
    expect(await idea(id)).toEqual(before);
    // What somebody has changed since stays.
    const again = locationOf(await send(desk, path, "Save response", { do: "decide", response: "Mine" }));
    await panel.manage("PATCH", `/proposals/${id}`, { response: { text: "Theirs" } });
    const form = await readForm(await owner.page(again), "Undo");
    expect((await owner.submit("/undo", Object.fromEntries(form.fields))).status).toBe(409);
    expect(await idea(id)).toMatchObject({ response: { text: "Theirs" } });
  });

  it("has comments that Undo takes away, gives their text back, and writes again as they were", {
    tags: "slow",
  }, async () => {
    const desk = await createDesk();
    const { panel, owner, bank, page } = desk;
    const id = await panel.propose();
    const path = `${bank}/ideas/${id}`;
    const robin = await panel.panelist("Robin");
    await robin.send("POST", `/ideabank/proposals/${id}/comments`, { body: "A customer's words" });
    const comments = async () =>
      (await (await panel.manage("GET", `/proposals/${id}/comments`)).json<{ items: Record<string, unknown>[] }>())
        .items;
    const theirs = await comments();
    const undo = async (location: string, button: string) => {
      const form = await readForm(await owner.page(location), button);
      return locationOf(await owner.submit("/undo", Object.fromEntries(form.fields)));
    };
    const posted = locationOf(await send(desk, path, "Post comment", { do: "comment", body: "Soon." }));
    expect(await page(posted)).toContain("Comment posted.");
    const undone = await undo(posted, "Undo");
    expect(await comments()).toEqual(theirs);
    await undo(undone, "Redo");
    const [ours] = await comments();
    expect(ours).toMatchObject({ by: "tenant", body: "Soon." });
    const edited = locationOf(
      await owner.submit(path, { do: "edit-comment", commentId: String(ours?.id), body: "Later." }),
    );
    await undo(edited, "Undo");
    expect((await comments())[0]).toEqual(ours);
    const deleted = locationOf(await owner.submit(path, { do: "delete-comment", commentId: String(theirs[0]?.id) }));
    expect(await page(deleted)).toContain("Comment deleted.");
    expect(await comments()).toEqual([ours]);
    await undo(deleted, "Undo");
    expect(await comments()).toEqual([ours, ...theirs]);
    // What a deleted person wrote is not written again.
    const words = (await page("/activity")).match(/(?<=Comment on .*?<\/bdi> )\w+(?=<)/g);
    expect(words?.slice(0, 7)).toEqual([
      ...["restored", "deleted", "changed", "changed"],
      ...["restored", "deleted", "created"],
    ]);
    const gone = locationOf(await owner.submit(path, { do: "delete-comment", commentId: String(theirs[0]?.id) }));
    const { fields } = await readForm(await owner.page(gone), "Undo");
    await panel.tenant.send("DELETE", `/tenant/panelists/${robin.id}?content=delete`);
    expect((await owner.submit("/undo", Object.fromEntries(fields))).status).toBe(409);
    expect(await comments()).toEqual([ours]);
    // The activity has no customer's words, and Undo keeps them for minutes only.
    expect(JSON.stringify(await desk.activity())).not.toContain("customer's words");
    expect((await createOwner().submit("/undo", { event: "000000000000" })).status).toBe(409);
    // Nothing is undone over a later change: an edit, a deletion, or what a deletion's undo has brought back.
    const edit = async (body: string) =>
      locationOf(await owner.submit(path, { do: "edit-comment", commentId: String(ours?.id), body }));
    const fieldsAt = async (location: string) =>
      Object.fromEntries((await readForm(await owner.page(location), "Undo")).fields);
    const first = await fieldsAt(await edit("First."));
    const second = await edit("Second.");
    expect((await owner.submit("/undo", first)).status).toBe(409);
    expect((await comments())[0]?.body).toBe("Second.");
    await undo(second, "Undo");
    const posting = await fieldsAt(
      locationOf(await send(desk, path, "Post comment", { do: "comment", body: "A new one." })),
    );
    const [newest] = (await comments()).filter(({ body }) => body === "A new one.");
    await owner.submit(path, { do: "edit-comment", commentId: String(newest?.id), body: "Corrected." });
    expect((await owner.submit("/undo", posting)).status).toBe(409);
    const deletion = locationOf(await owner.submit(path, { do: "delete-comment", commentId: String(newest?.id) }));
    const deleting = await fieldsAt(deletion);
    await undo(deletion, "Undo");
    await owner.submit(path, { do: "edit-comment", commentId: String(newest?.id), body: "Corrected again." });
    expect((await owner.submit("/undo", deleting)).status).toBe(409);
    expect((await comments()).find(({ id: each }) => each === newest?.id)?.body).toBe("Corrected again.");
  });

  it("that is done is published after a page that shows the changelog's words, which the team can change", {
    tags: "slow",
  }, async () => {
    const desk = await createDesk();
    const { panel, owner, bank, idea, page, activity } = desk;
    await panel.manage("PATCH", "", { changelogEnabled: false });
    const robin = await panel.panelist("Robin");
    const id = await robin.submit("pls night busses", "i want **them**");
    const path = `${bank}/ideas/${id}`;
    const asked = locationOf(await send(desk, path, "Save", { do: "decide", status: "implemented" }));
    expect(asked).toContain(`${path}/publish?back=`);
    expect(await idea(id)).toMatchObject({ status: "submitted" });
    const shown = await page(asked);
    for (const part of ["As submitted", "<p>i want <strong>them</strong></p>", "The changelog of this board is off"])
      expect(shown).toContain(part);
    const form = await readForm(await owner.page(asked), "Publish");
    const words = { title: "Night buses", description: "All **week**." };
    const target = form.action.replace("/account", "");
    const preview = await owner.submit(target, { ...Object.fromEntries(form.fields), ...words, do: "preview" });
    expect([preview.status, (await preview.text()).includes("<p>All <strong>week</strong>.</p>")]).toEqual([200, true]);
    expect((await idea(id)).status).toBe("submitted");
    const published = await owner.submit(target, { ...Object.fromEntries(form.fields), ...words, do: "publish" });
    expect(locationOf(published)).toMatch(new RegExp(`^${path}\\?back=.*undo=\\w{12}$`));
    expect(await idea(id)).toMatchObject({ status: "implemented", ...words });
    expect((await activity())[0]).toMatchObject({
      actor: owner.email,
      changes: { before: { title: "pls night busses", status: "submitted" }, after: { title: "Night buses" } },
    });
    // What its author wrote stays, also after the entry is edited again.
    const edited = await readForm(await owner.page(`${path}/publish`), "Save entry");
    await owner.submit(target, { ...Object.fromEntries(edited.fields), title: "Buses at night", do: "publish" });
    for (const where of [path, `${path}/publish`])
      expect(await page(where)).toMatch(/As submitted<\/h2>.*pls night busses.*<p>i want <strong>them<\/strong><\/p>/s);
    const refused = await owner.submit(target, { ...Object.fromEntries(form.fields), title: "", do: "publish" });
    expect([refused.status, (await refused.text()).includes("Nothing was published.")]).toEqual([400, true]);
  });

  it("that is done with a response is published with it, or neither is saved; nothing that was typed is lost", {
    tags: "slow",
  }, async () => {
    const desk = await createDesk();
    const { panel, owner, bank, idea, page, activity } = desk;
    const id = await panel.propose({ title: "Night buses", description: "i want **them**", status: "under-review" });
    const list = "/account/ideas?sort=top";
    const path = `${bank}/ideas/${id}?back=${encodeURIComponent(list)}`;
    const response = "Ab <b>März</b>\r\n**jede** Nacht";
    const asked = await send(desk, path, "Post response", { do: "decide", status: "implemented", response });
    const html = await asked.clone().text();
    for (const part of ["Publish to the changelog", "<strong>jede</strong> Nacht"]) expect(html).toContain(part);
    expect(await idea(id)).toMatchObject({ status: "under-review", response: null, tags: [] });
    const form = await readForm(asked, "Publish");
    const target = form.action.replace("/account", "");
    const press = (pressed: string, changes: Record<string, string> = {}) =>
      owner.submit(target, { ...Object.fromEntries(form.fields), ...changes, do: pressed });
    const previewed = await readForm(await press("preview", { title: "Buses at night" }), "Publish");
    expect(previewed.fields.get("response")).toBe(response.replace("\r", ""));
    // Cancel stores nothing, and has the response in its field again.
    const [cancel] = form.senders.filter(({ field }) => field?.[1] === "cancel");
    const opener = cancel?.action?.replace("/account", "") ?? "";
    const canceled = await owner.submit(opener, { ...Object.fromEntries(form.fields), do: "cancel" });
    expect(await canceled.clone().text()).toContain("Nothing was published or saved.");
    expect(await canceled.clone().text()).toContain(`href="${list}#idea-${id}">Back to the list</a>`);
    const again = await readForm(canceled, "Post response");
    expect(Object.fromEntries(again.fields)).toMatchObject({ status: "under-review", response });
    expect(await activity()).toEqual([]);
    // A colleague's response is not replaced unread.
    await panel.manage("PATCH", `/proposals/${id}`, { response: { text: "A colleague’s" } });
    const refused = await press("publish");
    expect(refused.status).toBe(409);
    expect(await refused.clone().text()).toMatch(/Official response now.*A colleague’s.*Official response, yours/s);
    const last = await readForm(refused, "Save mine all the same");
    const words = { title: "Buses at night", do: "publish" };
    const there = locationOf(await owner.submit(target, { ...Object.fromEntries(last.fields), ...words }));
    const saved = { status: "implemented", tags: [], response: { text: response.replace("\r", "") } };
    expect(await idea(id)).toMatchObject({ ...saved, title: words.title });
    expect(await page(there)).toContain("“Buses at night” is published. Response updated.");
    await send(desk, there, "Undo", {});
    const before = { status: "under-review", tags: [], response: { text: "A colleague’s" }, title: "Night buses" };
    expect(await idea(id)).toMatchObject(before);
  });

  it("takes a colleague’s response along when none was written", async () => {
    const desk = await createDesk();
    const { panel, owner, bank, idea } = desk;
    const id = await panel.propose({ title: "Night buses", response: { text: "Soon" } });
    const asked = await send(desk, `${bank}/ideas/${id}`, "Save", { do: "decide", status: "implemented", tags: "Bus" });
    expect(await asked.clone().text()).toContain("Tags: none → Bus.");
    const form = await readForm(asked, "Publish");
    const target = form.action.replace("/account", "");
    await panel.manage("PATCH", `/proposals/${id}`, { response: { text: "In May" } });
    const fields = Object.fromEntries(form.fields);
    const preview = await readForm(await owner.submit(target, { ...fields, do: "preview" }), "Publish");
    for (const each of [fields, Object.fromEntries(preview.fields)]) {
      expect((await owner.submit(target, { ...each, do: "publish" })).status).toBe(303);
      expect(await idea(id)).toMatchObject({ status: "implemented", response: { text: "In May" } });
    }
  });

  it("that is published takes the longest entry and response in any script", { tags: "slow" }, async () => {
    const desk = await createDesk();
    const { panel, owner, bank, idea } = desk;
    const text = "😀".repeat(5_000);
    const id = await panel.propose({ title: "Long", description: text, response: { text } });
    const response = "夜".repeat(10_000);
    const asked = await send(desk, `${bank}/ideas/${id}`, "Save response", {
      ...{ do: "decide", status: "implemented", response },
    });
    const { action, fields } = await readForm(asked, "Publish");
    const sent = { ...Object.fromEntries(fields), do: "publish", description: response };
    expect((await owner.submit(action.replace("/account", ""), sent)).status).toBe(303);
    expect(await idea(id)).toMatchObject({
      status: "implemented",
      description: response,
      response: { text: response },
    });
  });

  it("shows a response and a comment as people will see them before anything is saved, and keeps what was typed", {
    tags: "slow",
  }, async () => {
    const desk = await createDesk();
    const { panel, bank, idea } = desk;
    const id = await panel.propose({ title: "Night buses" });
    const path = `${bank}/ideas/${id}`;
    const preview = async (button: string, fields: Record<string, string>) => {
      const answer = await send(desk, path, button, fields);
      return [answer.status, await answer.text()] as const;
    };
    const [status, response] = await preview("Post response", { do: "preview-response", response: "Yes, **soon**" });
    expect(status).toBe(200);
    expect(response).toMatch(/class="written".*<p>Yes, <strong>soon<\/strong><\/p>/s);
    expect(response).toContain("Yes, **soon**</textarea>");
    const [, comment] = await preview("Post comment", { do: "preview-comment", body: "- a\n- b" });
    expect(comment).toMatch(/class="written".*<ul><li>a<\/li><li>b<\/li><\/ul>/s);
    expect(comment).toContain("- a\n- b</textarea>");
    expect(await idea(id)).toMatchObject({ response: null, comments: 0 });
    expect(await desk.activity()).toEqual([]);
  });

  it("that is edited elsewhere keeps no former text: what a team takes out of it is gone", async () => {
    const desk = await createDesk();
    const { panel, bank, page } = desk;
    const id = await (await panel.panelist("Robin")).submit("Call me", "at 555 0100");
    await send(desk, `${bank}/ideas/${id}`, "Save text", { do: "edit", description: "" });
    await send(desk, `${bank}/ideas/${id}/publish`, "Publish", { do: "publish" });
    expect(await page(`${bank}/ideas/${id}`)).not.toContain("As submitted");
  });

  it("in the changelog has its entry edited, as a correction unless its user says otherwise", async () => {
    const desk = await createDesk();
    const { panel, bank, idea } = desk;
    const createdAt = "2025-01-01T00:00:00.000Z";
    const id = await panel.propose({ title: "Nihgt buses", status: "implemented", createdAt });
    const path = `${bank}/ideas/${id}/publish`;
    await send(desk, path, "Save entry", { do: "publish", title: "Night buses" });
    expect(await idea(id)).toMatchObject({ title: "Night buses", lastActivityAt: createdAt });
  });

  it("shows the first 20 who vote for it, and all of them in pages", { tags: "slow" }, async () => {
    const { panel, bank, page } = await createDesk();
    const id = await panel.propose();
    const { accountId } = panel.bank;
    await addVoters({ accountId, id: panel.bank.id }, 1, 45);
    await addVotes({ accountId, id: panel.bank.id }, id, 1, 45);
    const count = (html: string) => html.match(/href="\/account\/people\/\w{12}[?]/g)?.length ?? 0;
    const first = await page(`${bank}/ideas/${id}`);
    expect([count(first), first.includes(`href="/account${bank}/ideas/${id}/voters"`)]).toEqual([20, true]);
    let [next, all] = [`${bank}/ideas/${id}/voters`, 0];
    while (next) {
      const html = await page(next);
      all += count(html);
      next = html.match(/href="\/account([^"]*voters\?cursor=[^"]*)"/)?.[1] ?? "";
    }
    expect(all).toBe(45);
    expect((await createOwner().page(`${bank}/ideas/${id}/voters`)).status).toBe(404);
  });

  it("gets and loses a vote for a person on its page of voters, which the activity has without names", {
    tags: "slow",
  }, async () => {
    const desk = await createDesk();
    const { panel, owner, bank, page, idea } = desk;
    const robin = await panel.panelist("Robin");
    const id = await panel.propose({ title: "Night buses" });
    expect(await page(`${bank}/ideas/${id}`)).toContain(`href="/account${bank}/ideas/${id}/voters#add">Add or remove`);
    const path = `${bank}/ideas/${id}/voters`;
    const added = await send(desk, path, "Add voter", { do: "add", panelistExternalId: robin.externalId });
    const html = await page(locationOf(added));
    for (const said of [">Voters</h1>", "Back to “<bdi>Night buses</bdi>”", "Vote added: Robin.", "<bdi>Robin</bdi>"])
      expect(html).toContain(said);
    expect(html.indexOf("Add voter")).toBeLessThan(html.indexOf("<bdi>Robin</bdi>"));
    expect((await idea(id)).votes).toBe(1);
    const again = await send(desk, path, "Add voter", { do: "add", panelistExternalId: robin.externalId });
    expect([again.status, (await again.text()).includes("Person has voted for this idea already")]).toEqual([
      400,
      true,
    ]);
    const asked = await send(desk, path, "Add voter", { do: "add", panelistExternalId: "Robin" });
    expect([asked.status, (await asked.text()).includes("Did you mean")]).toEqual([400, true]);
    expect((await send(desk, path, "Add voter", { do: "add", panelistExternalId: "" })).status).toBe(400);
    const fresh = { do: "add", panelistExternalId: "customer-1", asked: "customer-1", person: "new" };
    expect(await page(locationOf(await owner.submit(path, fresh)))).toContain("Vote added: customer-1.");
    const removed = await send(desk, path, "Remove", { do: "remove", panelistId: robin.id });
    const without = await page(locationOf(removed));
    expect([without.includes("Vote removed: Robin."), without.includes("<bdi>Robin</bdi>")]).toEqual([true, false]);
    expect((await desk.activity())[0]).toMatchObject({
      event: "proposal-changed",
      changes: { before: { votes: 2 }, after: { votes: 1 } },
    });
    expect(JSON.stringify(await desk.activity())).not.toMatch(/Robin|customer-1/);
    await panel.manage("POST", `/proposals/${id}/merge`, { into: await panel.propose() });
    expect(await page(path)).not.toContain("Add voter");
    expect((await owner.submit(path, fresh)).status).toBe(409);
  });

  it("gets a vote that counts, though somebody else's is taken back after any of the request's calls", {
    tags: "slow",
  }, async () => {
    const { panel, owner, bank, page } = await createDesk();
    expect(await page(bank)).toContain("No ideas yet.");
    const [robin, kim] = [await panel.panelist("Robin"), await panel.panelist("Kim")];
    for (let after = 1, calls = 1; after <= calls; after++) {
      const id = await panel.propose();
      await panel.manage("PUT", `/proposals/${id}/votes/${robin.id}`);
      calls = 0;
      const slow = interceptDatabases(env, () => async (_kind, makeCall) => {
        const answer = await makeCall();
        calls += 1;
        if (calls === after) await panel.manage("DELETE", `/proposals/${id}/votes/${robin.id}`);
        return answer;
      });
      const path = `${bank}/ideas/${id}/voters`;
      const added = await createOwner(owner.email, slow).submit(path, {
        do: "add",
        panelistExternalId: kim.externalId,
      });
      expect([after, added.status]).toEqual([after, 303]);
    }
  });

  it("has comments: the team writes, edits and deletes its own, and deletes a panelist's", {
    tags: "slow",
  }, async () => {
    const desk = await createDesk();
    const { panel, owner, bank, page, activity } = desk;
    const id = await panel.propose();
    const path = `${bank}/ideas/${id}`;
    const robin = await panel.panelist("Robin <b>");
    const theirs = await robin.send("POST", `/ideabank/proposals/${id}/comments`, { body: "Please!" });
    const { id: theirId } = await theirs.json<{ id: string }>();
    await send(desk, path, "Post comment", { do: "comment", body: "We\r\nwill." });
    const html = await page(path);
    expect(html).toContain("<p>We<br/>will.</p>");
    expect(html).toContain("<bdi>Robin &lt;b&gt;</bdi>");
    const { fields } = await readForm(await owner.page(path), "Save comment");
    const own = fields.get("commentId") ?? "";
    await send(desk, path, "Save comment", { do: "edit-comment", body: "We do." });
    expect(await (await panel.manage("GET", `/proposals/${id}/comments`)).json()).toMatchObject({
      items: [
        { id: own, by: "tenant", body: "We do." },
        { id: theirId, body: "Please!" },
      ],
    });
    expect((await owner.submit(path, { do: "edit-comment", commentId: theirId, body: "No" })).status).toBe(409);
    for (const commentId of [own, theirId]) await owner.submit(path, { do: "delete-comment", commentId });
    expect((await owner.submit(path, { do: "delete-comment", commentId: own })).status).toBe(404);
    const events = (await activity()).map(({ event, changes }) => [event, changes?.before.body, changes?.after.body]);
    expect(events).toEqual([
      ["comment-deleted", null, undefined],
      ["comment-deleted", "We do.", undefined],
      ["comment-changed", "We\nwill.", "We do."],
      ["comment-created", undefined, "We\nwill."],
    ]);
  });

  it("takes in the one that is chosen", { tags: "slow" }, async () => {
    const { panel, owner, bank, page, idea, activity } = await createDesk();
    const [id, other] = [
      await panel.propose({ title: "Night buses" }),
      await panel.propose({ title: "Buses at night" }),
    ];
    const path = `${bank}/ideas/${id}/merge`;
    expect(await page(path)).toContain("You can’t undo a merge.");
    expect(await page(path)).toContain("Ideas with a similar title:");
    // A merge is for good, so nothing is chosen beforehand.
    expect(await page(path)).not.toContain("checked");
    expect((await owner.submit(path, { into: id, keep: "this" })).status).toBe(400);
    const answer = await owner.submit(path, { into: other, keep: "this" });
    expect(locationOf(answer)).toMatch(new RegExp(`^${bank}/ideas/${id}\\?undo=`));
    expect([(await idea(other)).duplicateOf, (await idea(id)).duplicateOf]).toEqual([id, null]);
    expect((await activity())[0]).toMatchObject({ subject: { id: other }, changes: { after: { duplicateOf: id } } });
  });

  it("is told apart from the other one by author, text, votes and date, and its comments stay with the team", {
    tags: "slow",
  }, async () => {
    const { panel, owner, bank, page } = await createDesk();
    const ana = await panel.panelist("Ana");
    const id = await panel.propose({ title: "Night buses", description: "After **one**", panelistId: ana.id });
    const into = await panel.propose({ title: "Buses at night", description: "All lines <b>" });
    await panel.manage("POST", `/proposals/${id}/comments`, { body: "I walk home", panelistId: ana.id });
    await panel.manage("POST", `/proposals/${id}/comments`, { body: "Noted" });
    const text = (html: string) => html.replace(/<[^>]*>/g, "");
    const merge = text(await page(`${bank}/ideas/${id}/merge`));
    for (const part of ["0 votes · 2 comments · Submitted · Ana", "After **one**", "All lines &lt;b&gt;"])
      expect(merge).toContain(part);
    await owner.submit(`${bank}/ideas/${id}/merge`, { into });
    const survivor = await page(`${bank}/ideas/${into}`);
    const merged = text(survivor.slice(survivor.indexOf("Merged into this idea"), survivor.indexOf("<aside")));
    expect(merged).toMatch(/Night buses.*2 comments.*Ana.*I walk home.*Your team.*Noted/s);
  });

  it("is merged into one that is searched for, and deleted", { tags: "slow" }, async () => {
    const desk = await createDesk();
    const { panel, owner, bank, page, idea, activity } = desk;
    const [id, into] = [
      await panel.propose({ title: "Night buses" }),
      await panel.propose({ title: "Buses at night" }),
    ];
    const other = await panel.propose({ title: "Dogs" });
    const path = `${bank}/ideas/${id}`;
    const found = async (query = "") =>
      [...(await page(`${path}/merge${query}`)).matchAll(/name="into" value="(\w+)"/g)].map(([, value]) => value);
    expect([await found(), await found("?q=dog")]).toEqual([[into], [other]]);
    // Where nothing is similar, the most wanted are offered, and none is chosen.
    const unlike = await page(`${bank}/ideas/${other}/merge`);
    expect(unlike).toContain("No idea has a similar title.");
    expect([unlike.match(/name="into"/g)?.length, unlike.includes("checked")]).toEqual([2, false]);
    expect((await owner.submit(`${path}/merge`, { into: id })).status).toBe(400);
    const answer = await owner.submit(`${path}/merge`, { into });
    expect(locationOf(answer)).toMatch(new RegExp(`^${bank}/ideas/${into}\\?undo=`));
    expect((await idea(id)).duplicateOf).toBe(into);
    expect((await activity())[0]).toMatchObject({
      changes: { before: { duplicateOf: null }, after: { duplicateOf: into } },
    });
    expect(await page("/activity")).toContain("Merged into: “Buses at night”.");
    // Where it went is said on both pages; what would be decided here is decided there.
    const html = await page(path);
    expect(html).toContain(`href="/account${bank}/ideas/${into}"><bdi>Buses at night</bdi></a>, which has its votes.`);
    for (const part of ['name="response"', 'name="status"', 'name="title"', ">Post comment<"])
      expect(html).not.toContain(part);
    expect(html).toContain("Delete this idea");
    expect(await page(`${bank}/ideas/${into}`)).toMatch(/Merged into this idea.*<bdi>Night buses<\/bdi>/s);
    for (const fields of [
      { do: "decide", status: "planned" },
      { do: "edit", title: "X" },
      { do: "comment", body: "X" },
    ])
      expect((await owner.submit(path, fields)).status).toBe(409);
    expect((await owner.submit(`${path}/publish`, { do: "publish", title: "X" })).status).toBe(409);
    expect(await idea(id)).toMatchObject({ status: "submitted", title: "Night buses", comments: 0 });
    const refused = await owner.submit(`${path}/merge`, { into: other });
    expect(refused.status).toBe(400);
    const back = `/account${bank}?status=submitted`;
    const gone = await owner.submit(`${bank}/ideas/${other}?back=${encodeURIComponent(back)}`, { do: "delete" });
    expect(locationOf(gone)).toMatch(new RegExp(`^${bank}\\?status=submitted&undo=`));
    expect((await owner.page(`${bank}/ideas/${other}`)).status).toBe(404);
    expect((await activity())[0]).toMatchObject({ event: "proposal-deleted", subject: { id: other, name: "Dogs" } });
  });
});
