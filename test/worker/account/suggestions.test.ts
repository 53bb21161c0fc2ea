/** What is suggested while somebody types, and whom a typed name means when it is sent. */
import { expect, it } from "vitest";
import { createDesk } from "../../support/desk.ts";
import { readForm } from "../../support/read-forms.ts";

type Suggested = { readonly items: readonly Record<string, string>[] };

async function createScene() {
  const desk = await createDesk();
  const suggest = async (path: string) => (await (await desk.owner.page(path)).json<Suggested>()).items;
  const person = async (fields: Record<string, string>) =>
    (await desk.panel.tenant.send("POST", "/tenant/panelists", fields)).json<{ id: string }>();
  return { ...desk, suggest, person };
}

it("people are found by any part of their name, address or ID, and not another account's", async () => {
  const { suggest, person } = await createScene();
  const [ana, nameless] = [
    await person({ displayName: "Ana López", externalId: "42", email: "ana@example.com" }),
    await person({ email: "anabel@example.com" }),
  ];
  await (await createScene()).person({ displayName: "Ana Other" });
  const expected = [
    { value: "42", label: "Ana López · ana@example.com" },
    { value: nameless.id, label: `${nameless.id} · anabel@example.com` },
  ];
  expect(new Set(await suggest("/people/suggestions.json?q=ana"))).toEqual(new Set(expected));
  expect(await suggest("/people/suggestions.json?q=L%C3%B3pez")).toEqual([expected[0]]);
  expect(await suggest("/people/suggestions.json?q=")).toEqual([]);
  expect(ana.id).not.toBe("");
});

it("a person without an ID of the tenant's is named by ours", async () => {
  const { person, owner, bank, idea } = await createScene();
  const nameless = await person({ email: "anabel@example.com" });
  const { fields, action } = await readForm(await owner.page("/ideas/new"), "Add idea");
  const sent = { ...Object.fromEntries(fields), title: "Dogs", panelistExternalId: nameless.id };
  const answer = await owner.submit(action.replace("/account", ""), sent);
  const [id = ""] = /(?<=ideas\/)\w{12}/.exec(answer.headers.get("Location") ?? "") ?? [];
  expect((await idea(id)).panelistId).toBe(nameless.id);
  expect(bank).not.toBe("");
});

it("ideas that a title may repeat are those of the chosen board", { tags: "slow" }, async () => {
  const { panel, suggest, bank } = await createScene();
  const [id] = [await panel.propose({ title: "Dogs travel free" }), await panel.propose({ title: "Night buses" })];
  const other = await createScene();
  await other.panel.propose({ title: "Dogs travel free, too" });
  const ask = (board: string, q: string) => suggest(`/ideas/suggestions.json?${new URLSearchParams({ board, q })}`);
  const found = await ask(panel.bank.id, "free travel for dogs");
  expect(found).toEqual([
    { path: `/account${bank}/ideas/${id}`, label: "Dogs travel free", hint: "0 votes · Submitted" },
  ]);
  expect(await ask(other.panel.bank.id, "dogs")).toEqual([]);
  expect(await ask("no id", "dogs")).toEqual([]);
});
