/** The changelog as Atom and as JSON Feed: the same entries, gate and freshness, for readers that send no header. */
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ATOM } from "../../../src/worker/view/render-feed.ts";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { countStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { CHANGELOG, createPanel } from "../../support/panel.ts";
import { addIdeaBank, addProposal, newId, tokenFor } from "../../support/world.ts";

const FEEDS = ["atom", "json"].map((format) => ({ format, path: `${CHANGELOG}.${format}` }));

async function createScene() {
  const panel = await createPanel();
  const issued = await panel.tenant.send("POST", `/tenant/ideabanks/${panel.bank.id}/tokens`, { visitor: true });
  const { token } = await issued.json<{ token: string }>();
  return { ...panel, visitor: token };
}

const read = (path: string, headers: Record<string, string> = {}, isolate = createIsolate()) =>
  isolate.request(path, { headers });

type Entry = {
  id: string;
  title: string;
  link?: string;
  summary?: string;
  text: string;
  published: string;
  updated: string;
};
type Feed = { id: string | undefined; title: string; link?: string; self: string; entries: Entry[] };

const decode = (text: string) =>
  text
    .replace(/&(lt|gt|quot|#13);/g, (_, name: string) => ({ lt: "<", gt: ">", quot: '"', "#13": "\r" })[name] ?? "")
    .replaceAll("&amp;", "&");

/** What RFC 4287 asks of a feed, section 4.1; the elements in the order in which they are written here. */
function parseAtom(xml: string): Feed {
  const entry =
    /<entry><id>(urn:uuid:[^<]*)<\/id><title>([^<]*)<\/title>(?:<link rel="alternate" href="([^"]*)"\/>)?<published>([^<]*)<\/published><updated>([^<]*)<\/updated>(?:<summary type="text">([^<]*)<\/summary>)?<content type="text">([^<]*)<\/content><\/entry>/g;
  const whole = new RegExp(
    `^<\\?xml version="1.0" encoding="utf-8"\\?>\\n<feed xmlns="http://www.w3.org/2005/Atom"><id>(urn:uuid:[^<]*)</id><title>([^<]*)</title>(?:<link rel="alternate" href="([^"]*)"/>)?<link rel="self" type="application/atom\\+xml" href="([^"]*)"/><updated>([^<]*)</updated><author><name>([^<]*)</name></author>((?:${entry.source})*)</feed>$`,
  );
  const [, id, title = "", link, self = "", updated = "", author, rest = ""] = whole.exec(xml) ?? [];
  expect(id, xml).toBeDefined();
  expect(author).toBe(title);
  expect(new Date(updated).toISOString()).toBe(updated);
  const entries = [...rest.matchAll(entry)].map(
    ([, entryId = "", entryTitle = "", to, from = "", at = "", summary, text = ""]) => ({
      id: entryId,
      title: decode(entryTitle),
      ...(to && { link: decode(to) }),
      published: from,
      updated: at,
      ...(summary && { summary: decode(summary) }),
      text: decode(text),
    }),
  );
  return { id, title: decode(title), ...(link && { link: decode(link) }), self: decode(self), entries };
}

type Json = {
  version: string;
  title: string;
  home_page_url?: string;
  feed_url: string;
  items: {
    id: string;
    url?: string;
    title: string;
    summary?: string;
    content_text: string;
    date_published: string;
    date_modified: string;
  }[];
};

function parseJsonFeed(text: string): Feed {
  const { version, title, home_page_url, feed_url, items }: Json = JSON.parse(text);
  expect(version).toBe("https://jsonfeed.org/version/1.1");
  return {
    id: undefined,
    title,
    ...(home_page_url && { link: home_page_url }),
    self: feed_url,
    entries: items.map((item) => ({
      id: item.id,
      title: item.title,
      ...(item.url && { link: item.url }),
      ...(item.summary && { summary: item.summary }),
      text: item.content_text,
      published: item.date_published,
      updated: item.date_modified,
    })),
  };
}

const parse = (path: string, text: string) => (path.endsWith("atom") ? parseAtom(text) : parseJsonFeed(text));

describe.each(FEEDS)("$path", ({ path, format }) => {
  it("has the changelog's entries in its order, at most as many, with the time of their last activity", async () => {
    const bank = await addIdeaBank({ changelogMaxEntries: 2 });
    await addProposal(bank, { title: "Old", lastActivityAt: 1_000_000 });
    await addProposal(bank, { title: "New <b>", description: 'a & "b"\n]]>', lastActivityAt: 3_000_999 });
    await addProposal(bank, { title: "Middle", description: "", lastActivityAt: 2_000_000 });
    await addProposal(bank, { title: "Planned", status: "planned" });
    const answer = await read(path, { Authorization: bank.token });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Content-Type")?.split(";")[0]).toBe(
      format === "atom" ? "application/atom+xml" : "application/feed+json",
    );
    const feed = parse(path, await answer.text());
    expect(feed.title).toBe("An idea bank");
    const [published, earlier] = ["1970-01-01T00:50:00.000Z", "1970-01-01T00:33:20.000Z"];
    expect(feed.entries.map(({ id: _, ...entry }) => entry)).toEqual([
      { title: "New <b>", summary: 'a & "b"', text: 'a & "b"\n]]>', published, updated: published },
      { title: "Middle", text: "", published: earlier, updated: earlier },
    ]);
  });

  it("says when each entry came, however it changes later, and leads to the idea bank's page", {
    tags: "slow",
  }, async () => {
    const start = Math.ceil(Date.now() / 1_000) * 1_000;
    freeze(start);
    const { visitor, manage, propose, isolate } = await createScene();
    const at = (hours: number) => new Date(start + hours * 3_600_000).toISOString();
    const entryOf = async (hour: number) => {
      freeze(start + hour * 3_600_000 + 20_000);
      return parse(path, await (await read(path, { Authorization: visitor }, isolate)).text()).entries[0];
    };
    const id = await propose({ title: "Lifts", status: "planned" });
    const change = async (hour: number, fields: object) => {
      freeze(start + hour * 3_600_000);
      await manage("PATCH", `/proposals/${id}`, fields);
    };
    await change(1, { status: "implemented" });
    expect(await entryOf(1)).toMatchObject({ published: at(1), updated: at(1) });
    await change(2, { response: { text: "At every station." } });
    expect(await entryOf(2)).toMatchObject({ published: at(1), updated: at(2) });
    await change(3, { description: "In every station.", minor: true });
    expect(await entryOf(3)).toMatchObject({ published: at(1), updated: at(2) });
    await change(4, { status: "planned" });
    await change(5, { status: "implemented" });
    expect(await entryOf(5)).toMatchObject({ published: at(5), updated: at(5) });
    expect(await entryOf(5)).not.toHaveProperty("link");
    const url = "https://riverline.example/ideas?a=1&b=%3C";
    await manage("PATCH", "", { url });
    expect(await entryOf(6)).toMatchObject({ link: url });
    expect(parse(path, await (await read(path, { Authorization: visitor }, isolate)).text()).link).toBe(url);
  });

  it("takes a visitor's token from the address, and says that address as its own", async () => {
    const { visitor } = await createScene();
    const answer = await read(`${path}?token=${visitor}`);
    expect(answer.status).toBe(200);
    const { self, entries } = parse(path, await answer.text());
    expect(self).toBe(`https://api.example${path}?token=${visitor}`);
    expect(entries).toEqual([]);
  });

  it("refuses a panelist's token in the address, a valid one as a forged one", async () => {
    const { bank } = await createScene();
    const forged = bank.token.slice(0, -1) + (bank.token.endsWith("0") ? "1" : "0");
    const answers = [await read(`${path}?token=${bank.token}`), await read(`${path}?token=${forged}`)];
    for (const token of [bank.token, "ibt_made-up", "eyJh.made.up"]) {
      const { detail } = await (await read(`${path}?token=${token}`)).json<{ detail: string }>();
      expect(detail).toContain("Only a visitor's token (`ibv_…`) works in an address");
    }
    expect(await (await read(`${path}?token=`)).text()).toContain("missing or empty");
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
    expect(new Set(texts).size).toBe(1);
    expect((await read(path)).status).toBe(401);
  });

  it("answers a closed gate as it answers an idea bank that does not exist, and as the changelog does", async () => {
    const closed = await addIdeaBank({ changelogEnabled: false });
    const id = newId(closed.id);
    const bytesOf = async (token: string, of: string) => {
      const answer = await read(of, { Authorization: token, "X-Request-Id": "same" });
      return [answer.status, [...answer.headers].toString(), await answer.text()];
    };
    const missing = await tokenFor(id, newId(id));
    expect(await bytesOf(closed.token, path)).toEqual(await bytesOf(missing, path));
    expect(await bytesOf(closed.token, path)).toEqual(await bytesOf(closed.token, CHANGELOG));
  });

  it("is 304 for its own ETag until an entry or the name changes, and costs no store while the view is fresh", async () => {
    const { env: counted, counts } = countStores({ ...env, FRESHNESS_SECONDS: "300" });
    const isolate = createIsolate(counted);
    const bank = await addIdeaBank();
    await addProposal(bank, { title: "One" });
    const first = await read(path, { Authorization: bank.token }, isolate);
    const etag = first.headers.get("ETag") ?? "";
    expect(etag).toMatch(/^"[\w+/=]+"$/);
    expect(first.headers.get("Cache-Control")).toBe("private, no-cache");
    for (let times = 0; times < 5; times++)
      expect((await read(path, { Authorization: bank.token, "If-None-Match": etag }, isolate)).status).toBe(304);
    expect(counts.d1).toBe(1);
    const changed = async () => (await read(path, { Authorization: bank.token, "If-None-Match": etag })).status;
    expect(await changed()).toBe(304);
    await databaseOf(bank.id).prepare("UPDATE idea_banks SET name = 'Another' WHERE id = ?1").bind(bank.id).run();
    expect(await changed()).toBe(200);
  });

  it("names nothing: the ids are the same for every reader and over edits, and hold no identifier", async () => {
    const { bank, visitor, panelist, manage } = await createScene();
    const first = await addProposal(bank, { title: "One", lastActivityAt: 1_000_000 });
    const second = await addProposal(bank, { title: "Two", lastActivityAt: 2_000_000 });
    const read1 = parse(path, await (await read(path, { Authorization: visitor })).text());
    await manage("PATCH", `/proposals/${first}`, { title: "One, edited" });
    const answer = await read(path, { Authorization: (await panelist()).token });
    const text = await answer.text();
    const read2 = parse(path, text);
    expect(read2.entries.map(({ title }) => title)).toEqual(["One, edited", "Two"]);
    expect(read2.entries.map(({ id }) => id)).toEqual(read1.entries.map(({ id }) => id).toReversed());
    for (const id of [bank.id, bank.accountId, first, second])
      for (const shown of [text, [...answer.headers].toString()]) expect(shown).not.toContain(id);
    const other = await addIdeaBank();
    await databaseOf(other.id).prepare("DELETE FROM proposals").run();
    expect(new Set(read2.entries.map(({ id }) => id)).size).toBe(2);
  });
});

it("the two feeds have the same ids, those of an empty isolate and of a warm one", async () => {
  const bank = await addIdeaBank();
  for (const title of ["One", "Two"]) await addProposal(bank, { title });
  const isolate = createIsolate();
  const idsOf = async (path: string, from = isolate) =>
    parse(path, await (await read(path, { Authorization: bank.token }, from)).text()).entries.map(({ id }) => id);
  const [atom, json] = [await idsOf(`${CHANGELOG}.atom`), await idsOf(`${CHANGELOG}.json`)];
  expect(atom).toEqual(json);
  // A new isolate gets the rendered changelog from KV.
  expect(await idsOf(`${CHANGELOG}.atom`, createIsolate())).toEqual(json);
});

const NOT_XML = /[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu;

it("Atom is well-formed XML 1.0 for any text", { tags: "slow" }, () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), (title, description) => {
      const entries = [{ id: "urn:uuid:1", title, description, published: 1, lastModified: 1 }];
      const { before, after } = ATOM.render({ id: "urn:uuid:2", title, link: "https://a.example/?a=1&b=2", entries });
      const xml = before + ATOM.escape("https://api.example/?a=1&b=2") + after;
      expect(xml).not.toMatch(NOT_XML);
      expect(xml.isWellFormed()).toBe(true);
      expect(xml).not.toMatch(/&(?!(amp|lt|gt|quot|#13);)/);
      const [only] = parseAtom(xml).entries;
      const kept = (text: string) => text.toWellFormed().replaceAll(NOT_XML, "");
      expect([only?.title, only?.text]).toEqual([kept(title), kept(description)]);
    }),
  );
});
