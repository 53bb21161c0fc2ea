/** E-mail addresses of people who sign in on a page: which text is one, how it is written, and which mailbox is behind it. */
import { describe, expect, it } from "vitest";
import { mailboxOf, readAddress } from "../../../src/worker/model/mailbox.ts";

describe("an address", () => {
  it.each([
    [" Ana@Example.COM ", "ana@example.com"],
    ["a.b+tag@example.com", "a.b+tag@example.com"],
    ["mailto:ana@example.com", "ana@example.com"],
    ["ana＠example．com", "ana@example.com"],
    ["ana@bücher.example", "ana@xn--bcher-kva.example"],
    ["ana@EXAMPLE.xn--p1ai", "ana@example.xn--p1ai"],
    ["o'neil@mail.example.co.uk", "o'neil@mail.example.co.uk"],
  ])("%j is %j", (typed, address) => expect(readAddress(typed)).toBe(address));

  it.each([
    ...["", "ana", "@example.com", "ana@", "ana@localhost", "ana@127.0.0.1", "ana@[::1]", "a b@example.com"],
    ...[
      "ana@example.com\r\nBcc: eve@example.com",
      "ana\n@example.com",
      "ana@example.com,eve@example.com",
      "<ana@example.com>",
    ],
    ...[
      '"a b"@example.com',
      "ana..b@example.com",
      ".ana@example.com",
      "ana@-example.com",
      "ana@example..com",
      "ána@example.com",
    ],
    ...["ana@example.com/evil", "ana@example.com:25", "ana@user@example.com?", `${"a".repeat(65)}@example.com`],
    ...[`ana@${"a".repeat(250)}.com`, `${"a@".repeat(600)}example.com`, "ana@example.com\u0000", "ana@exam%70le.com"],
  ])("%j is none", (typed) => expect(readAddress(typed)).toBeUndefined());
});

describe("the mailbox behind an address", () => {
  it.each([
    ["ana+one@example.com", "ana@example.com"],
    ["ana+one+two@example.com", "ana@example.com"],
    ["a.n.a@example.com", "a.n.a@example.com"],
    ["a.n.a+x@gmail.com", "ana@gmail.com"],
    ["ana@googlemail.com", "ana@gmail.com"],
    ["+x@example.com", "+x@example.com"],
  ])("of %j is %j", (address, mailbox) => expect(mailboxOf(address)).toBe(mailbox));
});
