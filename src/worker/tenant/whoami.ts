/** `/tenant/whoami`. */
import { DEFAULT_HEADERS } from "../http/default-headers.ts";
import { WhoAmI } from "../model/api-key.ts";
import { tenantOperations } from "./operation.ts";

/** Prepared, because this is the most frequent request of a key. */
const HEADERS = new Headers({ ...DEFAULT_HEADERS, "Content-Type": "application/json" });

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
    handle: async (c) => new Response(JSON.stringify({ apiKeyId: c.get("apiKeyId") }), { headers: HEADERS }),
  }),
};
