/** A feed is rendered once for a view; memory for feeds is bounded, and each account has its share. */
import { describe, expect, it } from "vitest";
import { renderChangelog } from "../../../src/worker/view/render-changelog.ts";
import { ATOM, type FeedFormat, JSON_FEED } from "../../../src/worker/view/render-feed.ts";
import { fillIn, MEMORY_BYTES, RenderedFeeds } from "../../../src/worker/view/rendered-feeds.ts";

async function createScene(description = "In every station.") {
  const entry = { id: "0prop0000001", title: "Lifts", description, lastActivityAt: 2_000, publishedAt: 1_000 };
  const changelog = { version: 1, ...(await renderChangelog([entry])), origins: [entry] };
  const ideaBank = { accountId: "0account0001", name: "Ideas", url: null as string | null };
  const rendered: string[] = [];
  const counted = (format: FeedFormat): FeedFormat => ({
    ...format,
    render: (feed) => {
      rendered.push(format.contentType);
      return format.render(feed);
    },
  });
  const feeds = new RenderedFeeds();
  const [atom, json] = [counted(ATOM), counted(JSON_FEED)];
  const open = (changes: object = {}, format = atom) =>
    feeds.open({ format, ideaBankId: "0bank0000001", ideaBank, changelog, ...changes });
  return { open, changelog, ideaBank, atom, json, rendered };
}

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

describe("a feed", () => {
  it("is rendered once for each format, whatever its readers' addresses are", async () => {
    const { open, rendered, atom, json } = await createScene();
    for (let reader = 0; reader < 20; reader++) {
      const url = `https://api.example/feed?token=${reader}&x="<`;
      const xml = textOf(fillIn(await open(), atom.escape(url)));
      expect(xml).toContain(`href="https://api.example/feed?token=${reader}&amp;x=&quot;&lt;"`);
      const feed = JSON.parse(textOf(fillIn(await open({}, json), json.escape(url))));
      expect(feed).toMatchObject({ feed_url: url, items: [{ title: "Lifts" }] });
    }
    expect(rendered.toSorted()).toEqual([ATOM.contentType, JSON_FEED.contentType]);
  });

  it("is rendered again, with another ETag, when the changelog, the name or the address of the page is another", async () => {
    const { open, changelog, ideaBank, rendered } = await createScene();
    const first = await open();
    const others = [
      await open({ ideaBank: { ...ideaBank, name: "Wishes" } }),
      await open({ ideaBank: { ...ideaBank, url: "https://a.example/" } }),
      await open({ changelog: { ...changelog, version: 2, origins: [{ id: "0prop0000002", publishedAt: 1_000 }] } }),
    ];
    expect(new Set([first, ...others].map(({ etag }) => etag)).size).toBe(4);
    expect(rendered).toHaveLength(4);
  });
});

it("an account's feeds drop out of memory beyond its share, and no other account's", async () => {
  const { open, ideaBank, rendered } = await createScene("x".repeat(200_000));
  const stranger = { ideaBankId: "0bank0000000", ideaBank: { ...ideaBank, accountId: "0account0000" } };
  await open(stranger);
  const many = Math.ceil(MEMORY_BYTES.share / 200_000) + 1;
  for (let bank = 0; bank < many; bank++) await open({ ideaBankId: `0bank${bank}` });
  rendered.length = 0;
  await open({ ideaBankId: `0bank${many - 1}` });
  await open(stranger);
  expect(rendered).toEqual([]);
  await open({ ideaBankId: "0bank0" });
  expect(rendered).toHaveLength(1);
});
