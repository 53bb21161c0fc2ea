/** IP addresses and CIDR blocks: what is read, what is refused, and what is in which block. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isInBlock, parseAddress, parseBlock } from "../../../src/worker/model/address.ts";
import { addressFilter } from "../../../src/worker/model/allowed-addresses.ts";

describe("an address", () => {
  it.each([
    ["1.2.3.4", "::ffff:1.2.3.4"],
    ["1.2.3.4", "::ffff:102:304"],
    ["1.2.3.4", "0:0:0:0:0:FFFF:1.2.3.4"],
    ["::", "0:0:0:0:0:0:0:0"],
    ["::1", "0000:0000:0000:0000:0000:0000:0000:0001"],
    ["2001:db8::1", "2001:0DB8:0:0:0:0:0:1"],
    ["2001:db8::1:0:0:1", "2001:db8:0:0:1::1"],
    ["64:ff9b::192.0.2.33", "64:ff9b::c000:221"],
    ["1::", "1:0:0:0:0:0:0:0"],
  ])("%s is %s", (left, right) => {
    expect(parseAddress(left)).toBeTypeOf("bigint");
    expect(parseAddress(left)).toBe(parseAddress(right));
  });

  it.each([
    "",
    "1.2.3",
    "1.2.3.4.5",
    "1.2.3.256",
    "1.2.3.04",
    "010.0.0.1",
    "1.2.3.4.",
    " 1.2.3.4",
    "0x1.2.3.4",
    "16909060",
    "fe80::1%eth0",
    "[::1]",
    ":::",
    "::1::",
    ":1",
    "1:",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4::5:6:7:8",
    "12345::",
    "::g",
    "1.2.3.4::",
    "::1.2.3.4:5",
    "::1.2.3",
    "1:2:3:4:5:6:7:1.2.3.4",
    "localhost",
    `${"0".repeat(60)}::1`,
  ])("%j is none", (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });

  it("of four numbers is read as it was written", () => {
    fc.assert(
      fc.property(fc.ipV4(), (text) => {
        const [a = 0, b = 0, c = 0, d = 0] = text.split(".").map(Number);
        expect(parseAddress(text)).toBe(0xffff_0000_0000n + BigInt(a * 2 ** 24 + b * 65_536 + c * 256 + d));
      }),
    );
  });

  it("of IPv6, however it is written, is what the URL standard reads", () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const canonical = new URL(`http://[${text}]/`).hostname.slice(1, -1);
        expect(parseAddress(text)).toBeTypeOf("bigint");
        expect(parseAddress(text)).toBe(parseAddress(canonical));
      }),
    );
  });
});

describe("a block", () => {
  it.each([
    "1.2.3.4/33",
    "1.2.3.0/-1",
    "1.2.3.0/",
    "1.2.3.0/024",
    "1.2.3.0/24/24",
    "1.2.3.4/24",
    "0.0.0.1/0",
    "::/129",
    "2001:db8::1/32",
    "::ffff:1.2.3.4/96",
    "/8",
  ])("%j is none", (text) => {
    expect(parseBlock(text)).toBeUndefined();
  });

  it.each([
    ["203.0.113.0/24", ["203.0.113.0", "203.0.113.255", "::ffff:203.0.113.9"], ["203.0.112.255", "203.0.114.0"]],
    ["203.0.113.7", ["203.0.113.7"], ["203.0.113.6", "203.0.113.8"]],
    ["203.0.113.7/32", ["203.0.113.7"], ["203.0.113.6"]],
    ["::ffff:203.0.113.0/120", ["203.0.113.9"], ["203.0.114.0"]],
    ["0.0.0.0/0", ["0.0.0.0", "255.255.255.255"], ["::1", "2001:db8::1", "::203.0.113.7"]],
    ["::/0", ["::1", "ffff::"], ["203.0.113.7", "::ffff:203.0.113.7"]],
    ["2001:db8::/32", ["2001:db8:ffff::1"], ["2001:db9::", "203.0.113.7"]],
    ["2001:db8::1/128", ["2001:db8:0::1"], ["2001:db8::2"]],
  ])("%s has these, and not those", (text, inside, outside) => {
    const isAllowed = addressFilter([text]);
    expect(inside.filter((address) => !isAllowed(address))).toEqual([]);
    expect(outside.filter((address) => isAllowed(address))).toEqual([]);
  });

  it("has the addresses that share its first bits", () => {
    const address = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n });
    fc.assert(
      fc.property(address, address, fc.integer({ min: 96, max: 128 }), (one, other, bits) => {
        const toBits = (value: bigint) => value.toString(2).padStart(128, "0");
        const first = BigInt(`0b${toBits(one).slice(0, bits).padEnd(128, "0")}`);
        expect(isInBlock(one, { first, bits })).toBe(true);
        expect(isInBlock(other, { first, bits })).toBe(toBits(one).slice(0, bits) === toBits(other).slice(0, bits));
      }),
    );
  });
});

it("no list allows every address, and a list none that is missing or cannot be read", () => {
  for (const address of [null, "203.0.113.7", "nonsense"]) {
    expect(addressFilter(null)(address)).toBe(true);
    expect(addressFilter(undefined)(address)).toBe(true);
  }
  const isAllowed = addressFilter(["0.0.0.0/0", "::/0"]);
  expect([null, "", "nonsense", "fe80::1%eth0"].map(isAllowed)).toEqual([false, false, false, false]);
});
