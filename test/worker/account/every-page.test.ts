/**
 * What is true of each page of Account Settings, the pages being what its routes say: a new one is red until it is right. What needs
 * a browser is in every-page.browser.test.ts, what takes longer in every-form.slow.test.ts.
 */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { countInARow } from "../../support/calls-in-a-row.ts";
import {
  addressOfPage,
  DESK_FORMS,
  DESK_PAGES,
  isAt,
  isOfChosen,
  parametersOf,
  SIGN_IN,
} from "../../support/desk-pages.ts";
import { createFilledDesk } from "../../support/filled-desk.ts";
import { interceptDatabases } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { membersOf } from "../../support/members.ts";
import { sendAsOperator, withSecret } from "../../support/operator.ts";
import { ORIGIN } from "../../support/owner.ts";
import { readForms } from "../../support/read-forms.ts";
import { newId } from "../../support/world.ts";
import COSTS from "./page-costs.md?raw";

const PAGES = DESK_PAGES.filter((page) => page !== SIGN_IN);

const unescaped = (text: string) => text.replaceAll("&amp;", "&");
const attributes = (html: string, name: string) =>
  [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, "g"))].map(([, value = ""]) => unescaped(value));

it("opens, and is a page of its own, with a title and one heading", { tags: "slow" }, async () => {
  const { owner, ids } = await createFilledDesk();
  const titles = new Map<string, string>();
  for (const page of PAGES) {
    const response = await owner.isolate.request(addressOfPage(page, ids));
    expect([page, response.status, response.headers.get("Content-Type")]).toEqual([
      page,
      200,
      "text/html; charset=UTF-8",
    ]);
    const html = await response.text();
    const [, title = ""] = /<title>([^<]+)<\/title>/.exec(html) ?? [];
    expect(titles.get(title), `${page} has a title of its own`).toBeUndefined();
    titles.set(title, page);
    // What a frame shows is no page that somebody comes to.
    if (html.includes("<nav")) expect(html.match(/<h1[ >]/g), `${page} has one <h1>`).toHaveLength(1);
  }
});

it("asks for sign-in, calls no store before it, and is where one comes back to", { tags: "slow" }, async () => {
  const { owner, ids } = await createFilledDesk();
  const bindings = { ...withSecret, SIGN_IN_URL: "https://platform.example/sign-in" };
  const refused = interceptDatabases(bindings, () => () => Promise.reject(new Error("a store was asked")));
  for (const page of PAGES) {
    const address = addressOfPage(page, ids);
    const response = await createIsolate(refused).request(address);
    const html = await response.text();
    expect([page, response.status]).toEqual([page, 403]);
    const link = attributes(html, "href").find((href) => href.startsWith(bindings.SIGN_IN_URL)) ?? "";
    const returnTo = new URL(link).searchParams.get("returnTo") ?? "";
    expect([page, returnTo]).toEqual([page, address]);
    const answer = await sendAsOperator("POST", "/operator/sign-ins", { email: owner.email, returnTo });
    const { url } = await answer.json<{ url: string }>();
    const back = await createIsolate(withSecret).request(url.slice(ORIGIN.length));
    expect([page, back.status, back.headers.get("Location")]).toEqual([page, 303, address]);
  }
});

it("is Not found with another account's identifiers, as with unknown ones, and shows nothing of it", {
  tags: "slow",
}, async () => {
  const theirs = await createFilledDesk({ name: "theirs" });
  const mine = await createFilledDesk({ name: "mine" });
  const { accountId } = await membersOf(theirs.owner);
  for (const page of PAGES) {
    const ask = async (address: string) => {
      const response = await mine.owner.isolate.request(address);
      const html = await response.text();
      expect(html, `${address} shows what is another account's`).not.toContain("theirs");
      return response.status;
    };
    await ask(addressOfPage(page, mine.ids));
    const inTheirs = `${page}?account=${accountId}`.replace(/:\w+/g, newId());
    expect([page, await ask(inTheirs)]).toEqual([page, 403]);
    const foreign: Readonly<Record<string, string>> = theirs.ids;
    for (const parameter of parametersOf(page)) {
      const id = foreign[parameter] ?? "";
      const given = [id, newId(id), "x"].map((other) => addressOfPage(page, mine.ids, { [parameter]: other }));
      for (const address of given) expect([page, address, await ask(address)]).toEqual([page, address, 404]);
    }
    if (isOfChosen(page)) {
      const unknown = Object.fromEntries(Object.entries(theirs.ids).map(([name, id]) => [name, newId(id)]));
      const expected = await ask(addressOfPage(page, mine.ids, unknown));
      expect([page, await ask(addressOfPage(page, theirs.ids))]).toEqual([page, expected]);
    }
  }
});

