/** The signers of docs/clients.md, run as they stand there, and the vectors of signed tokens. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { importSigningKeys } from "../../src/worker/credentials/envelope.ts";
import { signingSecretOf, verifySignedToken } from "../../src/worker/model/signed-token.ts";
import { block } from "../support/node/documents.ts";

type Vectors = {
  deploymentSecret: string;
  ideaBankId: string;
  accountId: string;
  epoch: number;
  kid: string;
  secret: string;
  vectors: { title: string; token: string; result: string; externalId?: string; panelistId?: string }[];
};

const known: Vectors = JSON.parse(readFileSync("docs/examples/signed-tokens.json", "utf8"));
const keys = await importSigningKeys([known.deploymentSecret]);

it("the secret of the vectors is derived", async () => {
  expect(await signingSecretOf(known, keys)).toEqual({ kid: known.kid, secret: known.secret });
});

it.each(known.vectors)("the vector $title is $result", async ({ token, result, externalId, panelistId }) => {
  const verified = await verifySignedToken(token, keys);
  expect(verified.ok ? "valid" : verified.reason).toBe(result);
  if (!verified.ok) return;
  expect(verified.value).toMatchObject({ panelistId, signed: { externalId } });
});

describe("the signer of docs/clients.md", () => {
  const subject = "customer-42 Zo\u00eb";
  const { kid, secret, ideaBankId } = known;
  it.each([
    [
      "sign-node",
      "sign.mjs",
      process.execPath,
      `\nconsole.log(signToken(${JSON.stringify({ kid, secret })}, "${ideaBankId}", "${subject}"));\n`,
    ],
    [
      "sign-python",
      "sign.py",
      "python3",
      `\nprint(sign_token("${kid}", "${secret}", "${ideaBankId}", "${subject}"))\n`,
    ],
  ])("%s signs a valid token", async (marker, name, program, call) => {
    const file = join(mkdtempSync(join(tmpdir(), "sign-")), name);
    writeFileSync(file, block("docs/clients.md", marker) + call);
    const token = execFileSync(program, [file], { encoding: "utf8" }).trim();
    expect(await verifySignedToken(token, keys)).toMatchObject({
      ok: true,
      value: { ideaBankId, signed: { externalId: subject } },
    });
  });
});
