/** The owner's pages of panelists. */
import { describe, expect, it } from "vitest";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { addComments, addVoters } from "../../support/many-rows.ts";
import { createOwner } from "../../support/owner.ts";
import { CHANGELOG, PROPOSALS, sendWith } from "../../support/panel.ts";
import { readForm } from "../../support/read-forms.ts";

const namesIn = (html: string) =>
  [...html.matchAll(/<a href="[^"]*\/people\/\w{12}[^"]*"><bdi>([^<]*)</g)].map(([, name]) => name);

describe("people", () => {
  it("are found by how a name or the tenant's own id begins, or by the identifier", { tags: "slow" }, async () => {
    const { panel, page } = await createDesk();
    // No generated id has "-" after these letters.
    const robin = await panel.panelist("Ro-bin <b>");
    const rosa = await panel.panelist("ro-sa");
    await panel.panelist("Kim");
    const names = async (q: string) => namesIn(await page(`/people?q=${encodeURIComponent(q)}`)).toSorted();
    expect(await names("RO-")).toEqual(["Ro-bin &lt;b&gt;", "ro-sa"]);
    expect(await names(" Ro-bin ")).toEqual(["Ro-bin &lt;b&gt;"]);
    expect(await names(rosa.externalId)).toEqual(["ro-sa"]);
    expect(await names(rosa.externalId.slice(0, -1))).toContain("ro-sa");
    expect(await names(robin.id)).toEqual(["Ro-bin &lt;b&gt;"]);
    expect(await page("/people?q=%F4%8F%BF%BF")).toContain("No people match.");
    const all = namesIn(await page("/people"));
    expect(all).toEqual(expect.arrayContaining(["Ro-bin &lt;b&gt;", "ro-sa", "Kim"]));
    // The order is said where it holds: the newest first.
    await databaseOf(panel.bank.id)
      .prepare("UPDATE panelists SET created_at = created_at - 1000 WHERE id = ?1")
      .bind(robin.id)
      .run();
    const list = await page("/people");
    expect(namesIn(list).indexOf("ro-sa")).toBeLessThan(namesIn(list).indexOf("Ro-bin &lt;b&gt;"));
    expect(list).toContain(">First seen, newest first</th>");
    expect(await page("/people?q=ro-")).toContain(">First seen</th>");
    const more = (await page("/people?limit=1")).match(/href="\/account(\/people\?cursor=[^"]+)"/)?.[1] ?? "";
    expect(namesIn(await page(more)).length).toBeGreaterThan(0);
    const stranger = createOwner();
    expect(namesIn(await (await stranger.page("/people?q=ro")).text())).toEqual([]);
    expect((await stranger.page(`/people/${robin.id}`)).status).toBe(404);
    expect((await stranger.submit(`/people/${robin.id}`, { do: "delete" })).status).toBe(404);
  });

  it("are found by any part of a name or the tenant's own id, and not by another account's", async () => {
    const { panel, page } = await createDesk();
    const rosa = await panel.panelist("Rosa Luz");
    await panel.panelist("Kim");
    for (const q of ["LUZ", "sa l", rosa.externalId.slice(4)])
      expect(namesIn(await page(`/people?q=${encodeURIComponent(q)}`))).toContain("Rosa Luz");
    expect(namesIn(await page("/people?q=_"))).toEqual([]);
    expect(await page("/people?q=luz")).not.toContain("Searched the newest");
  });

  it("who have signed in on a page are found by their address, which shows who has the same mailbox", async () => {
    const { panel, page } = await createDesk();
    const [one, two, other] = [await panel.panelist("One"), await panel.panelist(null), await panel.panelist("Other")];
    const database = databaseOf(panel.bank.id);
    for (const [{ id }, email, mailbox] of [
      [one, "ana@example.com", "ana@example.com"],
      [two, "ana+two@example.com", "ana@example.com"],
      [other, "zoe@example.com", "zoe@example.com"],
    ] as const)
      await database
        .prepare("UPDATE panelists SET email = ?2, email_verified = 1, mailbox = ?3 WHERE id = ?1")
        .bind(id, email, mailbox)
        .run();
    const found = async (q: string) => namesIn(await page(`/people?q=${encodeURIComponent(q)}`));
    expect(await found("ana@example.com")).toEqual(["One"]);
    expect(await found("zoe@")).toEqual(["Other"]);
    expect(await found("+two@EXAMPLE")).toHaveLength(1);
    const list = await page("/people");
    expect(list.match(/Same mailbox/g)).toHaveLength(2);
    for (const email of ["ana@example.com", "ana+two@example.com", "zoe@example.com"]) expect(list).toContain(email);
    const person = await page(`/people/${one.id}`);
    expect(person).toMatch(
      new RegExp(`Same mailbox as.*href="[^"]*/people/${two.id}[^"]*"><bdi>ana\\+two@example\\.com`, "s"),
    );
    expect(await page(`/people/${other.id}`)).not.toContain("Same mailbox as");
  });

  it("are found with the exact ID or name first, which is shown without a name, too", { tags: "slow" }, async () => {
    const { panel, page } = await createDesk();
    const { accountId, id } = panel.bank;
    await addVoters({ accountId, id }, 1, 60);
    const exact = await panel.panelist("Søren");
    const longer = (name: string | null, externalId: string) =>
      panel.tenant.send("POST", "/tenant/panelists", { displayName: name, externalId });
    for (let each = 0; each < 60; each++) await longer(null, `${exact.externalId}${each}`);
    const found = await page(`/people?q=${exact.externalId}`);
    expect([namesIn(found)[0], namesIn(found).length]).toEqual(["Søren", 50]);
    expect(found).toMatch(new RegExp(`<code>${exact.externalId}\\d+</code>`));
    await longer("Søren Kim", "a");
    expect(namesIn(await page("/people?q=søren"))[0]).toBe("Søren");
  });

  it("of whom there are more than 1,000 are searched by any part among the newest, and the page says so", {
    tags: "slow",
  }, async () => {
    const { panel, page } = await createDesk();
    const { accountId, id } = panel.bank;
    const old = await panel.panelist("Rosa Luz");
    await databaseOf(old.id).prepare("UPDATE panelists SET created_at = 1 WHERE id = ?1").bind(old.id).run();
    await addVoters({ accountId, id }, 2, 1_100);
    const html = await page("/people?q=luz");
    expect(namesIn(html)).toEqual([]);
    expect(html).toContain("Searched the newest 1,000 people by any part");
    expect(namesIn(await page("/people?q=rosa"))).toEqual(["Rosa Luz"]);
  });

  it("are in a table with what they did, counted up to 30", { tags: "slow" }, async () => {
    const { panel, page } = await createDesk();
    const { accountId, id } = panel.bank;
    const robin = await panel.panelist("Robin");
    const idea = await robin.submit("Night buses");
    await robin.send("POST", `${PROPOSALS}/${idea}/comments`, { body: "Please" });
    await addComments({ accountId, id }, idea, robin.id, 40);
    const row = (await page("/people?q=Robin")).split("<tr>").find((each) => each.includes("<bdi>Robin")) ?? "";
    expect([...row.matchAll(/class="number"[^>]*>([^<]+)/g)].map(([, count]) => count)).toEqual(["1", "1", "30+"]);
    expect(row).toMatch(/>(now|\d seconds? ago)</);
    expect((await page("/people")).match(/Not yet/g)?.length).toBeGreaterThan(0);
  });

  it("have a page of what they wrote and voted for, without what is gone", { tags: "slow" }, async () => {
    const { panel, bank, page } = await createDesk();
    const robin = await panel.panelist("Robin");
    const kim = await panel.panelist("Kim");
    const own = await robin.submit("Night <buses>");
    const other = await kim.submit("Dogs");
    const gone = await robin.submit("Gone");
    await robin.send("PUT", `${PROPOSALS}/${other}/vote`);
    await robin.send("POST", `${PROPOSALS}/${other}/comments`, { body: "Please <b>!" });
    // Deleted, and not gone yet.
    await databaseOf(gone).prepare("UPDATE proposals SET idea_bank_id = id WHERE id = ?1").bind(gone).run();
    const html = await page(`/people/${robin.id}`);
    const [ideas = "", comments = "", votes = ""] = html.split("<section").slice(2);
    expect([ideas, comments, votes].map((part) => part.match(/<h2 id="(\w+)"/)?.[1])).toEqual([
      "Ideas",
      "Comments",
      "Votes",
    ]);
    expect(ideas).toContain(
      `href="/account${bank}/ideas/${own}?back=%2Faccount%2Fpeople%2F${robin.id}"><bdi>Night &lt;buses&gt;</bdi>`,
    );
    expect(comments).toContain("Please &lt;b&gt;!");
    // The status is the idea's. Under a comment it reads like the comment's.
    expect([ideas, comments, votes].map((part) => part.includes("Submitted · "))).toEqual([true, false, true]);
    expect(votes).toContain(`${bank}/ideas/${other}?back=`);
    expect(votes).not.toContain("Delete");
    for (const part of [ideas, comments]) expect(part).not.toContain("Gone");
    expect(await page(`/people/${kim.id}`)).toContain("None yet.");
  });

  it("have a page that says which of their ideas were merged, without the status from before", {
    tags: "slow",
  }, async () => {
    const { panel, owner, bank, page } = await createDesk();
    const robin = await panel.panelist("Robin");
    const [own, into] = [await robin.submit("Night buses"), await panel.propose({ title: "Buses at night" })];
    expect((await owner.submit(`${bank}/ideas/${own}/merge`, { into })).status).toBe(303);
    const [, , ideas = ""] = (await page(`/people/${robin.id}`)).split("<section");
    expect([ideas.includes("Merged · "), ideas.includes("Submitted · ")]).toEqual([true, false]);
  });

  it("have a page that says which of their ideas only some people see", { tags: "slow" }, async () => {
    const { panel, page } = await createDesk();
    const robin = await panel.panelist("Robin");
    for (const visibility of ["hidden", "pending", "public"])
      await panel.manage("PATCH", `/proposals/${await robin.submit(visibility)}`, { visibility });
    const [, , ideas = "", , votes = ""] = (await page(`/people/${robin.id}`)).split("<section");
    for (const part of [ideas, votes])
      expect(
        part
          .split("<li>")
          .slice(1)
          .map((item) => item.match(/pill warn">([^<]+)/)?.[1]),
      ).toEqual([undefined, "Waiting for approval", "Hidden"]);
  });

  it("lose an idea or a comment on their page, which is where its button leads back to", { tags: "slow" }, async () => {
    const { panel, owner, page, opened, idea } = await createDesk();
    const robin = await panel.panelist("Robin");
    const own = await robin.submit("Night buses");
    const other = await panel.propose({ title: "Dogs" });
    await robin.send("POST", `${PROPOSALS}/${other}/comments`, { body: "Rude" });
    const press = async (button: string, what: string) => {
      const { action, fields } = await readForm(await owner.page(`/people/${robin.id}`), button);
      const sent = await owner.submit(action.replace("/account", ""), { ...Object.fromEntries(fields), do: what });
      const to = (sent.headers.get("Location") ?? "").replace("/account", "");
      expect(to).toMatch(new RegExp(`^/people/${robin.id}\\?undo=`));
      return to;
    };
    const there = await press("Delete", "delete-comment");
    expect(await page(there)).toContain("Comment deleted.");
    expect((await idea(other)).comments).toBe(0);
    await owner.submit("/undo", await opened(there, "Undo"));
    expect((await idea(other)).comments).toBe(1);
    expect(await page(await press("Delete this idea", "delete"))).not.toContain("<bdi>Night buses</bdi>");
    expect((await owner.page(`/idea-banks/${panel.bank.id}/ideas/${own}`)).status).toBe(404);
    // The ways back: from a person to the list, from an idea to its person.
    expect(await page("/people?q=rob")).toContain(`/people/${robin.id}?back=%2Faccount%2Fpeople%3Fq%3Drob`);
    expect(await page(`/people/${robin.id}?back=%2Faccount%2Fpeople%3Fq%3Drob`)).toContain(
      'href="/account/people?q=rob">Back to the list',
    );
    expect(
      await page(
        `/idea-banks/${panel.bank.id}/ideas/${other}?back=${encodeURIComponent(`/account/people/${robin.id}`)}`,
      ),
    ).toContain("Back to the person");
  });

  it("lead back to the search that found them, after what was done there too", { tags: "slow" }, async () => {
    const { panel, owner, bank, page } = await createDesk();
    const robin = await panel.panelist("Robin");
    const idea = await robin.submit("Night buses");
    const list = "/account/people?q=rob+x";
    const person = `/people/${robin.id}?back=${encodeURIComponent(list)}`;
    expect(await page(person)).toContain(`${bank}/ideas/${idea}?back=${encodeURIComponent(`/account${person}`)}"`);
    const press = async (what: string) => {
      const { action } = await readForm(await owner.page(person), "Sign out everywhere");
      const answer = await owner.submit(action.replace("/account", ""), { do: what });
      return answer.headers.get("Location")?.replace("/account", "") ?? "";
    };
    expect(await page(await press("block"))).toContain(`href="${list}">Back to the list</a>`);
    expect(await press("delete")).toMatch(/^\/people\?q=rob\+x&undo=\w{12}$/);
  });

  it("lead back to the idea where their name stood, and from there to its list", { tags: "slow" }, async () => {
    const { panel, owner, bank, page } = await createDesk();
    const [robin, kim] = [await panel.panelist("Robin"), await panel.panelist("Kim")];
    const idea = await robin.submit("Night buses");
    await kim.send("POST", `/ideabank/proposals/${idea}/comments`, { body: "Yes" });
    await panel.manage("PUT", `/proposals/${idea}/votes/${kim.id}`);
    const waiting = await panel.propose({ title: "Dogs", visibility: "pending", panelistId: robin.id });
    const path = `${bank}/ideas/${idea}`;
    const list = `${path}?back=${encodeURIComponent("/account/ideas?sort=top")}`;
    const peopleOn = async (where: string) =>
      [...(await page(where)).matchAll(/href="\/account(\/people\/\w{12}[^"]*)"><bdi>/g)].map(([, href = ""]) => href);
    for (const [where, count, words, back = where] of [
      [list, 5, "Back to the idea"],
      [`${path}/voters`, 2, "Back to the voters"],
      ["/ideas?visibility=pending", 1, "Back to the list"],
      [`${bank}/ideas/${waiting}`, 1, "Back to the idea"],
      // From a person it's one step: chains of links don't grow.
      [`${path}?back=${encodeURIComponent(`/account/people/${kim.id}?back=x`)}`, 5, "Back to the idea", path],
    ] as const) {
      const people = await peopleOn(where);
      expect([where, people.length]).toEqual([where, count]);
      for (const person of people) expect(await page(person)).toContain(`href="/account${back}">${words}</a>`);
    }
    const person = (await peopleOn(list))[0] ?? "";
    const deleted = await owner.submit(person, { do: "delete-all" });
    expect(deleted.headers.get("Location")).toMatch(/^\/account\/people\?undo=/);
  });

  it.each([
    ["Delete person, keep ideas and comments", "delete", 200, ""],
    ["Delete person, ideas and comments", "delete-all", 403, "/clear?with=person"],
  ])("are deleted: %s", async (button, what, status, asked) => {
    const { panel, owner, opened } = await createDesk();
    const robin = await panel.panelist("Robin");
    const idea = await robin.submit("Night buses");
    await opened(`/people/${robin.id}${asked}`, button);
    const answer = await owner.submit(`/people/${robin.id}`, { do: what });
    expect(answer.headers.get("Location")).toMatch(/^\/account\/people\?undo=/);
    const path = `/tenant/ideabanks/${panel.bank.id}/proposals/${idea}`;
    expect((await panel.tenant.send("GET", path)).status).toBe(status);
  });

  describe("and their e-mail address", () => {
    async function createPerson() {
      const desk = await createDesk();
      const { owner, opened, page, panel } = desk;
      const robin = await panel.panelist("Robin");
      const path = `/people/${robin.id}`;
      const read = async () =>
        (await panel.tenant.send("GET", `/tenant/panelists/${robin.id}`)).json<{
          email: string;
          emailVerified: boolean;
        }>();
      return {
        ...{ ...desk, robin, path, read },
        open: async () => ({ ...(await opened(path, "Save")), do: "email" }),
        save: async (email: string) => owner.submit(path, { ...(await opened(path, "Save")), do: "email", email }),
        follow: async (answer: Response) => page((answer.headers.get("Location") ?? "").replace("/account", "")),
      };
    }

    it("are given, corrected and freed of it; the activity says so, and never has it", { tags: "slow" }, async () => {
      const { save, follow, read, page, activity, path, changes } = await createPerson();
      expect(await page(path)).not.toContain("Verified by signing in");
      const said = [];
      for (const email of [" Ana+x@Example.com", "zoe@example.com", ""]) {
        const html = await follow(await save(email));
        said.push([(await read()).email, html.match(/Robin (has [^.]*)\./)?.[1]]);
        expect(html.includes("zoe@example.com")).toBe(email.startsWith("zoe"));
      }
      expect(said).toEqual([
        ["ana+x@example.com", "has an email address now"],
        ["zoe@example.com", "has another email address now"],
        [null, "has no email address any more"],
      ]);
      const events = await activity();
      expect(events.map((event) => event.changes)).toEqual([
        { before: { email: "given" }, after: { email: null } },
        { before: { email: "given" }, after: { email: "another" } },
        { before: { email: null }, after: { email: "given" } },
      ]);
      expect(JSON.stringify(events)).not.toMatch(/ana\+x|zoe@/);
      const log = await page("/activity");
      expect(log).toContain("has another email address now");
      expect(log).not.toMatch(/ana\+x|zoe@/);
      expect(await changes()).toContainEqual(expect.objectContaining({ type: "panelist.updated", by: "tenant" }));
    });

    it("keep it when the form is saved as it was opened, and are told what is no address", {
      tags: "slow",
    }, async () => {
      const { save, read, activity, owner, path, open } = await createPerson();
      await save("ana@example.com");
      expect((await owner.submit(path, await open())).headers.get("Location")).toBe(`/account${path}`);
      const refused = await save("ana at example");
      const html = await refused.text();
      expect(refused.status).toBe(400);
      for (const part of ["Enter an email address, such as", 'value="ana at example"', 'href="#email"'])
        expect(html).toContain(part);
      expect((await read()).email).toBe("ana@example.com");
      expect(await activity()).toHaveLength(1);
    });

    it("are not given another one over a colleague’s, unless it is saved again", { tags: "slow" }, async () => {
      const { save, read, owner, path, open } = await createPerson();
      await save("ana@example.com");
      const early = { ...(await open()), email: "mine@example.com" };
      await save("colleague@example.com");
      const refused = await owner.submit(path, early);
      expect(refused.status).toBe(409);
      const again = await readForm(refused, "Save mine all the same");
      expect((await read()).email).toBe("colleague@example.com");
      await owner.submit(path, Object.fromEntries(again.fields));
      expect((await read()).email).toBe("mine@example.com");
    });

    it("are said to have verified it, and what another one changes", async () => {
      const { robin, page, path, save, read } = await createPerson();
      await databaseOf(robin.id)
        .prepare("UPDATE panelists SET email = ?2, email_verified = 1, mailbox = ?2 WHERE id = ?1")
        .bind(robin.id, "ana@example.com")
        .run();
      expect(await page(path)).toMatch(/Verified by signing in.*no longer leads to this person/s);
      await save("zoe@example.com");
      expect(await read()).toMatchObject({ email: "zoe@example.com", emailVerified: false });
      expect(await page(path)).not.toContain("Verified by signing in");
    });

    it("are found by it, however old they are", { tags: "slow" }, async () => {
      const { robin, save, page, panel } = await createPerson();
      await databaseOf(robin.id).prepare("UPDATE panelists SET created_at = 1 WHERE id = ?1").bind(robin.id).run();
      await addVoters(panel.bank, 2, 1_100);
      const found = async (...searches: string[]) =>
        Promise.all(searches.map(async (q) => namesIn(await page(`/people?q=${encodeURIComponent(q)}`))));
      await save("ana+news@example.com");
      expect(await found("Ana+News@example.com", "ana+news@exampl", "ana+n", "AN")).toEqual(Array(4).fill(["Robin"]));
      expect(await found("ana+two@example.com", "ana@example.com", "na+news")).toEqual([[], [], []]);
      await save("a.na+news@gmail.com");
      expect(await found("A.na+News@gmail.com", "ana@gmail.com")).toEqual([["Robin"], []]);
    });
  });

  it.each(["end-tokens", "block", "delete", "delete-all"])("by %s are refused here at once", async (what) => {
    const { panel, owner } = await createDesk();
    const { id, token } = await panel.panelist("Robin");
    freeze(Date.now());
    const read = async () => (await sendWith(owner.isolate, token)("GET", CHANGELOG)).status;
    expect(await read()).toBe(200);
    expect((await owner.submit(`/people/${id}`, { do: what })).status).toBe(303);
    expect(await read()).toBe(401);
  });

  it("lose their tokens, are blocked and deleted; the activity says who did it, and names nobody", {
    tags: "slow",
  }, async () => {
    const { panel, owner, page, activity, changes } = await createDesk();
    const robin = await panel.panelist("Robin");
    await robin.submit("Night buses");
    const act = (what: string) => owner.submit(`/people/${robin.id}`, { do: what });
    const there = (await act("end-tokens")).headers.get("Location") ?? "";
    expect(there).toMatch(new RegExp(`^/account/people/${robin.id}\\?undo=`));
    const signedOut = await page(there.replace("/account", ""));
    expect(signedOut).toContain("Robin signed out everywhere.");
    expect(signedOut).not.toContain("Undo");
    expect((await activity())[0]).toMatchObject({
      event: "panelist-changed",
      subject: { id: robin.id, name: "", ideaBankId: null },
      actor: owner.email,
      changes: { before: { tokensRevokedAt: null }, after: { tokensRevokedAt: expect.stringMatching(/^20.*Z$/) } },
    });
    const blocked = await page(((await act("block")).headers.get("Location") ?? "").replace("/account", ""));
    for (const said of ["Robin blocked.", "Blocked people can’t read, vote or write."]) expect(blocked).toContain(said);
    const unblocked = await page(((await act("unblock")).headers.get("Location") ?? "").replace("/account", ""));
    for (const said of ["Robin unblocked. They need to sign in again.", ">Block<"]) expect(unblocked).toContain(said);
    // Blocking revokes for good. The page says so at the button.
    expect((await robin.send("GET", PROPOSALS)).status).toBe(401);
    expect(unblocked).toContain("Once unblocked, they sign in again.");
    const log = (await page("/activity")).split("<tr").filter((row) => row.includes(`/people/${robin.id}`));
    expect(log.map((row) => row.match(/<\/a> ([^<]*)<\/p><\/td>/)?.[1])).toEqual([
      ...["unblocked", "blocked", "signed out everywhere"],
    ]);
    expect((await act("nonsense")).status).toBe(400);
    const deleted = await act("delete");
    expect(deleted.headers.get("Location")).toMatch(/^\/account\/people\?undo=/);
    expect((await owner.page(`/people/${robin.id}`)).status).toBe(404);
    expect((await act("delete")).status).toBe(404);
    const events = await activity();
    expect(events.map(({ event }) => event)).toEqual([
      "panelist-deleted",
      "panelist-changed",
      "panelist-changed",
      "panelist-changed",
    ]);
    expect(JSON.stringify(events)).not.toMatch(/Robin|external-/);
    expect(await changes()).toContainEqual(
      expect.objectContaining({ type: "panelist.deleted", by: "tenant", panelistId: robin.id }),
    );
  });
});
