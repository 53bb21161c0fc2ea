/** `/tenant/whoami`. */
import { apiKey, describeOperations, type Operations } from "../../http/operation.ts";
import { WhoAmI } from "../../model/api-key.ts";

export const TENANT_API_KEY_OPERATIONS = {
  whoami: { method: "GET", path: "/tenant/whoami", credential: apiKey(null) },
} as const satisfies Operations;

if (!import.meta.deployed) {
  const tag = { name: "Tenant", description: "Check an API key." };
  describeOperations(tag, TENANT_API_KEY_OPERATIONS, {
    whoami: {
      summary: "Check an API key",
      description: "Returns the key's identifier. Needs no scope.",
      answer: WhoAmI,
    },
  });
}
