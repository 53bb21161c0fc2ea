/** What carries a write to wherever the next request lands: signed, short, for one subject, for a minute. */
import { describe, expect, it } from "vitest";
import { signConsistencyToken, verifyConsistencyToken } from "../../../src/worker/credentials/consistency-token.ts";
import { importSigningKeys } from "../../../src/worker/credentials/envelope.ts";
import { signingKeys } from "../../support/world.ts";

const NOW = 1_900_000_000;
/** As D1 gives them. */
const BOOKMARK = "00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683";
const sign = (bookmark = BOOKMARK, keys = signingKeys) =>
  signConsistencyToken(bookmark, { subject: "a bank", now: NOW, keys });
const verify = (text: string, now = NOW, subjects = ["a bank", "a panelist"]) =>
  verifyConsistencyToken(text, { subjects, now, keys: signingKeys });

describe("a consistency token", () => {
  it("gives the bookmark back, to a request for its subject", async () => {
    const token = (await sign()) ?? "";
    expect(await verify(token)).toBe(BOOKMARK);
    expect(await verify(token, NOW, ["a panelist", "a bank"])).toBe(BOOKMARK);
  });

  it("has at most 160 characters, whatever the bookmark; one that is longer has none", async () => {
    expect((await sign("b".repeat(120)))?.length).toBeLessThanOrEqual(160);
    expect(await sign("b".repeat(121))).toBeUndefined();
    expect(await sign("")).toBeUndefined();
    expect(await sign("with space")).toBeUndefined();
  });

  it.each([
    ["of another subject", async () => verify((await sign()) ?? "", NOW, ["another bank"])],
    ["61 seconds old", async () => verify((await sign()) ?? "", NOW + 61)],
    ["from two seconds ahead", async () => verify((await sign()) ?? "", NOW - 2)],
    [
      "signed by a foreign secret",
      async () => verify((await sign(BOOKMARK, await importSigningKeys(["f".repeat(32)]))) ?? ""),
    ],
    ["cut", async () => verify(((await sign()) ?? "").slice(0, -1))],
    ["with another bookmark", async () => verify(((await sign()) ?? "").replace("00000085", "00000086"))],
    ["with another time", async () => verify(((await sign()) ?? "").replace(/^ibw_(.{5})./, "ibw_$1z"))],
    ["of more than 160 characters", async () => verify(`${await sign()}${"0".repeat(160)}`)],
    ["empty", async () => verify("")],
    ["not one", async () => verify("no token")],
  ])("%s is ignored", async (_, verified) => {
    expect(await verified()).toBeUndefined();
  });

  it("60 seconds old, or a second ahead, is good", async () => {
    const token = (await sign()) ?? "";
    expect([await verify(token, NOW + 60), await verify(token, NOW - 1)]).toEqual([BOOKMARK, BOOKMARK]);
  });
});
