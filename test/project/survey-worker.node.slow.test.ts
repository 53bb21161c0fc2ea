/** docs/examples/survey-worker: another Worker, which asks the deployed one over a real service binding. */
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";
import { buildWorker } from "../../src/commands/development/build-worker.ts";
import { bundleWorker } from "../support/node/bundle-worker.ts";
import { makeState, runVersions } from "../support/node/two-versions.ts";

const EXAMPLE = "docs/examples/survey-worker";
const ANSWERS = "/surveys/spring/answers";
type Created = { id: string };
type Configuration = {
  compatibility_date: string;
  services: { binding: string; service: string; entrypoint: string }[];
  kv_namespaces: { binding: string }[];
};

let state: Awaited<ReturnType<typeof makeState>>;
let runtime: Awaited<ReturnType<typeof runVersions>>;

beforeAll(async () => {
  state = await makeState();
  const worker = await buildWorker();
  const { services, kv_namespaces, compatibility_date }: Configuration = unstable_readConfig({
    config: `${EXAMPLE}/wrangler.toml`,
  });
  const { name } = unstable_readConfig({ config: "wrangler.toml" });
  expect(services).toMatchObject([{ service: name }]);
  const bindings = services.map(({ binding, entrypoint }) => [binding, { name: "front", entrypoint }]);
  runtime = await runVersions({ front: worker, gates: worker }, state.folder, [
    {
      name: "survey",
      compatibilityDate: compatibility_date,
      modules: true,
      script: await bundleWorker(await readFile(`${EXAMPLE}/index.ts`, "utf8"), EXAMPLE),
      kvNamespaces: kv_namespaces.map(({ binding }) => binding),
      serviceBindings: Object.fromEntries(bindings),
    },
  ]);
});
afterAll(async () => {
  await runtime?.stop();
  await state?.remove();
});

async function send(method: string, headers: Record<string, string>, body?: string) {
  const survey = await runtime.workerOf("survey");
  const response = await survey.fetch(`https://survey.example${ANSWERS}`, { method, headers, ...(body && { body }) });
  const text = await response.text();
  return { status: response.status, headers: response.headers, json: text === "" ? {} : JSON.parse(text) };
}

/** A tenant's key of these settings, an idea bank, and tokens for it. */
async function createTenant(fields: object = {}) {
  const all = await runtime.create({ name: "All" });
  const { id, key } = await runtime.create({ name: "Survey", ...fields });
  const asTenant = { "X-API-Key": all.key };
  const bank: Created = (await runtime.send("POST", "/tenant/ideabanks", asTenant, { name: "Ideas", status: "OPEN" }))
    .json;
  const issue = async (body: object): Promise<{ token: string; panelistId: string }> =>
    (await runtime.send("POST", `/tenant/ideabanks/${bank.id}/tokens`, asTenant, body)).json;
  const end = () => Promise.all([id, all.id].map((each) => runtime.send("DELETE", `/account/api/keys/${each}`)));
  return { id, key, asTenant, issue, end };
}

describe("the survey Worker", () => {
  it("takes a panelist's answer, and shows it to the tenant's key, whose limit counts it", async () => {
    const { key, issue, end } = await createTenant({ scopes: ["surveys:read"], limit: 3 });
    const { token, panelistId } = await issue({ externalId: "customer-42" });
    for (const answer of ["Yes", "No"])
      expect((await send("POST", { Authorization: `Bearer ${token}` }, answer)).status).toBe(204);
    const listed = await send("GET", { "X-API-Key": key });
    expect([listed.status, listed.json]).toEqual([200, { items: [{ panelistId, answer: "No" }] }]);
    expect(listed.headers.get("RateLimit")).toBe('"api-key";r=2;t=60');
    // One limit for both Workers.
    expect(await runtime.whoami(key)).toBe(200);
    expect((await send("GET", { "X-API-Key": key })).status).toBe(200);
    const limited = await send("GET", { "X-API-Key": key });
    expect([limited.status, limited.json.error]).toEqual([429, "too-many-requests"]);
    expect(Number(limited.headers.get("Retry-After"))).toBeGreaterThan(0);
    await end();
  });

  it("refuses what the API refuses: no credential, a visitor who writes, a key without the scope, a revoked one", async () => {
    const { id, key, issue, end } = await createTenant({ scopes: ["ideabanks:read"] });
    const { token } = await issue({ visitor: true });
    const answers = [
      await send("GET", {}),
      await send("POST", {}, "Yes"),
      await send("POST", { Authorization: key }, "Yes"),
      await send("GET", { "X-API-Key": token }),
      await send("POST", { Authorization: token }, "Yes"),
      await send("GET", { "X-API-Key": key }),
    ];
    expect(answers.map(({ status, json }) => [status, json.error])).toEqual([
      [401, "unauthorized"],
      [401, "unauthorized"],
      [401, "unauthorized"],
      [401, "unauthorized"],
      [403, "sign-in-required"],
      [403, "forbidden"],
    ]);
    expect(answers[0]?.headers.get("WWW-Authenticate")).toBe('ApiKey realm="tenant"');
    expect((await runtime.send("DELETE", `/account/api/keys/${id}`)).status).toBe(200);
    const revoked = await send("GET", { "X-API-Key": key });
    expect([revoked.status, revoked.json.reason]).toEqual([401, "revoked"]);
    await end();
  });
});
