/** What is kept of a request, and the counts by operation. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAddress, parseBlock } from "../../../src/worker/model/address.ts";
import {
  correctAnswered,
  countAnswered,
  type Operations,
  STATUS_CLASSES,
  toSeen,
} from "../../../src/worker/model/seen.ts";

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

  it("what cannot be seen, or changes what is seen, is left out", () => {
    expect(userAgent("a\tb\x01c\x7fd\x85e\xadf")).toBe("abcdef");
    expect(userAgent("\t\t")).toBeNull();
  });
});

describe("counts by operation", () => {
  const tables = fc.array(
    fc.record({
      operation: fc.integer({ min: 0, max: 60 }).map((number) => `operation${number}`),
      status: fc.constantFrom(...STATUS_CLASSES),
      requests: fc.integer({ min: 1, max: 9 }),
      corrects: fc.boolean(),
    }),
    { maxLength: 300 },
  );
  const all = (operations: Operations) => Object.values(operations).flat();

  it("are at most 64, never negative, and their sum is exact; corrections change no sum", () => {
    fc.assert(
      fc.property(tables, (steps) => {
        let operations: Operations = {};
        let sum = 0;
        for (const { operation, status, requests, corrects } of steps) {
          operations = (corrects ? correctAnswered : countAnswered)(operations, [operation, status, requests]);
          if (!corrects) sum += requests;
        }
        const counts = all(operations);
        expect(counts.filter((count) => count !== 0).length).toBeLessThanOrEqual(64);
        expect(Math.min(0, ...counts)).toBe(0);
        expect(counts.reduce((total, count) => total + count, 0)).toBe(sum);
      }),
    );
  });

  it("beyond the first are counted as other operations, and known ones go on", () => {
    let operations: Operations = {};
    for (let each = 0; each < 100; each++) operations = countAnswered(operations, [`operation${each}`, "2xx", 1]);
    operations = countAnswered(operations, ["operation0", "2xx", 1]);
    expect(Object.keys(operations)).toHaveLength(62);
    expect(operations).toMatchObject({ operation0: [2, 0, 0], operation60: [1, 0, 0], other: [39, 0, 0] });
  });

  it("a correction moves what was counted as 2xx, and no more than that", () => {
    const counted = countAnswered({}, ["listSurveys", "2xx", 3]);
    expect(correctAnswered(counted, ["listSurveys", "4xx", 2])).toEqual({ listSurveys: [1, 2, 0] });
    expect(correctAnswered(counted, ["listSurveys", "5xx", 9])).toEqual({ listSurveys: [0, 0, 3] });
    expect(correctAnswered(counted, ["createSurvey", "4xx", 1])).toEqual(counted);
  });
});
