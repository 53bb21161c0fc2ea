/** `/health` tells whether each store answers (health-check.ts). */
import { Health } from "../model/operator.ts";
import { Problem } from "../problem.ts";
import { operation } from "./operation.ts";

export const HEALTH_OPERATIONS = {
  getHealth: operation({
    method: "GET",
    effect: "reads",
    path: "/health",
    credential: { kind: "none" },
    answer: Health,
    summary: "Say which stores answer",
    description:
      "200 when each store has answered within 2 seconds, otherwise 503 with the same list. An answer can be 5 seconds old.",
    handle: async (c, _, { health, databases }) => {
      const stores = await health.read(c, databases);
      if (Object.values(stores).every((store) => store === "ok")) return c.json({ stores });
      const detail = "A store does not answer.";
      throw new Problem("service-unavailable", { detail, headers: { "Retry-After": "5" }, extensions: { stores } });
    },
  }),
};
