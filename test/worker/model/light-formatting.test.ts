/** Light formatting: what is understood and what stays as it was typed. */
import { describe, expect, it } from "vitest";
import {
  type Block,
  firstLine,
  type Inline,
  parseLine,
  parseText,
} from "../../../src/worker/model/light-formatting.ts";

/** The tree in short: **b**bold, *i*italic, `c`code, [l href|text]. */
const inline = (part: Inline): string => {
  switch (part.kind) {
    case "text":
      return part.text;
    case "code":
      return `<c ${part.text}>`;
    case "a":
      return `<l ${part.href}|${part.parts.map(inline).join("")}>`;
    default:
      return `<${part.kind === "strong" ? "b" : "i"} ${part.parts.map(inline).join("")}>`;
  }
};
const lines = (all: readonly (readonly Inline[])[]) => all.map((parts) => parts.map(inline).join("")).join("/");
const block = (each: Block) =>
  "items" in each
    ? `${each.kind}${each.kind === "ol" ? each.start : ""}(${lines(each.items)})`
    : `${each.kind}(${lines(each.lines)})`;

describe("a line", () => {
  it.each([
    ["plain", "plain"],
    ["", ""],
    ["**bold**", "<b bold>"],
    ["a **b c** d", "a <b b c> d"],
    ["*italic*", "<i italic>"],
    ["`code`", "<c code>"],
    ["`**not bold**`", "<c **not bold**>"],
    ["**bold with `code`**", "<b bold with <c code>>"],
    ["**a** and *b*", "<b a> and <i b>"],
    ["[Docs](https://example.com/a)", "<l https://example.com/a|Docs>"],
    ["[Mail](mailto:a@example.com)", "<l mailto:a@example.com|Mail>"],
    ["[Plain](http://example.com)", "<l http://example.com|Plain>"],
    ["[Wiki](https://en.wikipedia.org/wiki/A_(b))", "<l https://en.wikipedia.org/wiki/A_(b)|Wiki>"],
    ["see https://example.com/a?b=c#d.", "see <l https://example.com/a?b=c#d|https://example.com/a?b=c#d>."],
    ["(https://example.com)", "(<l https://example.com|https://example.com>)"],
    [
      "https://a.example, https://b.example!",
      "<l https://a.example|https://a.example>, <l https://b.example|https://b.example>!",
    ],
    ["[a]( https://example.com)", "[a]( <l https://example.com|https://example.com>)"],
    ["https://a.example/(b))!?...", "<l https://a.example/(b)|https://a.example/(b)>)!?..."],
    ["HTTPS://EXAMPLE.COM", "<l HTTPS://EXAMPLE.COM|HTTPS://EXAMPLE.COM>"],
  ])("%s", (text, expected) => {
    expect(parseLine(text).map(inline).join("")).toBe(expected);
  });

  it.each([
    "**open",
    "open**",
    "****",
    "** not **",
    "* not *",
    "2 * 3 * 4",
    "a*",
    "`",
    "``",
    "[a](javascript:alert(1))",
    "[a](data:text/html,x)",
    "[a](//evil.example)",
    "[a](/path)",
    "[a](ftp://example.com)",
    "[](https://)",
    "[a]",
    "[a] (b)",
    "![image](x)",
    "# heading",
    "<b>bold</b>",
    "<script>alert(1)</script>",
    "&lt;b&gt;",
    "a | b | c",
    "~~gone~~",
    "__init__",
    "snake_case_name",
    "javascript:alert(1)",
    "mailto:a@example.com",
    "https://",
    "\\*escaped\\",
  ])("stays as it was typed: %s", (text) => {
    expect(parseLine(text).map(inline).join("")).toBe(text);
  });

  it("has links that begin with http, https or mailto alone, whatever stands in it", () => {
    const hostile = [
      "[x](https://a\u0000b)",
      '[x](https://a"onclick="b)',
      "[x](https://a<b>)",
      "[x](java\tscript:a)",
      "https://a<script>",
    ];
    const hrefs = hostile.flatMap((text) => parseLine(text).flatMap((part) => (part.kind === "a" ? [part.href] : [])));
    for (const href of hrefs) expect(href).toMatch(/^(https?:\/\/|mailto:)[^\s<>"]+$/i);
  });
});

describe("a text", () => {
  it.each([
    ["one\ntwo", ["p(one/two)"]],
    ["one\n\ntwo", ["p(one)", "p(two)"]],
    ["- a\n- **b**", ["ul(a/<b b>)"]],
    ["* a\n• b", ["ul(a/b)"]],
    ["1. a\n2. b", ["ol1(a/b)"]],
    ["7) a", ["ol7(a)"]],
    ["> a\n> b", ["blockquote(a/b)"]],
    ["text:\n- a\nmore", ["p(text:)", "ul(a)", "p(more)"]],
    ["one\r\ntwo", ["p(one/two)"]],
    ["", []],
    [" \n\t\n", []],
    ["-a", ["p(-a)"]],
    ["- ", ["p(- )"]],
    ["1.5 hours", ["p(1.5 hours)"]],
    ["**a\nb**", ["p(**a/b**)"]],
  ])("%j", (text, expected) => {
    expect(parseText(text).map(block)).toEqual(expected);
  });

  it.each([
    ["\n\n**First** line\nsecond", "First line"],
    ["- a `b`", "a b"],
    ["> [Docs](https://example.com)", "Docs"],
    ["", ""],
  ])("its first line, without marks: %j", (text, expected) => {
    expect(firstLine(text)).toBe(expected);
  });

  it("a line of more than 5,000 characters stays as it was typed", () => {
    const long = "**a** ".repeat(1_000);
    expect(parseLine(long).map(inline).join("")).toBe(long);
  });
});
