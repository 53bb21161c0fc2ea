/** “Your emails”: what a member chooses for each board is that member's, and says what the job does. */
import { describe, expect, it } from "vitest";
import { databaseOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { add } from "../../support/members.ts";
import { createOwner } from "../../support/owner.ts";
import { withMail } from "../../support/page-visitor.ts";
import { readForm } from "../../support/read-forms.ts";

const NO_MAIL = "Email isn’t set up on this service yet.";

async function createScene() {
  const desk = await createDesk();
  const { accountId, id: bankId } = desk.panel.bank;
  const rows = async (text: string) =>
    (await databaseOf(accountId).prepare(text).bind(accountId).all<Record<string, unknown>>()).results;
  return {
    ...desk,
    ...{ accountId, bankId },
    chosen: () =>
      rows(
        "SELECT email, idea_bank_id, ideas, comments FROM member_mails WHERE account_id = ?1 ORDER BY email, idea_bank_id",
      ),
    clocks: () => rows("SELECT email, time_zone, hour, next_digest_at FROM told_members WHERE account_id = ?1"),
    form: async (owner = desk.owner) =>
      Object.fromEntries((await readForm(await owner.page(`/emails?account=${accountId}`), "Save")).fields),
  };
}

describe("the page", () => {
  it("opens with a day's digest for whoever makes an account, and changes what its user changed", {
    tags: "slow",
  }, async () => {
    const { owner, bankId, form, chosen, clocks } = await createScene();
    const fields = await form();
    expect(fields).toMatchObject({
      ideas: "daily",
      comments: "daily",
      [`ideas-${bankId}`]: "",
      hour: "8",
      timeZone: "UTC",
    });
    const saved = await owner.submit("/emails", {
      ...fields,
      [`comments-${bankId}`]: "now",
      ...{ ideas: "never", timeZone: "Europe/Berlin", hour: "18" },
    });
    expect(saved.headers.get("Location")).toBe("/account/emails?told=emails-saved");
    const { email } = owner;
    expect(await chosen()).toEqual([
      { email, idea_bank_id: "", ideas: "never", comments: "daily" },
      { email, idea_bank_id: bankId, ideas: null, comments: "now" },
    ]);
    const [clock] = await clocks();
    expect(clock).toMatchObject({ time_zone: "Europe/Berlin", hour: 18 });
    const next = new Date(Number(clock?.next_digest_at));
    expect(next.toLocaleTimeString("sv-SE", { timeZone: "Europe/Berlin" })).toBe("18:00:00");
    const page = await (await owner.page("/emails?told=emails-saved")).text();
    expect(page).toContain("Your emails are saved.");
    expect(page).toContain("As all boards (never)");
    expect(await form()).toMatchObject({ ideas: "never", [`comments-${bankId}`]: "now", timeZone: "Europe/Berlin" });
  });

  it("says where e-mail is not set up; without it, nothing", async () => {
    const { owner } = await createScene();
    expect(await (await owner.page("/emails")).text()).toContain(NO_MAIL);
    const there = createOwner(owner.email, { ...withMail, SIGN_IN_URL: "https://desk.example/account" });
    expect(await (await there.page("/emails")).text()).not.toContain(NO_MAIL);
  });

  it("is Never for somebody who was a member before, and makes their rows", async () => {
    const { owner, accountId, form, chosen } = await createScene();
    for (const table of ["told_members", "member_mails"])
      await databaseOf(accountId).prepare(`DELETE FROM ${table} WHERE account_id = ?1`).bind(accountId).run();
    const fields = await form();
    expect(fields).toMatchObject({ ideas: "never", comments: "never" });
    expect((await owner.submit("/emails", fields)).status).toBe(303);
    await owner.submit("/emails", { ...fields, ideas: "now" });
    expect(await chosen()).toMatchObject([{ email: owner.email, idea_bank_id: "", ideas: "now", comments: null }]);
    expect(await form()).toMatchObject({ ideas: "now", comments: "never" });
  });

  it("is each member's own, in each account", { tags: "slow" }, async () => {
    const { owner, accountId, bankId, form, chosen } = await createScene();
    const member = createOwner();
    await add(owner, member);
    await member.submit(`/emails?account=${accountId}`, { ...(await form(member)), [`ideas-${bankId}`]: "now" });
    expect((await chosen()).filter(({ idea_bank_id: bank }) => bank === bankId)).toMatchObject([
      { email: member.email },
    ]);
    expect(await form()).toMatchObject({ [`ideas-${bankId}`]: "" });
    const other = await createDesk();
    await other.owner.submit("/emails", { [`ideas-${bankId}`]: "now", ideas: "never" });
    expect(await chosen()).toHaveLength(3);
    const { results } = await databaseOf(other.panel.bank.accountId)
      .prepare("SELECT 1 FROM member_mails WHERE idea_bank_id = ?1 AND email = ?2")
      .bind(bankId, other.owner.email)
      .all();
    expect(results).toEqual([]);
  });

  it.each([
    [{ timeZone: "Middle/Earth" }, "Time zone is not known. Choose another."],
    [{ hour: "24" }, "Hour must be from 0 to 23"],
    [{ ideas: "weekly" }, "Nothing was changed."],
    [{ ideas: "" }, "Nothing was changed."],
  ] as Record<string, string>[][] as [Record<string, string>, string][])("refuses %o", async (wrong, words) => {
    const { owner, form, chosen, clocks } = await createScene();
    const [before, clock] = [await chosen(), await clocks()];
    const refused = await owner.submit("/emails", { ...(await form()), comments: "now", ...wrong });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain(words);
    expect([await chosen(), await clocks()]).toEqual([before, clock]);
  });

  it("keeps what was chosen with a member whose address moves, and a deleted board takes its rows along", async () => {
    const { owner, accountId, bankId, chosen } = await createScene();
    await owner.submit("/emails", { [`ideas-${bankId}`]: "now" });
    const sql = (text: string, ...values: unknown[]) =>
      databaseOf(accountId)
        .prepare(text)
        .bind(...values)
        .run();
    await sql("UPDATE accounts SET owner_email = 'new@example.com' WHERE id = ?1", accountId);
    expect(await chosen()).toMatchObject([{ email: "new@example.com" }, { idea_bank_id: bankId }]);
    await sql("DELETE FROM idea_banks WHERE id = ?1", bankId);
    expect(await chosen()).toMatchObject([{ email: "new@example.com", idea_bank_id: "" }]);
    await sql("UPDATE accounts SET owner_email = id WHERE id = ?1", accountId);
    expect(await chosen()).toEqual([]);
  });
});

it("is linked from the pages of members and of the account", async () => {
  const { owner } = await createScene();
  for (const page of ["/members", "/accounts"])
    expect(await (await owner.page(page)).text()).toContain('<a href="/account/emails">Choose');
});
