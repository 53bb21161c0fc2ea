/** Tokens that the tenant's own server signs: the secret, its rotation, and the reason why a token is refused. */
import type { Context } from "hono";
import { hashSecret } from "../credentials/api-key.ts";
import type { SigningKeys } from "../credentials/envelope.ts";
import { rememberSigningSecret } from "../database/secrets/leaked-secrets.ts";
import { readSigningEpochs, rotateSigningSecret } from "../database/secrets/signing-secrets.ts";
import { introspect } from "../database/tokens/introspection.ts";
import { logWarning } from "../log.ts";
import { Introspection, IntrospectionRequest, SecretRotation, SigningSecret } from "../model/introspection.ts";
import { type SigningEpochs, signingSecretOf } from "../model/signed-token.ts";
import { toTimestamp } from "../model/text.ts";
import { Problem } from "../problem.ts";
import type { Session } from "../store/session.ts";
import { dailyActOf } from "./daily-act.ts";
import { type TenantEnv, tenantOperations } from "./operation.ts";
import { PANELIST_TAG } from "./panelists.ts";
import { owned } from "./refuse-foreign.ts";

const operation = tenantOperations(PANELIST_TAG);
const SECRET = "/tenant/ideabanks/{ideaBankId}/signing-secret";

async function describeSecret(
  named: { readonly ideaBankId: string; readonly accountId: string },
  { accountEpoch, signingEpoch, earlierEpochs }: SigningEpochs,
  { keys, now }: { readonly keys: SigningKeys; readonly now: number },
) {
  const secret = await signingSecretOf({ ...named, accountEpoch, epoch: signingEpoch }, keys);
  const until = Math.max(...earlierEpochs.map(([, each]) => each));
  return { ...secret, previousUntil: until > now ? toTimestamp(until) : null };
}

/** After the answer, stores the hash of a secret that is handed out, so that it is recognized if it leaks. */
function rememberSoon(
  c: Context<TenantEnv>,
  session: Session,
  {
    ideaBankId,
    accountId,
    epochs,
    secret,
  }: {
    readonly ideaBankId: string;
    readonly accountId: string;
    readonly epochs: SigningEpochs;
    readonly secret: { readonly secret: string };
  },
): void {
  const { accountEpoch, signingEpoch: epoch } = epochs;
  const remember = async () => {
    const hash = await hashSecret(secret.secret);
    await rememberSigningSecret(session, { hash, accountId, ideaBankId, accountEpoch, epoch });
  };
  const rememberOrWarn = () =>
    remember().catch((error: unknown) => logWarning("a signing secret is not known again if it leaks", error));
  c.executionCtx.waitUntil(c.get("budget").afterAnswer(rememberOrWarn));
}

export const SIGNING_OPERATIONS = {
  getSigningSecret: operation({
    method: "GET",
    effect: "reads",
    path: SECRET,
    forAgents: "never",
    scope: "panelists:write",
    answer: SigningSecret,
    summary: "Read the secret that your server signs tokens with",
    description:
      "With it, your server signs a panelist's token itself, as a JWT, without a call. Read it when the server starts and once a day, because the deployment also rotates its secrets, and a member can end all tokens. The activity records the first time on a day (UTC) that a key reads it.",
    handle: async (c, { session, afterwards, accountId, ids: { ideaBankId }, now }) => {
      const reader = await dailyActOf(c, "signing-secret-read", now);
      const epochs = owned(await readSigningEpochs(session, { accountId, ideaBankId, reader }));
      const secret = await describeSecret({ ideaBankId, accountId }, epochs, {
        keys: c.get("settings").signingKeys,
        now,
      });
      rememberSoon(c, afterwards, { ideaBankId, accountId, epochs, secret });
      return c.json(secret);
    },
  }),

  rotateSigningSecret: operation({
    method: "POST",
    effect: "ends",
    idempotent: false,
    path: `${SECRET}/rotate`,
    forAgents: "never",
    scope: "panelists:write",
    body: SecretRotation,
    answer: SigningSecret,
    summary: "Rotate the secret that your server signs tokens with",
    description:
      "Returns a new secret. Tokens signed with the earlier one are valid for `graceSeconds` more, and rotating again shortens no grace, unless it is 0. At most 4 earlier secrets are valid at a time: while they are, rotating again replaces the newest.",
    handle: async (
      c,
      { session, afterwards, accountId, ids: { ideaBankId }, body, now, idempotencyKey, noteEpochs },
    ) => {
      const rotation = {
        accountId,
        ideaBankId,
        ...body,
        reader: await dailyActOf(c, "signing-secret-read", now),
        idempotencyKey,
      };
      const { result, epochs: rotated } = await rotateSigningSecret(session, rotation);
      if (result.kind === "reused") throw new Problem("idempotency-key-reused");
      if (result.kind === "replayed") c.header("Idempotency-Replayed", "true");
      const epochs = owned(rotated);
      noteEpochs(ideaBankId, epochs);
      const at = { keys: c.get("settings").signingKeys, now };
      const secret = await describeSecret({ ideaBankId, accountId }, epochs, at);
      rememberSoon(c, afterwards, { ideaBankId, accountId, epochs, secret });
      return c.json(secret, 201);
    },
  }),

  introspectToken: operation({
    method: "POST",
    effect: "reads",
    path: "/tenant/tokens/introspect",
    scope: "panelists:read",
    body: IntrospectionRequest,
    answer: Introspection,
    status: 200,
    summary: "Check a token",
    description:
      "Returns the content of a valid token of yours, of any kind. For any other, `active` is `false`, with a `reason` if it names an idea bank of yours.",
    handle: async (c, { session, accountId, body, now }) =>
      c.json(await introspect(session, { accountId, ...body, keys: c.get("settings").signingKeys, now })),
  }),
};
