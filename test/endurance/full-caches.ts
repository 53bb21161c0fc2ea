/** Fills the caches of an isolate that keep a bounded number of credentials, so that what grows later is a leak. */
import { createApiKey } from "../../src/worker/credentials/api-key.ts";
import { secureRandomBytes } from "../../src/worker/credentials/base62.ts";
import { createId } from "../../src/worker/credentials/id.ts";
import { signingKeys, tokenOf } from "../bench/seed.ts";
import { send } from "./scene.ts";

/** As many as the largest of them keeps, and one. */
const CREDENTIALS = 10_001;
const CLIENTS = 32;

/** Sends as many keys, which nobody has created, and as many tokens of panelists who do not exist: both are signed. */
export async function fillCaches(url: string, ideaBankId: string): Promise<void> {
  const newId = () => createId("0", secureRandomBytes);
  await repeat(async () => {
    const { text } = await createApiKey(signingKeys, secureRandomBytes, newId());
    await expectAnswer(`${url}/tenant/whoami`, { "X-API-Key": text }, 401);
    await expectAnswer(`${url}/ideabank`, { Authorization: await tokenOf(newId(), ideaBankId) }, 200);
  });
}

async function expectAnswer(url: string, headers: Record<string, string>, status: number): Promise<void> {
  const answer = await send(url, { headers });
  if (answer.status !== status) throw new Error(`${url}: ${answer.status} ${answer.text}`);
}

async function repeat(act: () => Promise<void>): Promise<void> {
  let left = CREDENTIALS;
  const client = async () => {
    while (left > 0) {
      left -= 1;
      await act();
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}
