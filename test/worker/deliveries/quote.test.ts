/**
 * Words that somebody wrote, in a message. Small models of what each product does with the `text` of a payload, from its public documents:
 * Slack's "Formatting message text"; Mattermost's "Slack compatibility" and "Mention people"; Rocket.Chat's message-parser; Discord's
 * "Message formatting" and its webhooks' `/slack` address. Each returns what a message does besides being read.
 */
import { describe, expect, it } from "vitest";
import { quote } from "../../../src/worker/deliveries/messages/quote.ts";

const unescaped = (text: string) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

/** `[text](address)`, `![text](address)`, `[text][name]` and its `[name]: address`. */
const MARKDOWN = /\[[^\]]*\]\([^)]*\)|\[[^\]]*\]\[[^\]]*\]|\[[^\]]*\]:\s*\S+/g;
/** An address that a program makes a link of by itself: with a scheme, or a host name whose last label has letters. */
const BARE = /(?:[a-z][a-z\d+.-]*:\/{0,3}[^\s<>\u200b]+)|(?:[\p{L}\p{N}_-]+[.。．｡])+\p{L}{2,}|\w+@\w+/giu;

const all = (text: string, ...rules: readonly RegExp[]): readonly string[] =>
  rules.flatMap((rule) => [...text.matchAll(rule)].map(([match]) => match));

const PRODUCTS: Readonly<Record<string, (text: string) => readonly string[]>> = {
  // Control sequences are in <…>. Escaped signs are text.
  Slack: (text) => all(text, /<[^>]*>/g, BARE),
  // Slack's sequences become Mattermost's; then bare @names and ~names count, and Markdown. Some versions read the escapes first.
  Mattermost: (text) =>
    [text, unescaped(text)].flatMap((each) =>
      all(
        each,
        /<!\w+>|<https?:\/\/[^|>]+\|[^>]*>|<@?\w+>/g,
        /@(?:all|channel|here|\w+)/g,
        /~\w+|#\p{L}\w+/gu,
        MARKDOWN,
        BARE,
      ),
    ),
  "Rocket.Chat": (text) =>
    [text, unescaped(text)].flatMap((each) =>
      all(each, /@(?:all|here|[\w.-]+)/g, /#[\w.-]+/g, /<https?:[^>]*>/g, MARKDOWN, BARE),
    ),
  Discord: (text) =>
    [text, unescaped(text)].flatMap((each) =>
      all(
        each,
        /@(?:everyone|here)/g,
        /<(?:@[!&]?|#)\d+>/g,
        /<https?:\/\/[^|>]+\|[^>]*>/g,
        /\|\|.*\|\|/g,
        MARKDOWN,
        BARE,
      ),
    ),
};

const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  Slack: [
    "<!channel>",
    "<!here|x>",
    "<@U024BE7LH>",
    "<!subteam^SAZ94GDB8>",
    "<https://evil.com|Open the idea>",
    "https://evil.com",
    "evil.com",
  ],
  Mattermost: [
    ...["<!channel>", "&lt;!channel&gt;", "@all", "@channel hello", "@here", "@robin", "<5fb5f7iw8tfrfcwssd1xmx3j7y>"],
    ...[
      "[Open the idea](https://evil.com)",
      "[x](evil)",
      "![x](http://evil.com/x.png)",
      "[x][y]",
      "[y]: https://evil.com",
    ],
    ...["~town-square", "#secret", "https://evil.com", "www.evil.com", "mailto:a@evil.com"],
  ],
  "Rocket.Chat": [
    "@all",
    "@here",
    "@robin.doe",
    "#general",
    "[x](https://evil.com)",
    "<https://evil.com|Open>",
    "evil.com",
  ],
  Discord: [
    ...["@everyone", "@here", "<@80351110224678912>", "<@&165511591545143296>", "<#103735883630395392>"],
    ...["[x](https://evil.com)", "<https://evil.com|Open>", "||hidden||", "https://evil.com", "discord.gg/abc"],
  ],
};

describe.each(Object.entries(PRODUCTS))("in %s", (product, effects) => {
  it.each(WRITTEN[product] ?? [])("%s does something if it is sent as it is, and nothing as a quote", (written) => {
    expect(effects(written.replaceAll("&lt;", "<").replaceAll("&gt;", ">"))).not.toEqual([]);
    expect(effects(quote(written, 300))).toEqual([]);
    expect(effects(quote(`Hi ${written}, and ${written}.`, 300))).toEqual([]);
  });
});

it("keeps what is read: without the spaces that have no width it is the text", () => {
  const read = (text: string) => unescaped(quote(text, 500)).replaceAll("\u200b", "");
  for (const text of ["Tom & Jerry <3", "Ça va ? 日本語。", "a@b.c: 10:30 [x] | y", "👩‍👩‍👧 ok"])
    expect(read(text)).toBe(text);
  expect(read("two\n\nlines\t here ")).toBe("two lines here");
  expect(read("`code`")).toBe("’code’");
  expect(read("turned \u202eround")).toBe("turned round");
});

it("cuts before it escapes and counts after, never within a character or an escape", () => {
  const segments = (text: string) => [...new Intl.Segmenter().segment(text)].length;
  const family = "👩‍👩‍👧‍👦";
  for (const text of [
    "&".repeat(400),
    "<".repeat(400),
    "@".repeat(400),
    family.repeat(80),
    "e\u0301".repeat(300),
    "😀".repeat(300),
    " ".repeat(900) + family.repeat(50),
  ])
    for (const limit of [20, 21, 22, 23, 24, 25, 26, 27, 119, 120, 299, 300]) {
      const cut = quote(text, limit);
      expect(cut.length).toBeLessThanOrEqual(limit);
      expect(cut.isWellFormed()).toBe(true);
      expect(cut.endsWith("…")).toBe(true);
      expect(cut.replaceAll(/&(?:amp|lt|gt);/g, "")).not.toContain("&");
      const kept = unescaped(cut.slice(0, -1)).replaceAll("\u200b", "");
      expect(text.trimStart().startsWith(kept)).toBe(true);
      // Each character is whole: as many as there are in the text up to there.
      expect(segments(kept + text.trimStart().slice(kept.length))).toBe(
        segments(kept) + segments(text.trimStart().slice(kept.length)),
      );
    }
  expect(quote("x".repeat(300), 300)).toBe("x".repeat(300));
  expect(quote("x".repeat(301), 300)).toBe(`${"x".repeat(299)}…`);
});

it("takes a time of the limit's order, however long the text is", () => {
  expect(quote("a\u0300".repeat(1_000_000), 100).length).toBeLessThanOrEqual(100);
  // One character can be longer than the limit.
  expect(quote(`a${"\u0300".repeat(5_000)}`, 100)).toBe("…");
});
