/** The commands that send the operator's secret: what they ask, what they confirm, and when the answer is not what the operator may rely on. */
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Command } from "../../../src/commands/command-line/command.ts";
import type { Context } from "../../../src/commands/command-line/context.ts";
import { account } from "../../../src/commands/deployment/accounts/account-command.ts";
import { suspend } from "../../../src/commands/deployment/accounts/suspend.ts";
import { originOf } from "../../../src/commands/deployment/ask-deployment.ts";

const SECRET = "x".repeat(32);
const KEY = "0ApiKey00001";
const COMMANDS = [
  {
    name: "suspend",
    command: suspend,
    args: ["owner@example.com", "--resume"],
    asks: ["PUT", "/operator/account-status", { account: "owner@example.com", status: "active" }],
    confirmed: { accountId: "0a", status: "active", apiKeys: 1 },
    another: { accountId: "0a", status: "suspended", apiKeys: 1 },
    prints: "owner@example.com (account 0a) is active. Its API key's Durable Object has confirmed it.",
  },
  {
    name: "account -- revoke",
    command: account,
    args: ["revoke", KEY],
    asks: ["DELETE", `/operator/keys/${KEY}`, undefined],
    confirmed: { id: KEY, state: "revoked" },
    another: { id: KEY, state: "active" },
    prints: `The API key ${KEY} is revoked. Its Durable Object has confirmed it: every request is decided by it.`,
  },
  {
    name: "account -- limit",
    command: account,
    args: ["limit", KEY, "1200"],
    asks: ["PUT", `/operator/keys/${KEY}/limit`, { limit: 1200, windowSeconds: 60 }],
    confirmed: { id: KEY, limit: 1200, windowSeconds: 60 },
    another: { id: KEY, limit: 1200, windowSeconds: 30 },
    prints: `The API key ${KEY} may make 1200 requests in 60 seconds. Its Durable Object has confirmed it: every request is decided by it.`,
  },
] as const;
type Asked = { readonly command: Command; readonly args: readonly string[] };

type World = Pick<Context, "folder" | "variables">;

async function run(command: Command, args: readonly string[], { folder, variables }: World) {
  const [printed, complained]: [string[], string[]] = [[], []];
  const code = await command.run(args, {
    folder,
    variables,
    print: (line) => printed.push(line),
    complain: (line) => complained.push(line),
    ask: async () => "yes",
    runWrangler: () => expect.unreachable("wrangler is not asked"),
  });
  return { code, printed, complained: complained.join("\n") };
}

async function withServer<Result>(answer: RequestListener, use: (url: string) => Promise<Result>): Promise<Result> {
  const server = createServer(answer);
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const ask = ({ command, args }: Asked, answer: RequestListener) =>
  withServer(answer, (url) =>
    run(command, [...args, "--url", url], { folder: ".", variables: { OPERATOR_SECRET: SECRET } }),
  );

const answering =
  (status: number, body: object | string): RequestListener =>
  (_, response) =>
    response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));

/** What came, and the answer to it. */
function recording(status: number, body: object) {
  const asked: unknown[] = [];
  const listener: RequestListener = (request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      asked.push([request.method, request.url, text === "" ? undefined : JSON.parse(text)]);
      asked.push(request.headers.authorization);
      response.writeHead(status).end(JSON.stringify(body));
    });
  };
  return { asked, listener };
}