it("has links that lead to a page or a place on it, and forms that a browser sends without a script", {
  tags: "slow",
}, async () => {
  const { owner, ids } = await createFilledDesk();
  const asked = new Map<string, Promise<Response>>();
  const open = (address: string) => {
    const answer = asked.get(address) ?? owner.isolate.request(address);
    asked.set(address, answer);
    return answer.then((response) => response.clone());
  };
  const led = new Set<string>();
  for (const page of PAGES) {
    const address = addressOfPage(page, ids);
    const html = await (await open(address)).text();
    const idsOfHtml = new Set(attributes(html, "id"));
    for (const href of [...attributes(html, "href"), ...attributes(html, "src")]) {
      if (href.startsWith("#")) expect(idsOfHtml, `${page}: ${href} leads nowhere`).toContain(href.slice(1));
      if (!href.startsWith("/account")) continue;
      const [path = ""] = href.split("#");
      led.add(path.split("?")[0] ?? "");
      // Cloudflare Access ends its own sessions.
      expect([page, href, (await open(path)).status]).toEqual([page, href, 200]);
    }
    for (const { method, action, senders } of await readForms(await open(address))) {
      expect([page, action, senders.length > 0], "a form without a button").toEqual([page, action, true]);
      for (const sent of [action, ...senders.map((sender) => sender.action ?? action)]) {
        const path = (sent === "" ? address : sent).split("?")[0] ?? "";
        const routes = method === "post" ? DESK_FORMS : DESK_PAGES;
        expect(
          routes.some((route) => isAt(route, path)),
          `${page} sends a form to ${method} ${path}`,
        ).toBe(true);
      }
    }
  }
  const unlinked = PAGES.filter((page) => !isOfChosen(page) && ![...led].some((path) => isAt(page, path)));
  expect(unlinked, "no page leads there").toEqual([]);
});

/** Where an index has no entry, SQLite may count the one that it looked at instead: a line of the table that differs by that alone stays. */
const COUNTED_BESIDE = 2;
const WRITTEN = COSTS.split("\n");
function asWritten(line: string): string {
  const numbersOf = (each: string) => each.split("|").slice(2, -1).map(Number);
  const [calls, all, read = 0, written] = numbersOf(line);
  const before = WRITTEN.find((each) => each.split("|")[1] === line.split("|")[1]) ?? "";
  const [callsBefore, allBefore, readBefore = 0, writtenBefore] = numbersOf(before);
  const isSame = calls === callsBefore && all === allBefore && written === writtenBefore;
  return isSame && Math.abs(read - readBefore) <= COUNTED_BESIDE ? before : line;
}

it("costs what its line says: a page that reads more than before, and a new page, are looked at first", {
  tags: "slow",
}, async () => {
  const { owner, ids } = await createFilledDesk();
  const cost = { calls: 0, read: 0, written: 0 };
  const metered = interceptDatabases(
    env,
    () => (_, makeCall) => {
      cost.calls += 1;
      return makeCall();
    },
    (results) => {
      for (const { meta } of results) {
        cost.read += meta.rows_read;
        cost.written += meta.rows_written;
      }
    },
  );
  const { far, inARow } = countInARow(metered);
  const lines = [];
  for (const page of PAGES) {
    const identity = { email: owner.email, actor: owner.email };
    const isolate = createIsolate(far, async () => identity);
    // The isolate knows the account.
    await isolate.request("/account/accounts");
    Object.assign(cost, { calls: 0, read: 0, written: 0 });
    const row = await inARow(isolate, addressOfPage(page, ids));
    expect(row.calls, `${page} waits for the database`).toBeLessThanOrEqual(2);
    lines.push(`| \`${page}\` | ${row.calls} | ${cost.calls} | ${cost.read} | ${cost.written} |`);
  }
  const table = [
    "What each page of Account Settings costs in the account that `test/support/desk-account.ts` fills. After a change that shall cost this:",
    "`npx vitest run -u --project workerd test/worker/account/every-page.test.ts`.",
    "",
    "| page | calls of D1 in a row | calls of D1 | rows read | rows written |",
    "|---|--:|--:|--:|--:|",
    ...lines.map(asWritten).toSorted(),
    "",
  ];
  await expect(table.join("\n")).toMatchFileSnapshot("page-costs.md");
});
