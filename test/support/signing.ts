/** A tenant whose own server signs the tokens of its panelists. */
import { createIsolate, type Isolate } from "./isolate.ts";
import { CHANGELOG, createPanel, PROPOSALS, sendWith } from "./panel.ts";
import { now, signJwt } from "./sign-jwt.ts";
import type { IdeaBankOptions } from "./world.ts";

export type Secret = { kid: string; secret: string; previousUntil: string | null };
export type Answer = Record<string, unknown>;

export async function createSigner(isolate: Isolate = createIsolate(), options: IdeaBankOptions = {}) {
  const panel = await createPanel(options, isolate);
  const path = `/tenant/ideabanks/${panel.bank.id}`;
  const readSecret = async () => (await panel.tenant.send("GET", `${path}/signing-secret`)).json<Secret>();
  const secret = await readSecret();
  const sign = (sub: unknown = "customer-42", claims: object = {}, header: object = {}, by: Secret = secret) =>
    signJwt(
      { alg: "HS256", typ: "JWT", kid: by.kid, ...header },
      { iss: panel.bank.id, sub, iat: now(), exp: now() + 3_600, ...claims },
      by.secret,
    );
  const introspect = async (token: string) =>
    (await panel.tenant.send("POST", "/tenant/tokens/introspect", { token })).json<Answer>();
  const issue = async (body: object) =>
    (await panel.tenant.send("POST", `${path}/tokens`, body)).json<{ token: string; panelistId: string }>();
  return { ...panel, path, secret, readSecret, sign, introspect, issue };
}

/** How the changelog, the capabilities and the list of proposals answer. */
export const statuses = (isolate: Isolate, token: string) =>
  Promise.all(
    [CHANGELOG, "/ideabank", PROPOSALS].map(async (path) => (await sendWith(isolate, token)("GET", path)).status),
  );
