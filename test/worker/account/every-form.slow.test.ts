/** Each form of each page of Account Settings, sent by each of its buttons as a browser sends it that nobody has filled in. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { countInARow } from "../../support/calls-in-a-row.ts";
import { addressOfPage, DESK_PAGES } from "../../support/desk-pages.ts";
import { createFilledDesk } from "../../support/filled-desk.ts";
import { createIsolate } from "../../support/isolate.ts";
import { ORIGIN } from "../../support/owner.ts";
import { readForms } from "../../support/read-forms.ts";

/** A page that has nothing left to ask leads on by itself. */
const LED_AT_MOST = 2;

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
      const opened = addressOfPage(page, desk.ids);
      // As a browser tells it, also where an answer leads.
      const headers = { "Sec-Fetch-Site": "same-origin", Referer: `${ORIGIN}${opened}` };
      const shown = () => desk.isolate.request(opened, { headers });
      // The form before has deleted what the page is about.
      if ((await shown()).status !== 200) desk = await createDesk();
      const forms = await readForms(await shown());
      const all = forms.flatMap((form) => form.senders.map((sender) => ({ ...form, sender })));
      sent = all.length;
      const given = all[index];
      if (given === undefined) continue;
      const { method, action, fields, sender } = given;
      const body = new URLSearchParams([...fields, ...(sender.field ? [sender.field] : [])]);
      const address = (sender.action ?? action) || opened;
      const { answer, calls } =
        method === "post"
          ? await inARow(desk.isolate, address, { method: "POST", headers: { ...headers, Origin: ORIGIN }, body })
          : await inARow(desk.isolate, `${address.split("?")[0]}?${body}`, { headers });
      // A form that was refused has its page behind it.
      const most = answer.status === 303 ? 3 : 5;
      if (calls > most) longer.add(page);
      const name = `${page}: ${method} ${address} ${body}`;
      const led: string[] = [];
      let final = answer;
      while (final.status === 303 && led.length < LED_AT_MOST) {
        const location = final.headers.get("Location") ?? "";
        led.push(location);
        final = await desk.isolate.request(location.split("#")[0] ?? "", { headers });
      }
      expect([name, led, final.status, isAnswer(final.status)]).toEqual([name, led, final.status, true]);
    }
  }
  expect([...longer]).toEqual(LONGER);
});
