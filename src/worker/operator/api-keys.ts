/** `/operator/keys`: the operator changes an API key for its owner, who may not be able to sign in. */
import type { Context } from "hono";
import { changeOwnKey, noSuchKey, type OwnKey, revokeOwnKey } from "../api-key-gate/key-changes.ts";
import { stamp } from "../database/activity/audit-events.ts";
import { findOwnerOfKey } from "../database/keys/account-keys.ts";
import { withDeliveries } from "../deliveries/after-answer.ts";
import type { AppEnv } from "../http/app-env.ts";
import { ApiKey } from "../model/account-key.ts";
import { isId } from "../model/id.ts";
import { ApiKeyLimit } from "../model/operator.ts";
import { type OperatorMemory, operation } from "./operation.ts";

/** Changes the key in its owner's account, as the operator. Webhooks get the event after the answer. Throws `not-found`. */
async function actForOwnerOf<Answer>(
  c: Context<AppEnv>,
  { databases, send, id }: Pick<OperatorMemory, "databases" | "send"> & { readonly id: string },
  change: (own: OwnKey) => Promise<Answer>,
): Promise<Answer> {
  const session = isId(id) ? databases.of(c, id)?.withoutSession() : undefined;
  const account = session && (await findOwnerOfKey(session, id));
  if (session === undefined || !account) throw noSuchKey();
  const { email, accountId } = account;
  const owner = { email, person: accountId, actor: "the operator", address: null };
  return withDeliveries(c, { session, account: { email }, send }, (watched) =>
    change({ session: watched, owner, id, at: stamp(id) }),
  );
}

export const KEY_OPERATIONS = {
  limitKeyAsOperator: operation({
    method: "PUT",
    effect: "overwrites",
    path: "/operator/keys/{apiKeyId}/limit",
    credential: { kind: "operator" },
    body: ApiKeyLimit,
    answer: ApiKey,
    untilDone: true,
    problems: ["not-found", "conflict"],
    summary: "Set the rate limit of an API key",
    description:
      "It holds for every request after this answer. The owner's activity says that the operator has changed it. Sending it again is " +
      "harmless. 409 `conflict` for a key that is revoked or expired.",
    handle: async (c, { ids, body }, memory) => {
      const changer = { caller: c, gatekeeper: memory.gatekeeper };
      return c.json(
        await actForOwnerOf(c, { ...memory, id: ids.apiKeyId }, (own) => changeOwnKey(changer, own, { changes: body })),
      );
    },
  }),

  revokeKeyAsOperator: operation({
    method: "DELETE",
    effect: "ends",
    path: "/operator/keys/{apiKeyId}",
    credential: { kind: "operator" },
    answer: ApiKey,
    status: 200,
    untilDone: true,
    problems: ["not-found"],
    summary: "Revoke an API key",
    description:
      "After this answer every request with the key is refused. The owner's activity says that the operator has revoked it. Sending it " +
      "again is harmless.",
    handle: async (c, { ids }, memory) => {
      const changer = { caller: c, gatekeeper: memory.gatekeeper };
      return c.json(await actForOwnerOf(c, { ...memory, id: ids.apiKeyId }, (own) => revokeOwnKey(changer, own)));
    },
  }),
};
