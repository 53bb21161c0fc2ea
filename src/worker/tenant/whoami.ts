/** `/tenant/whoami`. */
import { WhoAmI } from "../model/api-key.ts";
import { tenantOperations } from "./operation.ts";

const operation = tenantOperations({ name: "Tenant", description: "Check an API key." });

export const API_KEY_OPERATIONS = {
  whoami: operation({
    method: "GET",
    effect: "reads",
    path: "/tenant/whoami",
    scope: null,
    ignoresQuery: true,
    answer: WhoAmI,
    summary: "Check an API key",
    description: "Returns the key's identifier. Needs no scope.",
    handle: async (c) => c.json({ apiKeyId: c.get("apiKeyId") }),
  }),
};
