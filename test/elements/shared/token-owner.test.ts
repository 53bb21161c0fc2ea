/** Whose a token is: what the browser keeps for one person is not shown to another. */
import { expect, it } from "vitest";
import { endOf, ownerOf } from "../../../src/elements/shared/token-owner.ts";

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
const signed = (claims: object) => `${encode({ alg: "HS256", kid: "bank.account.1.x" })}.${encode(claims)}.tag`;

it("is said by a token's first characters, and the same after each issue", () => {
  const of = (rest: string) => ownerOf(`ibt_0BANKBANKBAN0PANELPANELP${rest}`);
  expect(of("aaaaaa1111")).toEqual({ bank: "0BANKBANKBAN", panelist: "0PANELPANELP" });
  expect(of("bbbbbb1111")).toEqual(of("aaaaaa1111"));
});

it("is said by the claims of a token that the tenant's server has signed, and the same after each issue", () => {
  const claims = { iss: "0BANKBANKBAN", sub: "person 7 \u{1F6B2}??>>" };
  const first = ownerOf(signed({ ...claims, iat: 1, exp: 2 }));
  expect(first.bank).toBe("0BANKBANKBAN");
  expect(ownerOf(signed({ ...claims, iat: 3, exp: 4 }))).toEqual(first);
  expect(ownerOf(signed({ ...claims, sub: "person 8", iat: 1, exp: 2 }))).not.toEqual(first);
});

it("ends when a signed token says so; any other does not say it", () => {
  expect(endOf(signed({ iss: "0BANKBANKBAN", sub: "person 7", iat: 1, exp: 2 }))).toBe(2_000);
  for (const token of [signed({ iss: "0BANKBANKBAN" }), signed({ exp: "soon" }), "ibt_0BANKBANKBAN0PANELPANELP", ""])
    expect(endOf(token)).toBeNaN();
});

it("is of no matter where the token is none", () => {
  for (const token of ["", "a.b.c", "ibt_", "..."]) expect(() => ownerOf(token)).not.toThrow();
});
