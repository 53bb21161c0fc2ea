/** docs/clients.md, "An agent": as the page says it, and what the official client of the protocol sees with each version. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DevServer, freePort, makeCheckout, paste, startDev } from "../support/node/checkout.ts";
import { block } from "../support/node/documents.ts";
import { install } from "../support/node/install.ts";

const DOCUMENT = "docs/clients.md";
const LOCAL = "http://localhost:8787";

let checkout: Awaited<ReturnType<typeof makeCheckout>>;
let server: DevServer;
let origin: string;
let key: string;
let folder: string;

beforeAll(async () => {
  checkout = await makeCheckout();
  const port = await freePort();
  origin = `http://localhost:${port}`;
  server = await startDev(checkout.folder, "--port", String(port));
  key = server.output.match(/^API key: (\S+)$/m)?.[1] ?? "";
  folder = await mkdtemp(join(tmpdir(), "agent-"));
  const lines = block(DOCUMENT, "agent-setup").split("\n");
  const words = lines.flatMap((line) => (line.startsWith("npm install ") ? line.split(" ").slice(2) : []));
  await install(folder, words);
});
afterAll(async () => {
  await server?.stop();
  await checkout?.remove();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** Under the Node of this project, for the machine may have an older one. */
const run = (commands: string) =>
  paste(`set -e; cd '${folder}'; export PATH='${dirname(process.execPath)}':"$PATH"\n${commands}`);

async function createKey(scopes: readonly string[]): Promise<string> {
  const headers = { "Content-Type": "application/json", Origin: origin };
  const body = JSON.stringify({ name: `Agent ${scopes}`, scopes });
  const response = await fetch(`${origin}/account/api/keys`, { method: "POST", headers, body });
  const { key: made, apiKey } = (await response.json()) as { key: string; apiKey: { id: string } };
  madeKeys.push(apiKey.id);
  return made;
}
const madeKeys: string[] = [];

it("tags the new ideas that have no tags, and finds none the second time", async () => {
  const triage = block(DOCUMENT, "agent").replace(LOCAL, origin);
  const headers = { "X-API-Key": key, "Content-Type": "application/json" };
  const post = async (path: string, body: object) =>
    (await (await fetch(origin + path, { method: "POST", headers, body: JSON.stringify(body) })).json()) as {
      id: string;
    };
  const { id } = await post("/tenant/ideabanks", { name: "Triage", status: "OPEN" });
  await post(`/tenant/ideabanks/${id}/proposals`, { title: "A dark theme" });
  await post(`/tenant/ideabanks/${id}/proposals`, { title: "Sorted", tags: ["ui"] });
  await writeFile(join(folder, "triage.mjs"), triage);
  const once = () => run(block(DOCUMENT, "agent-run").replace("ibk_…", key));
  const output = await once();
  expect(output).toContain("A dark theme: appearance");
  expect(output).not.toContain("Sorted");
  expect((await once()).trim()).toBe("");
});

describe.each([
  ["opens with initialize", "{}", "2025-11-25"],
  ["finds out the newest version", '{ versionNegotiation: { mode: "auto" } }', "2026-07-28"],
  ["speaks the newest version alone", '{ versionNegotiation: { mode: { pin: "2026-07-28" } } }', "2026-07-28"],
])("the official client that %s", (_, options, version) => {
  const look = async (apiKey: string) => {
    await writeFile(
      join(folder, "look.mjs"),
      `import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
      const client = new Client({ name: "test", version: "1" }, ${options});
      const headers = { "X-API-Key": "${apiKey}" };
      await client.connect(new StreamableHTTPClientTransport(new URL("${origin}/mcp"), { requestInit: { headers } }));
      const { tools } = await client.listTools();
      const called = await client.callTool({ name: "whoami", arguments: {} });
      const refused = await client.callTool({ name: "createSurvey", arguments: { title: "T".repeat(201) } });
      const unknown = await client.callTool({ name: "nothing" }).catch(({ code }) => code);
      console.log(JSON.stringify({ version: client.getNegotiatedProtocolVersion(), tools, called, refused, unknown }));
      await client.close();`,
    );
    return JSON.parse(await run("node look.mjs"));
  };

  it("initializes, lists, calls, and is told of an error", async () => {
    const seen = await look(key);
    expect(seen).toMatchObject({ version, called: { isError: false }, refused: { isError: true }, unknown: -32602 });
    expect(JSON.parse(seen.called.content[0].text).apiKeyId).toMatch(/^\w{12}$/);
    expect(JSON.parse(seen.refused.content[0].text)).toMatchObject({ status: 400, error: "invalid-request" });
    expect(seen.tools.map(({ name }: { name: string }) => name)).toContain("createSurvey");
  });

  it("sees reading tools alone with a key that only reads", async () => {
    const { tools, refused } = await look(await createKey(["surveys:read", "ideabanks:read"]));
    const writing = tools.filter((tool: { annotations: { readOnlyHint: boolean } }) => !tool.annotations.readOnlyHint);
    expect([tools.length > 5, writing]).toEqual([true, []]);
    expect(JSON.parse(refused.content[0].text)).toMatchObject({ status: 403, error: "forbidden" });
    const id = madeKeys.pop();
    const ended = await fetch(`${origin}/account/api/keys/${id}`, { method: "DELETE", headers: { Origin: origin } });
    expect(ended.status).toBe(200);
  });
});
