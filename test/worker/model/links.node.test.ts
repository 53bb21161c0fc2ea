/** Where a link begins and ends in what people write. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { type Inline, parseLine } from "../../../src/worker/model/light-formatting.ts";

const inside = (part: Inline): readonly Inline[] => ("parts" in part ? [part, ...part.parts.flatMap(inside)] : [part]);
const links = (text: string) =>
  text.split("\n").flatMap((line) =>
    parseLine(line)
      .flatMap(inside)
      .flatMap((part) => (part.kind === "a" ? [part.href] : [])),
  );
const textOf = (part: Inline): string => ("parts" in part ? part.parts.map(textOf).join("") : part.text);

it.each([
  ["See https://example.com/a?b=1&c=2#d for more", ["https://example.com/a?b=1&c=2#d"]],
  ["It is at https://example.com.", ["https://example.com"]],
  ["Is it https://example.com/a/?!…", ["https://example.com/a/"]],
  ["(see https://example.com/a)", ["https://example.com/a"]],
  ["https://en.wikipedia.org/wiki/Bus_(vehicle)", ["https://en.wikipedia.org/wiki/Bus_(vehicle)"]],
  ["(https://en.wikipedia.org/wiki/Bus_(vehicle)), and", ["https://en.wikipedia.org/wiki/Bus_(vehicle)"]],
  ["[https://example.com/a]: **https://example.com/b**", ["https://example.com/a", "https://example.com/b"]],
  [`"https://example.com/a", “https://example.com/b”`, ["https://example.com/a", "https://example.com/b"]],
  ["<https://example.com/a>\nHTTP://EXAMPLE.COM", ["https://example.com/a", "HTTP://EXAMPLE.COM"]],
  ["詳しくはhttps://example.com/a。次の文", ["https://example.com/a"]],
  ["https://münchen.example/straße,", ["https://münchen.example/straße"]],
  ["https://example.com/\u202etxt.exe", ["https://example.com/"]],
  ["javascript:alert(1) data:text/html,x ftp://example.com //example.com example.com", []],
  ["https://example.com/a(b))).).) https://example.com/(a)))", ["https://example.com/a(b)", "https://example.com/(a)"]],
  [`https://${"漢字".repeat(200)}.example`, []],
  ["xhttps://example.com https:// https://. http://[", []],
])("%j has the links %j", (text, expected) => {
  expect(links(text)).toEqual(expected);
});

it("no text loses a character, and no link is anything but http or https", () => {
  const part = fc.constantFrom(
    "http://",
    "https://",
    "a.example",
    "/",
    "(",
    ")",
    ".",
    " ",
    "\n",
    "]",
    "[",
    "javascript:",
    "é",
  );
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const text = parts.join("");
      const lines = text.split("\n").map((line) => parseLine(line).map(textOf).join(""));
      // A named link hides its address, and no other mark is drawn here.
      if (!/\]\(/.test(text)) expect(lines.join("\n")).toBe(text);
      for (const link of links(text)) expect(new URL(link).protocol).toMatch(/^https?:$/);
    }),
  );
});
