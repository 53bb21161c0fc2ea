/** What is kept of a request, and the counts by operation. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAddress, parseBlock } from "../../../src/worker/model/address.ts";
import { countAdmitted, toSeen } from "../../../src/worker/model/seen.ts";

const seen = (headers: Record<string, string>, address: string | null = null, cf: CfProperties = {}) =>
  toSeen({ now: 5, address, operation: "whoami", sent: new Request("https://api.example/", { headers, cf }) });
const userAgent = (text: string) => seen({ "User-Agent": text }).userAgent;

it("a request without an address, a country or a user agent is seen", () => {
  expect(seen({})).toEqual({ at: 5, network: null, country: null, userAgent: null, operation: "whoami" });
});

it.each([
  ["203.0.113.7", "203.0.113.0/24"],
  ["::ffff:203.0.113.7", "203.0.113.0/24"],
  ["0:0:0:0:0:FFFF:CB00:7107", "203.0.113.0/24"],
  ["0.0.0.1", "0.0.0.0/24"],
  ["2001:db8:12:3456::1", "2001:db8:12::/48"],
  ["2001:db8:0:3456::1", "2001:db8::/48"],
  ["2001:0:0:3456::1", "2001::/48"],
  ["0:0:5::1", "0:0:5::/48"],
  ["1:0:5::1", "1:0:5::/48"],
  ["::1", "::/48"],
  ["fe80::1%eth0", null],
  ["localhost", null],
  ["", null],
])("of the address %s, the network %s is kept", (address, network) => {
  expect(seen({}, address).network).toBe(network);
});

it("a network is a block that holds the address, and nothing of its last 8 or 80 bits", () => {
  const texts = fc.oneof(fc.ipV4(), fc.ipV6());
  fc.assert(
    fc.property(texts, (text) => {
      const address = parseAddress(text);
      const block = parseBlock(seen({}, text).network ?? "");
      if (address === undefined || block === undefined) throw new Error(`no address, or no block: ${text}`);
      expect(block.bits).toBe(address >> 32n === 0xffffn ? 96 + 24 : 48);
      expect(address >> BigInt(128 - block.bits)).toBe(block.first >> BigInt(128 - block.bits));
    }),
  );
});

it.each([
  ["DE", "DE"],
  ["T1", "T1"],
  ["XX", null],
  ["de", null],
  ["<b>", null],
  [undefined, null],
])("of the country %s, %s is kept", (country, kept) => {
  expect(seen({}, null, { country }).country).toBe(kept);
});

describe("of a user agent", () => {
  it("the first 100 characters are kept", () => {
    expect(userAgent("x".repeat(5_000))).toBe("x".repeat(100));
    expect(userAgent("crm-sync/2.1 (+https://crm.example)")).toBe("crm-sync/2.1 (+https://crm.example)");
  });

  it("a credential is hidden, also one that invisible characters divide, or that the end would cut", () => {
    const key = `ibk_${"a1".repeat(23)}`;
    expect(userAgent(`curl ${key} x`)).toBe("curl ibk_… x");
    expect(userAgent(`${key.slice(0, 9)}\xad${key.slice(9)}`)).toBe("ibk_…");
    expect(userAgent(`${"x".repeat(80)}${key}`)).toBe(`${"x".repeat(80)}ibk_…`);
  });

  it("what cannot be seen, or changes what is seen, is left out", () => {
    expect(userAgent("a\tb\x01c\x7fd\x85e\xadf")).toBe("abcdef");
    expect(userAgent("\t\t")).toBeNull();
  });
});

it("counts of an operation are added up", () => {
  expect(countAdmitted({ whoami: 1 }, { whoami: 2, listSurveys: 3 })).toEqual({ whoami: 3, listSurveys: 3 });
});
