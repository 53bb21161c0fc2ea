/** What the operator of a deployment uses. */
import { describeOperations, none, type Operations, operator } from "../http/operation.ts";
import { ApiKey } from "../model/account.ts";
import { AccountStatusChange, ApiKeyLimit, ChangedAccount, Health } from "../model/operator.ts";

export const OPERATOR_OPERATIONS = {
  getHealth: { method: "GET", path: "/health", credential: none },
  setAccountStatus: {
    method: "PUT",
    path: "/operator/account-status",
    credential: operator,
    body: AccountStatusChange,
  },
  limitKeyAsOperator: {
    method: "PUT",
    path: "/operator/keys/{apiKeyId}/limit",
    credential: operator,
    body: ApiKeyLimit,
  },
  revokeKeyAsOperator: { method: "DELETE", path: "/operator/keys/{apiKeyId}", credential: operator },
} as const satisfies Operations;

if (!import.meta.deployed) {
  const tag = { name: "Operation", description: "For the operator of this deployment." };
  describeOperations(tag, OPERATOR_OPERATIONS, {
    getHealth: {
      summary: "Say which stores answer",
      description:
        "200 when each store has answered within 2 seconds, otherwise 503 with the same list. An answer can be 5 seconds old.",
      answer: Health,
    },
    setAccountStatus: {
      summary: "Suspend or resume an account",
      description:
        "After this answer every request with one of the account's API keys is refused, or admitted again. Panelists see it " +
        "within the freshness of their answers. Sending it again is harmless.",
      answer: ChangedAccount,
      problems: ["not-found"],
    },
    limitKeyAsOperator: {
      summary: "Set the rate limit of an API key",
      description:
        "It holds for every request after this answer. The owner's activity says that the operator has changed it. Sending it again is " +
        "harmless. 409 `conflict` for a key that is revoked or expired.",
      answer: ApiKey,
      problems: ["not-found", "conflict"],
    },
    revokeKeyAsOperator: {
      summary: "Revoke an API key",
      description:
        "After this answer every request with the key is refused. The owner's activity says that the operator has revoked it. Sending it " +
        "again is harmless.",
      answer: ApiKey,
      status: 200,
      problems: ["not-found"],
    },
  });
}
