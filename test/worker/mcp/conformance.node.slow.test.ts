/**
 * The protocol's own conformance suite against `POST /mcp`, in each version that is spoken, and its official clients of both
 * generations. The suite expects a server that has everything, with tools of its own. So a check may fail where it asks for one of
 * those; every other check passes.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, request, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DevServer, freePort, makeCheckout, startDev } from "../../support/node/checkout.ts";

let checkout: Awaited<ReturnType<typeof makeCheckout>>;
let server: DevServer;
let withKey: Server;
let url: string;

beforeAll(async () => {
  checkout = await makeCheckout();
  const port = await freePort();
  server = await startDev(checkout.folder, "--port", String(port));
  const key = server.output.match(/^API key: (\S+)$/m)?.[1] ?? "";
  withKey = await startProxy(port, key);
  const address = withKey.address();
  url = `http://localhost:${typeof address === "object" ? address?.port : ""}/mcp`;
});
afterAll(async () => {
  withKey?.close();
  await server?.stop();
  await checkout?.remove();
});

/** The suite has no setting for a header, so a proxy adds the key. */
function startProxy(port: number, key: string): Promise<Server> {
  const proxy = createServer((incoming, outgoing) => {
    const { method = "GET", url: path = "/", headers } = incoming;
    const forwarded = request(
      { host: "localhost", port, path, method, headers: { ...headers, "x-api-key": key } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    forwarded.on("error", () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  return new Promise((done) => proxy.listen(0, "localhost", () => done(proxy)));
}

type Check = { readonly id: string; readonly status: string; readonly errorMessage?: string };

/** The checks of the suite in a version, without those that it could not run here. */
async function conform(version: string): Promise<Check[]> {
  const folder = await mkdtemp(join(tmpdir(), "conformance-"));
  const suite = resolve("test/node_modules/@modelcontextprotocol/conformance/dist/index.js");
  const options = ["server", "--url", url, "--suite", "all", "--spec-version", version, "-o", folder];
  // It ends with 1, because some checks fail.
  await promisify(execFile)(process.execPath, [suite, ...options]).catch(() => {});
  const files = await readdir(folder, { recursive: true });
  const checks = files
    .filter((file) => file.endsWith("checks.json"))
    .map(async (file): Promise<Check[]> => JSON.parse(await readFile(join(folder, file), "utf8")));
  const found = (await Promise.all(checks)).flat();
  await rm(folder, { recursive: true, force: true });
  return found;
}

/** What this server does not have, and says so: `capabilities` names tools alone. */
const NOT_OFFERED = [
  /^(prompts|resources)-/,
  /^sep-2549-(prompts|resources)-/,
  /^(completion-complete|logging-set-level)$/,
  // Tools of the suite's own.
  /^tools-call-(simple-text|image|audio|embedded-resource|mixed-content|with-logging|error|with-progress|sampling|elicitation)$/,
  /^json-schema-2020-12-tool-found$/,
  /^(elicitation-sep(1034|1330)|sep-2322)-/,
  // Headers that a tool's schema can ask for: none does.
  /^sep-2243-server-(no-xmcp-tool|decode-base64|validate-param-match|reject-invalid-param-chars|reject-param-mismatch)$/,
  /^sep-2575-(server-rejects-undeclared-capability|missing-capability-http-400|http-server-no-independent-requests-on-stream|server-no-log-without-loglevel)$/,
];

describe.each([
  ["2025-06-18", ["server-initialize", "ping", "tools-list"]],
  ["2025-11-25", ["server-initialize", "ping", "tools-list", "localhost-host-rebinding-rejected"]],
  [
    "2026-07-28",
    [
      "tools-list",
      "sep-2549-tools-list-caching-hints",
      "sep-2575-http-server-header-mismatch-400",
      "sep-2575-http-server-method-not-found-404-initialize",
      "sep-2575-http-server-method-not-found-404-ping",
    ],
  ],
])("the conformance suite in %s", (version, passing) => {
  it("finds no fault in what the server offers", async () => {
    const checks = await conform(version);
    const failed = checks
      .filter(({ id, status }) => status === "FAILURE" && !NOT_OFFERED.some((pattern) => pattern.test(id)))
      .map(({ id, errorMessage }) => `${id}: ${errorMessage}`);
    expect(failed).toEqual([]);
    const passed = checks.filter(({ status }) => status === "SUCCESS").map(({ id }) => id);
    expect(passed).toEqual(expect.arrayContaining(passing));
  });
});

it("the official client of the first generation initializes, pings, lists and calls", async () => {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  expect(await client.ping()).toEqual({});
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("listProposals");
  const called = await client.callTool({ name: "whoami", arguments: {} });
  expect(called).toEqual({ content: [{ type: "text", text: expect.stringContaining("apiKeyId") }], isError: false });
  await client.close();
});

it.each([
  ["that opens with initialize", {}, true],
  ["that pins the newest version", { versionNegotiation: { mode: { pin: "2026-07-28" } } }, false],
] as const)("the official client of the second generation %s lists and calls", async (_, options, pings) => {
  const client = new ModernClient({ name: "test", version: "1" }, options);
  await client.connect(new ModernTransport(new URL(url)));
  if (pings) expect(await client.ping()).toEqual({});
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("listProposals");
  const called = await client.callTool({ name: "whoami", arguments: {} });
  expect(called.isError).toBe(false);
  await client.close();
});