describe.each(COMMANDS)("npm run $name", (one) => {
  it("asks the deployment with the secret, and confirms what that has confirmed", async () => {
    const { asked, listener } = recording(200, one.confirmed);
    const { code, printed, complained } = await ask(one, listener);
    expect([code, printed[0], complained]).toEqual([0, one.prints, ""]);
    expect(asked).toEqual([one.asks, `Bearer ${SECRET}`]);
  });

  it.each<[string, RequestListener]>([
    ["is of another site", answering(200, "<html>Welcome</html>")],
    ["is empty JSON", answering(200, {})],
    ["is no object", answering(200, "null")],
    ["says something else", answering(200, one.another)],
    [
      "breaks off",
      (request, response) =>
        request.resume().on("end", () => {
          response.writeHead(200, { "Content-Length": 100 });
          response.write('{"accountId":');
          setImmediate(() => response.destroy());
        }),
    ],
    ["is none", (request) => request.socket.destroy()],
    ["leads elsewhere", (_, response) => response.writeHead(307, { Location: "http://127.0.0.1:9/" }).end()],
  ])("confirms nothing when the answer %s", async (_, answer) => {
    const { code, printed, complained } = await ask(one, answer);
    expect([code, printed]).toEqual([1, []]);
    expect(complained).toContain("It may have been done or not");
  });

  it.each([
    [
      "whose name does not exist",
      async () => "https://no-such-host.invalid",
      "(no host has this name|its name cannot .*)",
    ],
    [
      "that refuses the connection",
      () => withServer(answering(200, {}), async (url) => url),
      "it refuses the connection: nothing listens there",
    ],
  ])("says of a host %s that nothing was done, in plain words", async (_, toUrl, why) => {
    const url = await toUrl();
    const world = { folder: ".", variables: { OPERATOR_SECRET: SECRET } };
    const { code, printed, complained } = await run(one.command, [...one.args, "--url", url], world);
    expect([code, printed]).toEqual([1, []]);
    expect(complained).toMatch(
      new RegExp(`^\\n${url} does not answer: ${why}\\. Nothing was done\\. Check the address, and run it again\\.$`),
    );
  });

  it("fails with the deployment's own words when a gate was not reached, and can be run again", async () => {
    const detail = "It is done, but the key's Durable Object did not answer. Send it again to be sure.";
    expect(await ask(one, answering(503, { status: 503, detail }))).toEqual({
      code: 1,
      printed: [],
      complained: `\n503: ${detail}`,
    });
    expect(await ask(one, answering(200, one.confirmed))).toMatchObject({ code: 0 });
  });

  it.each([
    [401, "This needs the operator's secret.", "401: This needs the operator's secret."],
    [404, "There is no such account.", "404: There is no such account."],
    [404, "No operation has this path.", "404: No operation has this path. Is OPERATOR_SECRET set there?"],
    [409, "This key is revoked or expired.", "409: This key is revoked or expired."],
  ])("says what %i is about: %s", async (status, detail, words) => {
    const { code, printed, complained } = await ask(one, answering(status, { status, detail }));
    expect([code, printed, complained]).toEqual([1, [], `\n${words}`]);
  });

  it.each([
    [["--url", "http://api.example.com"], SECRET, "is not https"],
    [["--url", "api.example.com"], SECRET, "Write --url https://api.example.com."],
    [["--url", "https://api.example.com"], "", "Set OPERATOR_SECRET"],
    [[], SECRET, "Use --url https://api.example.com"],
  ])("with %j asks nobody", async (where, secret, message) => {
    const world = { folder: ".", variables: { OPERATOR_SECRET: secret } };
    const { code, printed, complained } = await run(one.command, [...one.args, ...where], world);
    expect([code, printed, complained]).toEqual([1, [], expect.stringContaining(message)]);
    expect(complained).not.toContain(SECRET);
  });
});

it("npm run account -- limit takes seconds, too", async () => {
  const { asked, listener } = recording(200, { id: KEY, limit: 5, windowSeconds: 3600 });
  expect(await ask({ command: account, args: ["limit", KEY, "5", "3600"] }, listener)).toMatchObject({ code: 0 });
  expect(asked[0]).toEqual(["PUT", `/operator/keys/${KEY}/limit`, { limit: 5, windowSeconds: 3600 }]);
});

it.each([
  ["revoke", "--env", "staging", "--url", "https://api.example.com"],
  ["revoke", "--on-this-machine", "--url", "https://api.example.com"],
  ["show", "--url", "https://api.example.com"],
])("npm run account -- %s %s %s %s %s says two places, and is refused", async (action, ...where) => {
  const { code, complained } = await run(account, [action, KEY, ...where], { folder: ".", variables: {} });
  expect([code, complained]).toEqual([1, expect.stringMatching(/--env is for|Use --url|--url is for/)]);
});

