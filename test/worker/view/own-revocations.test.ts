/** What was revoked through an isolate is refused there from the answer on, whatever it was, also while D1 does not answer. */
import { beforeEach, expect, it, vi } from "vitest";
import { issueToken } from "../../../src/worker/credentials/compound-token.ts";
import { freeze } from "../../support/clock.ts";
import { bindingOf, databaseOf } from "../../support/databases.ts";
import { interceptDatabase } from "../../support/intercept-binding.ts";
import { withSecret } from "../../support/operator.ts";
import { createOwner } from "../../support/owner.ts";
import { signJwt } from "../../support/sign-jwt.ts";
import { createTenant } from "../../support/tenant.ts";
import { addIdeaBank, signingKeys, tokenFor } from "../../support/world.ts";

type Secret = { readonly kid: string; readonly secret: string };
/** A token that is not young: only what this isolate has done refuses it at once. */
const AGE_SECONDS = 60;

beforeEach(() => void vi.spyOn(console, "warn").mockImplementation(() => {}));

async function createScene() {
  freeze(Date.now());
  const bank = await addIdeaBank();
  const email = await databaseOf(bank.id)
    .prepare("SELECT owner_email FROM accounts WHERE id = ?1")
    .bind(bank.accountId)
    .first<string>("owner_email");
  let isDown = false;
  const database = interceptDatabase(databaseOf(bank.id), async (_, makeCall) => {
    if (isDown) throw new Error("D1_ERROR: Network connection lost.");
    return makeCall();
  });
  const owner = createOwner(email ?? "", { ...withSecret, [bindingOf(bank.id)]: database });
  const tenant = await createTenant({ accountId: bank.accountId }, owner.isolate);
  const path = `/tenant/ideabanks/${bank.id}`;
  const issuedAt = Math.floor(Date.now() / 1000) - AGE_SECONDS;
  const secret = await (await tenant.send("GET", `${path}/signing-secret`)).json<Secret>();
  const claims = { iss: bank.id, sub: "customer-42", iat: issuedAt, exp: issuedAt + 3_600 };
  return {
    bank,
    owner,
    tenant,
    path,
    secret,
    panelists: await tokenFor(bank.id, bank.panelistId, issuedAt),
    visitors: await issueToken(
      { ideaBankId: bank.id, panelistId: null, issuedAt, expiresAt: issuedAt + 3_600 },
      signingKeys,
    ),
    signed: await signJwt({ alg: "HS256", kid: secret.kid }, claims, secret.secret),
    stop: () => {
      isDown = true;
    },
  };
}
type Scene = Awaited<ReturnType<typeof createScene>>;

const paste = ({ owner }: Scene, key: string) =>
  owner.isolate.request("/leaks/reports", {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ key }).toString(),
  });
const ofPerson = ({ bank }: Scene) => `/tenant/panelists/${bank.panelistId}`;

type Kind = "panelists" | "visitors" | "signed";
const REVOCATIONS: readonly [title: string, kind: Kind, revoke: (scene: Scene) => Promise<Response>][] = [
  ["a panelist's tokens", "panelists", (scene) => scene.tenant.send("DELETE", `${ofPerson(scene)}/tokens`)],
  [
    "a person's tokens",
    "signed",
    ({ tenant }) => tenant.send("POST", "/tenant/tokens/revoke", { externalId: "customer-42" }),
  ],
  ["a panelist who is blocked", "panelists", (scene) => scene.tenant.send("PATCH", ofPerson(scene), { active: false })],
  [
    "a panelist who is blocked in Account Settings",
    "panelists",
    ({ owner, bank }) => owner.submit(`/people/${bank.panelistId}`, { do: "block" }),
  ],
  [
    "tokens that are ended in Account Settings",
    "panelists",
    ({ owner, bank }) => owner.submit(`/people/${bank.panelistId}`, { do: "end-tokens" }),
  ],
  ["a panelist who is deleted", "panelists", (scene) => scene.tenant.send("DELETE", ofPerson(scene))],
  [
    "a person who is created inactive",
    "signed",
    ({ tenant }) => tenant.send("POST", "/tenant/panelists", { externalId: "customer-42", active: false }),
  ],
  ["visitors' tokens", "visitors", ({ tenant, path }) => tenant.send("DELETE", `${path}/visitor-tokens`)],
  [
    "a signing secret, by a rotation without a grace",
    "signed",
    ({ tenant, path }) => tenant.send("POST", `${path}/signing-secret/rotate`, { graceSeconds: 0 }),
  ],
  ["all tokens, a panelist's", "panelists", ({ owner }) => owner.json("POST", "/tokens/end")],
  ["all tokens, a visitor's", "visitors", ({ owner }) => owner.json("POST", "/tokens/end")],
  ["all tokens, a signed one", "signed", ({ owner }) => owner.json("POST", "/tokens/end")],
  ["a panelist's token that was found", "panelists", (scene) => paste(scene, scene.panelists)],
  ["a signed token that was found", "signed", (scene) => paste(scene, scene.signed)],
  ["a signing secret that was found", "signed", (scene) => paste(scene, scene.secret.secret)],
  [
    "an earlier signing secret that was found in its grace",
    "signed",
    async (scene) => {
      await scene.tenant.send("POST", `${scene.path}/signing-secret/rotate`, { graceSeconds: 3_600 });
      return paste(scene, scene.secret.secret);
    },
  ],
];

it.each(REVOCATIONS.flatMap(([...revocation]) => [["up", ...revocation] as const, ["down", ...revocation] as const]))(
  "while D1 is %s: %s, with a token of %s",
  async (d1, _, kind, revoke) => {
    const scene = await createScene();
    const read = async () =>
      (await scene.owner.isolate.request("/ideabank", { headers: { Authorization: scene[kind] } })).status;
    expect(await read()).toBe(200);
    const answer = await revoke(scene);
    expect(answer.status).toBeLessThan(400);
    if (answer.status === 303) expect(answer.headers.get("Location")).not.toContain("again");
    if (d1 === "down") scene.stop();
    expect(await read()).toBe(401);
  },
);
