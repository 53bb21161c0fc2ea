/** Codes, handles and the time of a form, of a sign-in on a board's page. */
import { describe, expect, it } from "vitest";
import { secureRandomBytes } from "../../../src/worker/credentials/base62.ts";
import { importSigningKeys } from "../../../src/worker/credentials/envelope.ts";
import {
  createCode,
  createHandle,
  hashCode,
  hashHandle,
  hasProvenMailbox,
  isCode,
  isHandle,
  proveMailbox,
  readCode,
  signOpened,
  verifyOpened,
} from "../../../src/worker/credentials/page-sign-in.ts";

const OLD = await importSigningKeys(["an older secret that is long enough for it"]);
const KEYS = await importSigningKeys([
  "a newer secret that is long enough for it",
  "an older secret that is long enough for it",
]);
const OTHERS = await importSigningKeys(["a secret of somebody else that is long enough"]);

describe("a code", () => {
  it("has six digits, with zeros in front", () => {
    expect(createCode(() => new Uint8Array([0, 0, 0, 7]))).toBe("000007");
    for (let time = 0; time < 200; time += 1) expect(createCode(secureRandomBytes)).toMatch(/^\d{6}$/);
  });

  it("is as likely as any other: the numbers that would make small codes likelier are discarded", () => {
    const bytes = [
      [255, 255, 255, 255],
      // 4,294,000,000: the first number that is discarded, and the last that is not.
      [0xff, 0xf1, 0x3d, 0x80],
      [0xff, 0xf1, 0x3d, 0x7f],
    ];
    expect(createCode(() => Uint8Array.from(bytes.shift() ?? []))).toBe("999999");
    expect(bytes).toEqual([]);
  });

  it.each([
    "123456",
    "123 456",
    " 12-34–56 ",
    "１２３４５６",
    "١٢٣٤٥٦",
    "۱۲۳۴۵۶",
    "१२३४५६",
    "123.456",
    "1\u200b23456",
    "𝟏𝟐𝟑𝟒𝟓𝟔",
  ])("is understood as it is typed: %j", (typed) => expect(readCode(typed)).toBe("123456"));

  it.each(["", "12345", "1234567", "12345a", "½23456", "一二三四五六", "1".repeat(1_000), "-123456-7"])(
    "is not %j",
    (typed) => expect(readCode(typed)).toBeUndefined(),
  );

  it("is stored as a hash that needs the deployment’s secret, the row and the browser", async () => {
    const of = { id: "0row", browser: "b" };
    const hash = await hashCode(of, "123456", KEYS);
    expect(hash).not.toContain("123456");
    expect(await isCode("123456", { ...of, hash, keys: KEYS })).toBe(true);
    expect(await isCode("123457", { ...of, hash, keys: KEYS })).toBe(false);
    expect(await isCode("123456", { ...of, hash, keys: OTHERS })).toBe(false);
    expect(await isCode("123456", { ...of, browser: "c", hash, keys: KEYS })).toBe(false);
    expect(await isCode("123456", { ...of, id: "0other", hash, keys: KEYS })).toBe(false);
    expect(await isCode("123456", { ...of, hash: await hashCode(of, "123456", OLD), keys: KEYS })).toBe(true);
  });
});

describe("the handle of a browser", () => {
  it("has 131 bits, and is stored as a hash", async () => {
    const handle = createHandle(secureRandomBytes);
    expect(isHandle(handle)).toBe(true);
    expect(isHandle(`${handle}x`)).toBe(false);
    expect(await hashHandle(handle)).toMatch(/^[0-9A-Za-z]{17}$/);
    expect(await hashHandle(handle)).not.toBe(await hashHandle(createHandle(secureRandomBytes)));
  });

  it("proves the mailbox with which it has signed in, and no other", async () => {
    const handle = createHandle(secureRandomBytes);
    const proof = await proveMailbox(handle, "ana@example.com", OLD);
    const proves = (more: object) =>
      hasProvenMailbox(proof, { handle, mailbox: "ana@example.com", keys: KEYS, ...more });
    expect(await proves({})).toBe(true);
    expect(await proves({ mailbox: "eve@example.com" })).toBe(false);
    expect(await proves({ handle: createHandle(secureRandomBytes) })).toBe(false);
    expect(await proves({ keys: OTHERS })).toBe(false);
  });
});

describe("the time at which a form was opened", () => {
  it("is read where this deployment has signed it for this board", async () => {
    const at = Date.UTC(2026, 10, 29, 12);
    const text = await signOpened(at, "0bankAAAAAAA", KEYS);
    expect(await verifyOpened(text, "0bankAAAAAAA", KEYS)).toBe(at);
    expect(await verifyOpened(text, "0bankBBBBBBB", KEYS)).toBeUndefined();
    expect(await verifyOpened(text, "0bankAAAAAAA", OTHERS)).toBeUndefined();
    for (const forged of ["", "now", `${text}0`, text.replace(/.$/, (last) => (last === "0" ? "1" : "0"))])
      expect(await verifyOpened(forged, "0bankAAAAAAA", KEYS)).toBeUndefined();
  });
});
