/** Each form of each page of Account Settings, sent by each of its buttons as a browser sends it that nobody has filled in. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { countInARow } from "../../support/calls-in-a-row.ts";
import { addressOfPage, DESK_PAGES } from "../../support/desk-pages.ts";
import { createFilledDesk } from "../../support/filled-desk.ts";
import { createIsolate } from "../../support/isolate.ts";
import { ORIGIN } from "../../support/owner.ts";
import { readForms } from "../../support/read-forms.ts";

const FROM_HERE = { Origin: ORIGIN, "Sec-Fetch-Site": "same-origin" };

/** An answer is a page: the same with what is wrong, another one, or one that it leads to. */
const isAnswer = (status: number): boolean => status === 200 || status === 201 || status === 400;

/** Several are decided about one after the other; with a member goes what the member has made. */
const LONGER = ["/account/members/:memberId/remove", "/account/ideas/delete"];

it("is answered by a page, and waits for the database at most three times", async () => {
  const { far, inARow } = countInARow(env);
  const createDesk = async () => {
    const desk = await createFilledDesk();
    const { email } = desk.owner;
    return { ...desk, isolate: createIsolate(far, async () => ({ email, actor: email })) };
  };
  let desk = await createDesk();
  const longer = new Set<string>();
  for (const page of DESK_PAGES) {
    let sent = 0;
    for (let index = 0; index <= sent; index++) {
      const shown = () => desk.isolate.request(addressOfPage(page, desk.ids));
      // The form before has deleted what the page is about.
      if ((await shown()).status !== 200) desk = await createDesk();
      const forms = await readForms(await shown());
      const all = forms.flatMap((form) => form.senders.map((sender) => ({ ...form, sender })));
      sent = all.length;
      const given = all[index];
      if (given === undefined) continue;
      const { method, action, fields, sender } = given;
      const body = new URLSearchParams([...fields, ...(sender.field ? [sender.field] : [])]);
      const address = (sender.action ?? action) || addressOfPage(page, desk.ids);
      const { answer, calls } =
        method === "post"
          ? await inARow(desk.isolate, address, { method: "POST", headers: FROM_HERE, body })
          : await inARow(desk.isolate, `${address.split("?")[0]}?${body}`);
      // A form that was refused has its page behind it.
      const most = answer.status === 303 ? 3 : 5;
      if (calls > most) longer.add(page);
      const name = `${page}: ${method} ${address} ${body}`;
      const location = answer.headers.get("Location") ?? "";
      const final = answer.status === 303 ? await desk.isolate.request(location.split("#")[0] ?? "") : answer;
      expect([name, location, final.status, isAnswer(final.status)]).toEqual([name, location, final.status, true]);
    }
  }
  expect([...longer]).toEqual(LONGER);
});
