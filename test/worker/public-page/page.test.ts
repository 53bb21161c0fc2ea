/** A board's own page: who may read what, at which address, and what may keep it. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { countStores, failStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createPanel } from "../../support/panel.ts";
import { createPageScene, open } from "../../support/public-page.ts";
import { QUESTIONS } from "../../support/surveys.ts";
import { newId } from "../../support/world.ts";

const overLimit = { PANELIST_READS: { limit: async () => ({ success: false }) } };
const bodyOf = async (answer: Response) => [answer.status, await answer.text()] as const;

describe("the address", () => {
  it("is led to the name of today, for now only, from every other name", { tags: "slow" }, async () => {
    const { isolate, home, bank } = await createPageScene();
    const others = [`/b/${bank.id}`, `/b/${bank.id}/`, `/b/${bank.id}/another-name`, `/b/${bank.id}/%F0%9F%98%80`];
    for (const path of others) {
      const answer = await open(isolate, path);
      expect([answer.status, answer.headers.get("Location"), answer.headers.get("Cache-Control")], path).toEqual([
        302,
        home,
        "no-store",
      ]);
    }
    const kept = await open(isolate, `/b/${bank.id}/x/roadmap?lang=de`);
    expect([kept.status, kept.headers.get("Location")]).toEqual([302, `${home}/roadmap?lang=de`]);
    expect((await open(isolate, home)).status).toBe(200);
  });

  it.each(["أفكار الركاب", "乘客的想法", "Идеи пассажиров", "रेल के सुझाव", "🚆🎉", "Token", "Sign in", "---"])(
    "works for a board that is called %s",
    async (name) => {
      const { isolate, bank } = await createPageScene({}, { name });
      const first = await open(isolate, `/b/${bank.id}`);
      const path = first.headers.get("Location") ?? `/b/${bank.id}`;
      const answer = first.status === 302 ? await open(isolate, path) : first;
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain(`<link rel="canonical" href="https://api.example${path}"/>`);
      const roadmap = await open(isolate, `/b/${bank.id}/-/roadmap`);
      const at = roadmap.headers.get("Location") ?? `/b/${bank.id}/-/roadmap`;
      expect((roadmap.status === 302 ? await open(isolate, at) : roadmap).status).toBe(200);
    },
  );
});

describe("what is not for strangers", () => {
  it("is one bare answer: off, closed, a draft, suspended, deleted, missing, no identifier", {
    tags: "slow",
  }, async () => {
    const { isolate, manage, bank, home } = await createPageScene();
    const missing = await bodyOf(await open(isolate, `/b/${newId(bank.id)}/x`));
    expect(missing[0]).toBe(404);
    expect(missing[1]).not.toContain("Rider");
    const gone = async (path = home) => expect(await bodyOf(await open(createIsolate(), path)), path).toEqual(missing);
    for (const path of [
      "/b/x",
      "/b/x/y",
      `/b/${bank.id}/x/nothing`,
      `/b/${bank.id}/x/y/z/more`,
      `/b/Z${bank.id.slice(1)}/x`,
    ])
      await gone(path);
    for (const changes of [{ publicPage: false }, { status: "CLOSED" }, { status: "DRAFT" }]) {
      await manage("PATCH", "", changes);
      for (const below of ["", "/roadmap", "/changelog", "/surveys"]) await gone(home + below);
      for (const file of ["sitemap.xml", "changelog.atom", "changelog.json"]) await gone(`/b/${bank.id}/${file}`);
      await manage("PATCH", "", { publicPage: true, status: "OPEN" });
    }
    const database = databaseOf(bank.accountId);
    const suspend = database.prepare("UPDATE accounts SET status = ?2 WHERE id = ?1");
    await suspend.bind(bank.accountId, "suspended").run();
    await gone();
    await suspend.bind(bank.accountId, "active").run();
    expect((await open(createIsolate(), home)).status).toBe(200);
    await manage("DELETE", "");
    await gone();
  });

  it("hidden, waiting, merged and deleted ideas give the same answer as one that never was", {
    tags: "slow",
  }, async () => {
    const scene = await createPageScene();
    const { propose, manage, home, panelist, isolate } = scene;
    const person = await panelist("Robin");
    const [kept, hidden, merged, deleted] = await Promise.all(
      ["Kept", "Hidden one", "Merged one", "Deleted one"].map((title) => propose({ title })),
    );
    await manage("PATCH", "", { approvalRequired: true });
    const waiting = await person.submit("Waiting one");
    await manage("PATCH", `/proposals/${hidden}`, { visibility: "hidden" });
    await manage("POST", `/proposals/${merged}/merge`, { into: kept });
    await manage("DELETE", `/proposals/${deleted}`);
    const never = await bodyOf(await open(isolate, `${home}/ideas/${newId(scene.bank.id)}`));
    expect(never[0]).toBe(404);
    for (const id of [hidden, merged, deleted, waiting])
      expect(await bodyOf(await open(isolate, `${home}/ideas/${id}`))).toEqual(never);
    expect((await open(isolate, `${home}/ideas/${kept}`)).status).toBe(200);
    for (const page of [await scene.read(), await scene.read("/roadmap")])
      for (const title of ["Hidden one", "Merged one", "Deleted one", "Waiting one"]) expect(page).not.toContain(title);
    expect(await (await open(isolate, `/b/${scene.bank.id}/sitemap.xml`)).text()).not.toContain(hidden ?? "");
  });

  it("an internal board has its changelog alone", async () => {
    const { isolate, home, manage, bank } = await createPageScene();
    await manage("PATCH", "", { internal: true });
    const page = await (await open(isolate, home)).text();
    expect(page).toContain("<idea-bank-changelog");
    expect(page).not.toContain("<idea-bank-board");
    expect((await open(isolate, `${home}/roadmap`)).status).toBe(404);
    expect((await open(isolate, `${home}/ideas/${newId(bank.id)}`)).status).toBe(404);
  });

  it("is gone at the next look when the tenant hides it", async () => {
    const { propose, manage, read } = await createPageScene();
    const id = await propose({ title: "Soon hidden" });
    expect(await read()).toContain("Soon hidden");
    expect(await read(`/ideas/${id}`)).toContain("Soon hidden");
    await manage("PATCH", `/proposals/${id}`, { visibility: "hidden" });
    expect(await read()).not.toContain("Soon hidden");
    await expect(read(`/ideas/${id}`)).rejects.toThrow("404");
  });
});

it("what the team decides at the desk is on the page at its next look, here", { tags: "slow" }, async () => {
  const { panel, owner, bank, opened } = await createDesk();
  await panel.manage("PATCH", "", { name: "Rider ideas", publicPage: true });
  const isolate = owner.isolate;
  const look = async (below = "") => (await open(isolate, `/b/${panel.bank.id}/rider-ideas${below}`)).text();
  const id = await panel.propose({ title: "Night buses" });
  expect(await look()).toContain("Night buses");
  const decided = await owner.submit(`${bank}/ideas/${id}`, {
    ...(await opened(`${bank}/ideas/${id}`, "Save")),
    visibility: "hidden",
  });
  expect(decided.status).toBe(303);
  expect(await look()).not.toContain("Night buses");
  expect(await look(`/ideas/${id}`)).toContain("Page not found");
});

describe("tabs", () => {
  it("are those of what the board has", { tags: "slow" }, async () => {
    const { read, tenant, bank, manage } = await createPageScene();
    const tabsOf = async () =>
      [...(await read()).matchAll(/<a href="([^"]*)"[^>]*>(Ideas|Roadmap|What’s new|Surveys)</g)].map(
        ([, , name]) => name,
      );
    expect(await tabsOf()).toEqual(["Ideas", "Roadmap", "What’s new"]);
    const made = await tenant.send("POST", "/tenant/surveys", {
      title: "How was it?",
      ideaBankId: bank.id,
      questions: QUESTIONS,
    });
    const { id } = await made.json<{ id: string }>();
    await tenant.send("PATCH", `/tenant/surveys/${id}`, { status: "OPEN" });
    await expect.poll(tabsOf).toEqual(["Ideas", "Roadmap", "What’s new", "Surveys"]);
    expect(await read("/surveys")).toContain("How was it?");
    expect(await read(`/surveys/${id}`)).toContain("<idea-bank-survey");
    await manage("PATCH", "", { changelogEnabled: false, surveysEnabled: false });
    expect(await tabsOf()).toEqual(["Ideas", "Roadmap"]);
  });
});

it("a longer column of the roadmap goes on without a script", { tags: "slow" }, async () => {
  const { propose, read } = await createPageScene();
  for (let at = 0; at < 12; at += 1) await propose({ title: `Planned ${at}`, status: "planned" });
  await propose({ title: "Under way", status: "in-progress" });
  const titlesOn = (page: string) => [...page.matchAll(/class="open"[^>]*>([^<]*)</g)].map(([, title]) => title);
  const first = await read("/roadmap");
  const [, more = ""] = /href="[^"]*(\/roadmap\?status=planned&amp;after=[^"]*)"/.exec(first) ?? [];
  const second = await read(more.replaceAll("&amp;", "&"));
  expect(titlesOn(first)).toHaveLength(11);
  expect(titlesOn(second)).toHaveLength(3);
  expect(new Set([...titlesOn(first), ...titlesOn(second)]).size).toBe(13);
  expect(second).toContain('<meta name="robots" content="noindex"/>');
  // Of another column, or made up: the beginning.
  expect(titlesOn(await read("/roadmap?status=planned&after=ibc_x"))).toEqual(titlesOn(first));
});

describe("what search engines and previews read", () => {
  const tag = (page: string, name: string) =>
    new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)"`).exec(page)?.[1];

  it("of an idea: its title, its text, its address, a picture of pixels with its size", async () => {
    const { propose, read, home } = await createPageScene();
    const id = await propose({
      title: 'Dogs & <cats> travel "free"',
      description: "On **all** trains.\n\nMore of it.",
    });
    const page = await read(`/ideas/${id}`);
    expect(page).toContain("<title>Dogs &amp; &lt;cats&gt; travel &quot;free&quot; · Rider ideas</title>");
    expect(tag(page, "og:title")).toBe("Dogs &amp; &lt;cats&gt; travel &quot;free&quot;");
    expect(tag(page, "og:description")).toBe("On all trains.");
    expect(tag(page, "description")).toBe("On all trains.");
    expect(tag(page, "og:url")).toBe(`https://api.example${home}/ideas/${id}`);
    expect(tag(page, "og:image")).toMatch(/^https:\/\/api\.example\/.*\.png$/);
    expect([tag(page, "og:image:width"), tag(page, "og:image:height")]).toEqual(["1200", "630"]);
    expect(tag(page, "twitter:card")).toBe("summary_large_image");
    expect(page).toContain(`<link rel="canonical" href="https://api.example${home}/ideas/${id}"/>`);
  });

  it("of a board that hides from them: noindex, by header and tag, and no place in a sitemap; previews stay", async () => {
    const { isolate, manage, visit, bank, home } = await createPageScene();
    const listed = async () => (await open(createIsolate(), "/sitemap.xml")).text();
    expect(await listed()).toContain(`https://api.example/b/${bank.id}/sitemap.xml`);
    expect(await (await open(isolate, `/b/${bank.id}/sitemap.xml`)).text()).toContain(
      `<loc>https://api.example${home}</loc>`,
    );
    expect((await visit()).headers.get("X-Robots-Tag")).toBeNull();
    await manage("PATCH", "", { hiddenFromSearch: true });
    const answer = await visit();
    const page = await answer.text();
    expect(answer.headers.get("X-Robots-Tag")).toBe("noindex");
    expect(tag(page, "robots")).toBe("noindex");
    expect(tag(page, "og:title")).toBe("Rider ideas");
    expect(await listed()).not.toContain(bank.id);
    expect((await open(isolate, `/b/${bank.id}/sitemap.xml`)).status).toBe(404);
    const robots = await (await open(isolate, "/robots.txt")).text();
    expect(robots).not.toContain("/b");
    for (const path of ["/account", "/operator", "/tenant"]) expect(robots).toContain(`Disallow: ${path}\n`);
    expect(robots).toContain("Sitemap: https://api.example/sitemap.xml");
  });
});

describe("a page of nothing", () => {
  it("a board whose page is nothing is in no sitemap, and the start page does not tell its name", async () => {
    const { bank, manage } = await createPageScene();
    await manage("PATCH", "", { internal: true, changelogEnabled: false, name: "Secret merger" });
    const isolate = createIsolate();
    expect((await open(isolate, `/b/${bank.id}`)).status).toBe(404);
    expect(await (await open(isolate, "/sitemap.xml")).text()).not.toContain(bank.id);
    expect((await open(createIsolate(), "/")).headers.get("Location")).toBeNull();
  });
});

describe("languages", () => {
  it("come from the address, else from the browser; only an address that names one may be kept by others", async () => {
    const { visit } = await createPageScene();
    const german = await visit("", { "Accept-Language": "xx, de-CH;q=0.9, en;q=0.5" });
    expect(await german.text()).toContain('<html lang="de" dir="ltr">');
    expect([german.headers.get("Cache-Control"), german.headers.get("Vary")]).toEqual([
      "private, no-cache",
      "Accept-Language",
    ]);
    const arabic = await visit("?lang=ar", { "Accept-Language": "de" });
    const page = await arabic.text();
    expect(page).toContain('<html lang="ar" dir="rtl">');
    expect(arabic.headers.get("Cache-Control")).toBe("public, max-age=60");
    expect(arabic.headers.get("Set-Cookie")).toBeNull();
    // Every way on within the page keeps it.
    expect(page).toMatch(/href="[^"]*\/roadmap\?lang=ar"/);
    expect(await (await visit("?lang=xx", { "Accept-Language": "fr" })).text()).toContain('<html lang="fr"');
  });
});

describe("the changelog", () => {
  it("leads to its older entries, by month, and names no idea there", { tags: "slow" }, async () => {
    const scene = await createPageScene({ changelogMaxEntries: 2 });
    const ids: string[] = [];
    for (let month = 0; month < 23; month++) {
      const createdAt = new Date(Date.UTC(2024, month, 15)).toISOString();
      ids.push(await scene.propose({ title: `Entry ${month}.`, status: "implemented", createdAt }));
    }
    const olderOf = (page: string) => /<a class="button more"[^>]*href="[^"?]*(\?[^"]*)"/.exec(page)?.[1];
    const shown = (page: string) => [...page.matchAll(/>Entry (\d+)\.</g)].map(([, month]) => Number(month));
    const first = await scene.read("/changelog");
    expect(shown(first)).toEqual([22, 21]);
    const older = await scene.read(`/changelog${olderOf(first)}`);
    expect(shown(older)).toEqual(Array.from({ length: 20 }, (_, at) => 20 - at));
    expect(older).toContain(">September 2025</h2>");
    expect(older).toContain('<meta name="robots" content="noindex"');
    const last = await scene.read(`/changelog${olderOf(older)}`);
    expect([shown(last), olderOf(last)]).toEqual([[0], undefined]);
    for (const page of [first, older, last]) for (const id of ids) expect(page).not.toContain(id);
  });

  it("leads to none where there are none", async () => {
    const scene = await createPageScene({ changelogMaxEntries: 2 });
    for (const title of ["One", "Two"]) await scene.propose({ title, status: "implemented" });
    expect(await scene.read("/changelog")).not.toContain("button more");
  });

  it("keeps what an address names when it leads to the name of today", async () => {
    const { isolate, home, bank } = await createPageScene();
    const kept = await open(isolate, `/b/${bank.id}/x/changelog?lang=de&update=abc&after=x&else=1`);
    expect(kept.headers.get("Location")).toBe(`${home}/changelog?update=abc&after=x&lang=de`);
  });
});

describe("safety", () => {
  it("no page of it stands in a frame, runs what is in a text, or has a token", async () => {
    const hostile = "</script><script>alert(1)</script><img src=x onerror=alert(1)>";
    const { propose, visit, manage, panelist } = await createPageScene();
    const person = await panelist(`"><b onclick=alert(1)>`);
    await manage("PATCH", "", { name: "Rider ideas", description: "</p><script>alert(2)</script>" });
    const id = await propose({ title: hostile, description: `${hostile}\njavascript:alert(1)` });
    await person.send("POST", `/ideabank/proposals/${id}/comments`, { body: hostile });
    for (const below of ["", `/ideas/${id}`, "/roadmap", "/changelog"]) {
      const answer = await visit(below);
      const policy = answer.headers.get("Content-Security-Policy") ?? "";
      expect(answer.headers.get("X-Frame-Options")).toBe("DENY");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).not.toContain("unsafe");
      const page = await answer.text();
      expect(page).not.toMatch(/<script>|<img src=x|<b onclick|ib[vt]_[\w-]{20}/);
      // What is not a script of ours is data.
      for (const [, attributes] of page.matchAll(/<script([^>]*)>/g))
        expect(attributes).toMatch(
          /^ type="module" src="\/embed\/\w+\.js"$|^ type="application\/json" class="initial"$/,
        );
    }
  });
});

it("who has signed in gets the same bytes as a stranger, and no cookie is answered", { tags: "slow" }, async () => {
  const { propose, visit, panelist, bank } = await createPageScene({}, { signInUrl: "https://customer.example/login" });
  const person = await panelist("Robin");
  const id = await person.submit("Of Robin");
  await propose({ title: "Of the tenant" });
  await person.send("PUT", `/ideabank/proposals/${id}/vote`);
  const Cookie = [
    `__Host-board-${bank.id}=${Date.now().toString(36)}.Um9iaW4.${person.token}`,
    `__Host-code-${bank.id}=${"a".repeat(22)}..Um9iaW4`,
    `__Host-typed-${bank.id}=YUBleGFtcGxlLmNvbQ.Um9iaW4.`,
    "__Host-owner=anybody",
  ].join("; ");
  for (const below of ["", `/ideas/${id}`, "/roadmap", "/changelog", "?lang=de"]) {
    const [stranger, signedIn] = [await visit(below), await visit(below, { Cookie })];
    const headersOf = ({ headers }: Response) => [...headers].filter(([name]) => name !== "x-request-id");
    expect(headersOf(signedIn), below).toEqual(headersOf(stranger));
    expect(signedIn.headers.get("Set-Cookie"), below).toBeNull();
    expect(await bodyOf(signedIn), below).toEqual(await bodyOf(stranger));
  }
});

describe("cost and bad days", () => {
  const NOW = 1_800_000_000_000;

  it("a page of a warm board asks no store", async () => {
    freeze(NOW);
    const { propose, visit, isolate, home } = await createPageScene();
    const id = await propose({ title: "Warm" });
    for (const below of ["", `/ideas/${id}`, "/roadmap", "/changelog"]) {
      await visit(below);
      const { env: counted, counts } = countStores(env);
      const answer = await open(isolate, home + below, {}, counted);
      expect([answer.status, counts], below).toEqual([200, { d1: 0, "kv.read": 0, "kv.write": 0, gate: 0 }]);
    }
  });

  it("while D1 is down, a page is read from memory for five minutes, and then says so", { tags: "slow" }, async () => {
    freeze(NOW);
    const { propose, visit } = await createPageScene();
    const id = await propose({ title: "Remembered", status: "planned" });
    const belows = ["", `/ideas/${id}`, "/roadmap"];
    for (const below of belows) await visit(below);
    const down = failStores(env, "d1");
    freeze(NOW + 4 * 60_000);
    for (const below of belows) {
      const answer = await visit(below, {}, down);
      expect([answer.status, (await answer.text()).includes("Remembered")], below).toEqual([200, true]);
    }
    freeze(NOW + 6 * 60_000);
    const answer = await visit("", {}, down);
    expect([answer.status, answer.headers.get("Content-Type")]).toEqual([503, "text/html; charset=UTF-8"]);
    expect(answer.headers.get("Retry-After")).not.toBeNull();
    expect(await answer.text()).toContain("can’t be shown right now");
  });

  it("ideas that are not there are read again no further than the sender's limit", async () => {
    freeze(NOW);
    const { bank, visit } = await createPageScene();
    const ids = Array.from({ length: 10 }, () => newId(bank.id));
    for (const id of ids) await visit(`/ideas/${id}`);
    freeze(NOW + 2_000);
    await visit();
    const { env: counted, counts } = countStores({ ...env, ...overLimit });
    for (const id of ids) await visit(`/ideas/${id}`, {}, counted);
    expect(counts.d1).toBe(0);
  });

  it("identifiers that somebody tries are counted by the address, whatever they are", async () => {
    const isolate = createIsolate();
    const panel = await createPanel();
    const asked: string[] = [];
    const counting = {
      ...env,
      PANELIST_READS: { limit: async ({ key }: { key: string }) => ({ success: asked.push(key) <= 3 }) },
    };
    const statuses = [];
    for (let at = 0; at < 5; at += 1)
      statuses.push(
        (await open(isolate, `/b/${newId(panel.bank.id)}/x`, { "CF-Connecting-IP": "192.0.2.7" }, counting)).status,
      );
    expect(statuses).toEqual([404, 404, 404, 429, 429]);
    expect(new Set(asked).size).toBe(1);
  });
});

describe("the preview at the desk", () => {
  it("shows the page as a stranger will see it while it is off, in a frame of the desk alone, without scripts", {
    tags: "slow",
  }, async () => {
    const { panel, owner } = await createDesk();
    await panel.propose({ title: "Seen before" });
    await panel.manage("PATCH", "", { status: "DRAFT" });
    const path = `/idea-banks/${panel.bank.id}/public-page/preview`;
    const answer = await owner.page(path);
    const page = await answer.text();
    expect(answer.headers.get("Content-Security-Policy")).toMatch(/frame-ancestors 'self'; sandbox$/);
    expect(answer.headers.get("X-Frame-Options")).toBe("SAMEORIGIN");
    expect(page).toContain("Seen before");
    expect(page).toMatch(/<body[^>]* inert/);
    expect(page).not.toContain('<script type="module"');
    expect((await open(panel.isolate, `/b/${panel.bank.id}`)).status).toBe(404);
    const other = await createDesk();
    expect((await other.owner.page(path)).status).toBe(404);
  });
});
