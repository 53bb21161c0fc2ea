/** `/version` tells which release is deployed. It asks no store. */
import { Release } from "../model/operator.ts";
import { operation } from "./operation.ts";
import { RELEASE } from "./release.ts";

export const VERSION_OPERATIONS = {
  getVersion: operation({
    method: "GET",
    effect: "reads",
    path: "/version",
    credential: { kind: "none" },
    answer: Release,
    summary: "Say which version is deployed",
    description: "The version of the code, and the newest step of the schema that it needs.",
    handle: async (c) => c.json(RELEASE),
  }),
};
