/** Each form of each page of Account Settings, sent by each of its buttons as a browser sends it that nobody has filled in. */
import { expect, it } from "vitest";
import { addressOfPage, DESK_PAGES } from "../../support/desk-pages.ts";
import { createFilledDesk } from "../../support/filled-desk.ts";
import { ORIGIN } from "../../support/owner.ts";
import { readForms } from "../../support/read-forms.ts";

const FROM_HERE = { Origin: ORIGIN, "Sec-Fetch-Site": "same-origin" };

/** An answer is a page: the same with what is wrong, another one, or one that it leads to. */
const isAnswer = (status: number): boolean => status === 200 || status === 201 || status === 400;

it("is answered by a page", async () => {
  let desk = await createFilledDesk();
  for (const page of DESK_PAGES) {
    let sent = 0;
    for (let index = 0; index <= sent; index++) {
      const shown = () => desk.owner.isolate.request(addressOfPage(page, desk.ids));
      // The form before has deleted what the page is about.
      if ((await shown()).status !== 200) desk = await createFilledDesk();
      const forms = await readForms(await shown());
      const all = forms.flatMap((form) => form.senders.map((sender) => ({ ...form, sender })));
      sent = all.length;
      const given = all[index];
      if (given === undefined) continue;
      const { method, action, fields, sender } = given;
      const body = new URLSearchParams([...fields, ...(sender.field ? [sender.field] : [])]);
      const address = (sender.action ?? action) || addressOfPage(page, desk.ids);
      const answer =
        method === "post"
          ? await desk.owner.isolate.request(address, { method: "POST", headers: FROM_HERE, body })
          : await desk.owner.isolate.request(`${address.split("?")[0]}?${body}`);
      const name = `${page}: ${method} ${address} ${body}`;
      const location = answer.headers.get("Location") ?? "";
      const final = answer.status === 303 ? await desk.owner.isolate.request(location.split("#")[0] ?? "") : answer;
      expect([name, location, final.status, isAnswer(final.status)]).toEqual([name, location, final.status, true]);
    }
  }
});
