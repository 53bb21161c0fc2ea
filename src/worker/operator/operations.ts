/** What the operator of a deployment uses. */
import { describeOperations, none, type Operations, operator } from "../http/operation.ts";
import { AccountStatusChange, ChangedAccount, Health } from "../model/operator.ts";

export const OPERATOR_OPERATIONS = {
  getHealth: { method: "GET", path: "/health", credential: none },
  setAccountStatus: {
    method: "PUT",
    path: "/operator/account-status",
    credential: operator,
    body: AccountStatusChange,
  },
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
  });
}
