/** Each button saves the box that it stands in. */
import { expect, it } from "vitest";
import { createDesk } from "../../support/desk.ts";
import { addressOfPage, DESK_PAGES, SIGN_IN } from "../../support/desk-pages.ts";
import { createFilledDesk } from "../../support/filled-desk.ts";
import { ORIGIN } from "../../support/owner.ts";
import { readForm, readForms } from "../../support/read-forms.ts";

/** What may go along with a text that is posted: answering and deciding are one act. */
const WITH_A_DRAFT = [
  "was",
  "asks",
  "then",
  "once",
  "commentId",
  "noteId",
  "edits",
  "status",
  "tell",
  "has-tell",
  "minor",
];

it("a text that is posted stands in a box of its own, on every page", { tags: "slow" }, async () => {
  const { owner, ids } = await createFilledDesk();
  const drafts: string[] = [];
  for (const page of DESK_PAGES.filter((each) => each !== SIGN_IN)) {
    const html = await (await owner.isolate.request(addressOfPage(page, ids))).text();
    const names = [...html.matchAll(/<textarea[^>]*>/g)]
      .filter(([area]) => area.includes("data-draft"))
      .map(([area]) => /name="([^"]+)"/.exec(area)?.[1] ?? "");
    for (const name of new Set(names)) {
      const forms = (await readForms(new Response(html))).filter(
        ({ method, fields }) => method === "post" && fields.has(name),
      );
      drafts.push(`${page} ${name}`);
      for (const { fields } of forms.filter((form) => form.fields.get("commentId") === null))
        expect([page, [...fields.keys()].filter((each) => each !== name && !WITH_A_DRAFT.includes(each))]).toEqual([
          page,
          [],
        ]);
    }
  }
  expect(drafts).toContain("/account/idea-banks/:ideaBankId/ideas/:proposalId response");
  expect(drafts).toContain("/account/idea-banks/:ideaBankId/ideas/:proposalId body");
  expect(drafts).toContain("/account/ideas response");
});

it("tags, a status and a text are saved without what is written in the response", { tags: "slow" }, async () => {
  const { owner, panel, bank, idea, changes } = await createDesk();
  const id = await panel.propose({ title: "Night buses" });
  const path = `${bank}/ideas/${id}`;
  for (const [button, sent] of [
    ["Save", { do: "decide", tags: "Bus" }],
    ["Save text", { do: "edit", title: "Later buses" }],
  ] as const) {
    const { action, fields } = await readForm(await owner.page(path), button);
    expect([button, fields.has("response")]).toEqual([button, false]);
    await owner.submit(action.replace("/account", ""), { ...Object.fromEntries(fields), ...sent });
  }
  expect(await idea(id)).toMatchObject({ tags: ["Bus"], title: "Later buses", response: null });
  const { fields } = await readForm(await owner.page(path), "Post response");
  await owner.submit(path, { ...Object.fromEntries(fields), do: "decide", response: "Soon.", status: "planned" });
  expect(await idea(id)).toMatchObject({ tags: ["Bus"], status: "planned", response: { text: "Soon." } });
  const types = (await changes()).map((change) => ("type" in change ? String(change.type) : ""));
  expect(types.filter((type) => type.startsWith("proposal."))).toEqual([
    "proposal.created",
    "proposal.updated",
    "proposal.updated",
    "proposal.status-changed",
  ]);
});

it("a row of the queue sets its own status, whatever was chosen in others", { tags: "slow" }, async () => {
  const { owner, panel, bank, idea } = await createDesk();
  const [one, two] = [await panel.propose(), await panel.propose()];
  const { fields } = await readForm(await owner.page(bank), "Set");
  await owner.submit(bank, {
    ...Object.fromEntries(fields),
    ...{ [`status-${one}`]: "planned", [`status-${two}`]: "declined", do: `status:${panel.bank.id}-${one}` },
  });
  expect([(await idea(one)).status, (await idea(two)).status]).toEqual(["planned", "submitted"]);
});

it("what waits is approved with its response and its status, and with nothing of the other boxes", {
  tags: "slow",
}, async () => {
  const { owner, panel, bank, idea } = await createDesk();
  const id = await panel.propose({ visibility: "pending", tags: ["A"] });
  const path = `${bank}/ideas/${id}`;
  const { fields } = await readForm(await owner.page(path), "Approve");
  expect([...fields.keys()].toSorted()).toEqual(["asks", "edits", "response", "status", "was"]);
  const sent = { ...Object.fromEntries(fields), do: "approve", response: "Good.", status: "planned" };
  expect((await owner.submit(path, sent, { Referer: `${ORIGIN}/account${path}` })).status).toBe(303);
  expect(await idea(id)).toMatchObject({
    ...{ visibility: "public", status: "planned", tags: ["A"], response: { text: "Good." } },
  });
});
