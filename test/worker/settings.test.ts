/** The two slots of signing secrets: which one signs. A rotation under load is in rotation-under-load.slow.test.ts. */

import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { createApp } from "../../src/worker/app.ts";
import { verifyApiKey } from "../../src/worker/credentials/api-key.ts";
import { importSigningKeys } from "../../src/worker/credentials/envelope.ts";
import { problemText } from "../../src/worker/problem.ts";
import { readLeaseMs, SettingsReader } from "../../src/worker/settings.ts";
import { createOwner } from "../support/owner.ts";

const SECOND = "the second slot's secret has 32 characters";
const THIRD = "the first slot's next secret has more than 32";

type Slots = { CREDENTIAL_SECRETS?: string; CREDENTIAL_SECRETS_2?: string; SIGNING_SECRETS?: string };
const withSlots = (slots: Slots): Env => Object.assign({}, env, slots);
const keysOf = async (slots: Slots) => (await new SettingsReader().read(withSlots(slots))).signingKeys;

it("a lease lasts at most five seconds: a wrong setting is none", () => {
  const lasts = ["5", "0", "5.1", "6", "-1", "soon"].map((seconds) => readLeaseMs({ LEASE_SECONDS: seconds }));
  expect(lasts).toEqual([5_000, 0, 0, 0, 0, 0]);
});

describe("without a secret every request is 500,", () => {
  const ask = async (url: string) => {
    const without = Object.assign({}, env, { CREDENTIAL_SECRETS: undefined });
    return createApp().fetch(new Request(url), without, createExecutionContext());
  };
  const sentence =
    "This server has wrong settings: CREDENTIAL_SECRETS (not set). `npm run dev` makes a secret that is missing: remove a wrong one from .dev.vars, and start it again. Other settings are in wrangler.toml.";
  const log = vi.fn();
  beforeEach(() => void vi.spyOn(console, "error").mockImplementation(log.mockReset()));

  it.each(["/tenant/whoami", "/health", "/ideabank", "/account/api/keys", "/nothing"])(
    "and on a developer's machine its problem names the setting and the command: %s",
    async (path) => {
      const response = await ask(`http://localhost:8787${path}`);
      expect([response.status, await response.json()]).toEqual([
        500,
        expect.objectContaining({ error: "internal-error", detail: sentence }),
      ]);
    },
  );

  it("and so does a page", async () => {
    const response = await ask("http://127.0.0.1:8787/account");
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining("npm run dev")]);
  });

  it("and elsewhere only the log says why", async () => {
    const response = await ask("https://api.example/tenant/whoami");
    expect([response.status, (await response.json<{ detail: string }>()).detail]).toEqual([
      500,
      problemText("internal-error"),
    ]);
    expect(log).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ cause: expect.stringContaining("CREDENTIAL_SECRETS (not set)") }),
    );
  });
});

describe("the slots", () => {
  it.each<[string, Slots, number]>([
    ["only the first", {}, 2],
    ["both, and the first signs", { CREDENTIAL_SECRETS_2: SECOND, SIGNING_SECRETS: "CREDENTIAL_SECRETS" }, 3],
    ["both, and the second signs", { CREDENTIAL_SECRETS_2: SECOND, SIGNING_SECRETS: "CREDENTIAL_SECRETS_2" }, 3],
    ["a second that signs and is not set: the first signs", { SIGNING_SECRETS: "CREDENTIAL_SECRETS_2" }, 2],
  ])("%s", async (_, slots, count) => {
    const keys = await keysOf(slots);
    expect(keys).toHaveLength(count);
    const signs = slots.CREDENTIAL_SECRETS_2 !== undefined && slots.SIGNING_SECRETS === "CREDENTIAL_SECRETS_2";
    const [first = ""] = env.CREDENTIAL_SECRETS.split(",");
    const { key } = await createOwner("rotation@example.com", withSlots(slots)).create();
    const by = async (secret: string) => (await verifyApiKey(key, await importSigningKeys([secret]))).ok;
    expect([await by(SECOND), await by(first)]).toEqual([signs, !signs]);
  });

  it("a slot that does not exist is a wrong setting", async () => {
    await expect(keysOf({ SIGNING_SECRETS: "CREDENTIAL_SECRETS_3" })).rejects.toThrow("SIGNING_SECRETS");
  });

  it("a domain that is none is a wrong setting, and is named", async () => {
    const read = new SettingsReader().read({ ...env, OWN_ZONES: "shop.example, nothing" });
    await expect(read).rejects.toThrow('OWN_ZONES ("nothing" is no domain)');
  });

  it("a secret that is too short is a wrong setting, and is not in the message", async () => {
    await expect(keysOf({ CREDENTIAL_SECRETS_2: "too short" })).rejects.toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("too short") }),
    );
  });

  it("ending the old secret ends what it signed, and nothing else", async () => {
    const both = { CREDENTIAL_SECRETS: env.CREDENTIAL_SECRETS, CREDENTIAL_SECRETS_2: SECOND };
    const switchedSlots = { ...both, SIGNING_SECRETS: "CREDENTIAL_SECRETS_2" };
    const [before, after] = [createOwner("rotation@example.com", withSlots(both)), "rotation@example.com"];
    const { key } = await before.create();
    const switched = createOwner(after, withSlots(switchedSlots));
    const { key: newKey } = await switched.create("Another");
    const ended = createOwner(after, withSlots({ ...switchedSlots, CREDENTIAL_SECRETS: THIRD }));
    expect([await switched.whoami(key), await switched.whoami(newKey)]).toEqual([200, 200]);
    expect([await ended.whoami(key), await ended.whoami(newKey)]).toEqual([401, 200]);
  });
});