describe("with --on-this-machine", () => {
  /** A folder in which `npm run dev` has written down where it answers, and the secret of this machine. */
  async function withFolder(address: string | undefined, use: (folder: string) => Promise<void>) {
    const folder = await mkdtemp(join(tmpdir(), "ask-deployment-"));
    try {
      await mkdir(join(folder, ".wrangler/state"), { recursive: true });
      await writeFile(join(folder, ".dev.vars"), `CREDENTIAL_SECRETS="other"\nOPERATOR_SECRET="${SECRET}"\n`);
      if (address !== undefined) await writeFile(join(folder, ".wrangler/state/dev-address.txt"), `${address}\n`);
      await use(folder);
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  it("the server of `npm run dev` is asked, with the secret of this machine", async () => {
    const { asked, listener } = recording(200, { id: KEY, state: "revoked" });
    await withServer(listener, (url) =>
      withFolder(url, async (folder) => {
        expect(await run(account, ["revoke", KEY, "--on-this-machine"], { folder, variables: {} })).toMatchObject({
          code: 0,
        });
      }),
    );
    expect(asked).toEqual([["DELETE", `/operator/keys/${KEY}`, undefined], `Bearer ${SECRET}`]);
  });

  it("with --persist-to it is the server that keeps its data there", async () => {
    const { asked, listener } = recording(200, { id: KEY, state: "revoked" });
    await withServer(listener, (url) =>
      withFolder(undefined, async (folder) => {
        await mkdir(join(folder, "other/v3/d1"), { recursive: true });
        await writeFile(join(folder, "other/dev-address.txt"), `${url}\n`);
        const args = ["revoke", KEY, "--on-this-machine", "--persist-to", "other"];
        expect(await run(account, args, { folder, variables: {} })).toMatchObject({ code: 0 });
      }),
    );
    expect(asked).toHaveLength(2);
  });

  it("without a server it says where it looked, and what to do with one of `wrangler dev`", async () => {
    await withFolder(undefined, async (folder) => {
      const { complained } = await run(account, ["revoke", KEY, "--on-this-machine"], { folder, variables: {} });
      expect(complained.trim().split("\n")).toEqual([
        "No server found: .wrangler/state/dev-address.txt does not exist. Start the server of this folder: npm run dev",
        "If it was started with --persist-to, add the same option here.",
        "A server of `npx wrangler dev` writes no such file: use --url with its address, such as http://localhost:8787.",
      ]);
      await writeFile(join(folder, ".dev.vars"), "");
      await writeFile(join(folder, ".wrangler/state/dev-address.txt"), "http://localhost:8787\n");
      expect(
        (await run(account, ["revoke", KEY, "--on-this-machine"], { folder, variables: {} })).complained.trim(),
      ).toBe(".dev.vars has no OPERATOR_SECRET. `npm run dev` writes one there when it starts.");
    });
  });

  it.each([undefined, "http://127.0.0.1:9"])("while it does not run (%s) it says so", async (address) => {
    await withFolder(address, async (folder) => {
      const { code, complained } = await run(account, ["revoke", KEY, "--on-this-machine"], { folder, variables: {} });
      expect([code, complained]).toEqual([1, expect.stringMatching(/npm run dev|does not answer/)]);
    });
  });
});

it.each(["https://api.example.com/x", "http://localhost:8787", "http://127.0.0.1:1", "http://[::1]:8787"])(
  "sends the secret to %s",
  (address) => expect(originOf(address)).toBe(new URL(address).origin),
);

it.each(["http://localhost.evil.example", "http://127.0.0.1.evil.example", "http://api.example", "ftp://localhost"])(
  "does not send the secret to %s, where others could read it",
  (address) => expect(() => originOf(address)).toThrow("is not https"),
);
