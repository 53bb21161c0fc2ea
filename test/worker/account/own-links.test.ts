/** A link on a page of the desk fills in a form; no other link does. */
import { expect, it } from "vitest";
import { addressOfPage, DESK_PAGES, isOfChosen } from "../../support/desk-pages.ts";
import { createFilledDesk } from "../../support/filled-desk.ts";
import { ELSEWHERE, HERE } from "../../support/links.ts";

const PAGES = DESK_PAGES.filter(isOfChosen);

it("what a link from elsewhere says stands in no field", { tags: "slow" }, async () => {
  const { owner, ids } = await createFilledDesk();
  // The newest board is the first to choose.
  await owner.submit("/idea-banks", { name: "Another" });
  for (const [address, filled] of [
    ["/account/ideas/new?title=Planted", 'value="Planted"'],
    [`/account/idea-banks/${ids.ideaBankId}/embed?signIn=https://planted.example`, "https://planted.example"],
    [`/account/idea-banks/${ids.ideaBankId}/preview?signIn=https://planted.example`, "https://planted.example"],
    [`/account/surveys/new?voters=${ids.proposalId}`, `name="voters" value="${ids.proposalId}"`],
    [`/account/people/${ids.panelistId}/clear?with=person`, 'value="delete-all"'],
    [`/account/import?board=${ids.ideaBankId}`, `value="${ids.ideaBankId}" selected`],
  ] as const) {
    const shown = async (headers: Record<string, string>) =>
      (await (await owner.isolate.request(address, { headers })).text()).includes(filled);
    expect([address, await shown(HERE)]).toEqual([address, true]);
    for (const headers of ELSEWHERE)
      expect([address, headers, await shown(headers)]).toEqual([address, headers, false]);
  }
});

it("no ideas of a link from elsewhere are shown to be merged, deleted or published", { tags: "slow" }, async () => {
  const { owner, ids } = await createFilledDesk();
  for (const page of PAGES) {
    const address = addressOfPage(page, ids);
    expect([page, (await owner.isolate.request(address, { headers: HERE })).status]).toEqual([page, 200]);
    for (const headers of ELSEWHERE)
      expect([page, (await owner.isolate.request(address, { headers })).status]).not.toEqual([page, 200]);
  }
});

it("a filter of a list works from everywhere, because it changes nothing", { tags: "slow" }, async () => {
  const { owner } = await createFilledDesk();
  for (const headers of ELSEWHERE) {
    const html = await (await owner.isolate.request("/account/ideas?q=zebra&status=planned", { headers })).text();
    expect(html).toContain('value="zebra"');
  }
});
