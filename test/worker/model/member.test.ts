/** E-mail addresses: ASCII before they are folded, because beyond it two different addresses have the same lower case. */
import { expect, it } from "vitest";
import { foldAddress, NewMember } from "../../../src/worker/model/member.ts";

const points = Array.from({ length: 0x110000 }, (_, point) => String.fromCodePoint(point));

it("no character beyond ASCII is folded into an address", { tags: "slow" }, () => {
  const beyond = points.filter((point) => point > "\x7f");
  expect(beyond.filter((point) => /[!-~]/.test(point.toLowerCase()))).toContain("\u212a");
  expect(beyond.filter((point) => foldAddress(`mi${point}e@example.com`) !== undefined)).toEqual([]);
});

it("the Kelvin sign is refused and not taken for a `k`", () => {
  expect(NewMember.safeParse({ email: "mi\u212ae@example.com" }).success).toBe(false);
  expect(NewMember.parse({ email: " MIKE@Example.com " })).toEqual({ email: "mike@example.com", role: "member" });
});

it.each(["", "mike", "@example.com", "mike@", "a@b@c.example", "a b@example.com", `${"x".repeat(320)}@a.example`])(
  "%j is no address",
  (email) => expect(NewMember.safeParse({ email }).success).toBe(false),
);
