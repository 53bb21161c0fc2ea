/** `GET /version`: which release is deployed, to anybody, without a call to a store. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import packageJson from "../../../package.json" with { type: "json" };
import { countStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";

const steps = Object.keys(import.meta.glob("../../../migrations/*.sql"));

it("says the version of package.json and the number of the newest step of the schema", async () => {
  const { env: counted, counts } = countStores(env);
  const response = await createIsolate(counted).request("/version");
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ version: packageJson.version, schema: steps.length });
  expect(counts).toEqual({ d1: 0, "kv.read": 0, "kv.write": 0, gate: 0 });
});
