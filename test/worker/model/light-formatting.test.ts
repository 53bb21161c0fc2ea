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
    ["_https://example.com/a_", "_<l https://example.com/a|https://example.com/a>_"],
    ["\\*not italic\\*", "*not italic*"],
    ["2 \\* 3 \\* 4", "2 * 3 * 4"],
    ["*a \\* b*", "<i a * b>"],
    ["**a\\***", "<b a*>"],
    ["\\`not code\\`", "`not code`"],
    ["snake\\_case and \\[a](b)", "snake_case and [a](b)"],
    ["`\\*`", "<c \\*>"],
    ["C:\\files \\\\server", "C:\\files \\\\server"],
    ["```a```", "<c a>"],
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
    "xhttps://example.com",
    "C:\\Users",
    "a\\",
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

describe("the name of a link", () => {
  const isLink = (name: string, address = "https://evil.example/a") =>
    parseLine(`[${name}](${address})`).some(({ kind }) => kind === "a");

  it.each([
    "bank.example",
    "Bank.Example.",
    "bank.example/login",
    "www.bank.example",
    "bank.example:443",
    "//bank.example",
    "(bank.example)",
    "🔒 bank.example",
    "Log in at bank.example today",
    "**bank.example**",
    "login/bank.example",
    "https://bank.example",
    "HTTPS://bank.example",
    "https:bank.example",
    "https:/bank.example",
    "https:\\\\bank.example",
    "https:⧸⧸bank.example",
    "https&#58;//bank.example",
    "ftp://bank.example",
    "ftp://bank",
    "http://localhost",
    "http://",
    "https://bank.example\\@evil.example",
    "https://bank.example@evil.example",
    "https:bank.example@evil.example",
    "bank.example://evil.example",
    "https://evil.example bank.example",
    "https://evil.example,bank.example",
    "evil.example.bank.example",
    "support@bank.example",
    "ｂａｎｋ．ｅｘａｍｐｌｅ",
    "ｈｔｔｐｓ：／／ｂａｎｋ．ｅｘａｍｐｌｅ",
    "\u200bhttps://bank.example",
    "\u2060bank.example",
    "\u202ebank.example",
    "ban\u00adk.exam\u200dple",
    "\u3164bank.example",
    "bаnk.example",
    "bänk.example",
    "банк.рф",
    "192.168.0.1",
    `bank.example ${"a".repeat(500)}`,
  ])("stays as it was typed where it looks like the address of another host: %s", (name) => {
    expect(isLink(name)).toBe(false);
    const line = `a [${name}](https://evil.example/a) b`;
    expect(parseLine(line).map(inline).join("")).toBe(line);
  });

  it.each([
    "evil.example",
    "Evil.Example.",
    "www.evil.example",
    "evil.example/login/bank.example",
    "evil.example:443",
    "(see https://evil.example/b?c=d)",
    "https://evil.example/?to=https://bank.example",
    "ｅｖｉｌ．ｅｘａｍｐｌｅ",
    "somebody@evil.example",
    "first.last@evil.example",
  ])("may be the address of its own host: %s", (name) => {
    expect(isLink(name)).toBe(true);
  });

  it.each([
    ["example.com", "https://www.example.com/a"],
    ["www.example.com", "https://example.com"],
    ["München.example", "https://xn--mnchen-3ya.example/"],
    ["robin.kim@mail.example", "mailto:robin.kim@mail.example?subject=a"],
    ["mailto:robin.kim@mail.example", "mailto:robin.kim@mail.example"],
    ["192.0.2.7", "http://192.0.2.7:8080/"],
    ["https://robin@example.com", "https://robin@example.com"],
    ["Bank", "https://bank.example"],
  ])("%s leads to %s", (name, address) => {
    expect(isLink(name, address)).toBe(true);
  });

  it.each([
    "Node.js",
    "Vue.js/Nuxt.js",
    "v1.2",
    "1.2.3",
    "10.000",
    "3.5mm",
    "e.g. this",
    "i.e.",
    "U.S. and U.K.",
    "Ph.D.",
    "a.m./p.m.",
    "report.pdf",
    "Report (final).DOCX",
    "data.json",
    "and/or",
    "24/7",
    "TCP/IP",
    "Wait...what?",
    "Wait…what?",
    "...",
    "C++",
    "Q&A: how?",
    "HTTPS: explained",
    "Note:see below",
    "#12",
    "100%",
    "@robin",
    "Straße, größer",
    "使い方。まとめ",
    "👨‍👩‍👧 Family",
    "\u202eabc",
    "http",
    "www",
  ])("that is no address is one: %s", (name) => {
    expect(isLink(name)).toBe(true);
  });

  it("is not compared with an address that has no host, or a longer one than any", () => {
    const long = `https://${"a".repeat(400)}@evil.example`;
    for (const address of ["https://[", long])
      for (const name of ["xn--a.bank.example", `bank.example.${"a".repeat(300)}`])
        expect(isLink(name, address)).toBe(false);
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
    ["one\rtwo\r\rthree", ["p(one/two)", "p(three)"]],
    ["Do:\n```\n**a**\n\n  - b\n```\nDone", ["p(Do:)", "pre(**a**//  - b)", "p(Done)"]],
    ["```js\na()\n````\n```\nb\n```", ["pre(a())", "pre(b)"]],
    ["```\nto the end\n", ["pre(to the end/)"]],
    ["```\n```", ["p(```/```)"]],
    ["```", ["p(```)"]],
    ["```a``` b", ["p(<c a> b)"]],
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
    ["```\na()\n```", "a()"],
    ["one\rtwo", "one"],
    ["", ""],
  ])("its first line, without marks: %j", (text, expected) => {
    expect(firstLine(text)).toBe(expected);
  });

  it("a line of more than 5,000 characters stays as it was typed", () => {
    const long = "**a** ".repeat(1_000);
    expect(parseLine(long).map(inline).join("")).toBe(long);
  });
});
