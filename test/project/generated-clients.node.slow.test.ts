/** The OpenAPI document, given to generators that client developers use: what they make compiles strictly, and calls the API. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import document from "../../public/openapi.json" with { type: "json" };
import { exampleChange } from "../../src/worker/model/example-change.ts";

type Use = { whoami(key: string, fetch: typeof globalThis.fetch): Promise<string> };

/** A change and a problem narrow by their words. What a kind does not have is not there before. */
const NARROWING = `
      export const proposalOf = (change: Change): string | undefined =>
        change.type === "proposal.created" ? change.proposalId : undefined;
      export const titleOf = (change: Change): string | undefined =>
        change.type === "comment.created" ? change.proposal?.title : undefined;
      export const pathsOf = (problem: Problem): string[] | undefined =>
        problem.error === "invalid-request" ? problem.errors?.map(({ path }) => path) : [];
      // @ts-expect-error: which change?
      export const anyProposal = (change: Change) => change.proposalId;
`;

/** Each command, run in an empty folder, makes a client in `client`; each `use.ts` makes one call with it. */
const GENERATORS = [
  {
    name: "hey-api",
    command: ["openapi-ts", "--input", resolve("public/openapi.json"), "--output", "client", "--no-log-file"],
    use: `
      import { type Change, createSurvey, type Problem, whoami as call } from "./client";
      import { createClient } from "./client/client";

      export async function whoami(key: string, fetch: typeof globalThis.fetch): Promise<string> {
        const client = createClient({ baseUrl: "https://api.example", auth: () => key, fetch });
        const { data, error } = await call({ client });
        if (error !== undefined) throw new Error(error.detail);
        return data.apiKeyId;
      }

      // @ts-expect-error: no such status
      export const wrong = () => createSurvey({ body: { title: "A survey", status: "AJAR" } });
      ${NARROWING}
    `,
  },
  {
    name: "swagger-typescript-api",
    command: ["swagger-typescript-api", "generate", "--path", resolve("public/openapi.json"), "--output", "client"],
    use: `
      import { Api, type Change, type Problem } from "./client/Api";

      export async function whoami(key: string, fetch: typeof globalThis.fetch): Promise<string> {
        const securityWorker = () => ({ headers: { "X-API-Key": key } });
        const api = new Api({ baseUrl: "https://api.example", securityWorker, customFetch: fetch });
        return (await api.tenant.whoami()).data.apiKeyId;
      }

      // @ts-expect-error: no such status
      export const wrong = () => new Api().tenant.createSurvey({ title: "A survey", status: "AJAR" });
      ${NARROWING}
    `,
  },
  {
    name: "orval",
    command: ["orval", "--config", "orval.config.mjs"],
    use: `
      import { type Change, createSurvey, type Problem, whoami as call } from "./client/api";
      import { ListChangesResponse, ListProposalsResponse } from "./client/zod";

      export async function whoami(key: string, fetch: typeof globalThis.fetch): Promise<string> {
        globalThis.fetch = fetch;
        const { status, data } = await call({ headers: { "X-API-Key": key } });
        if (status !== 200) throw new Error(data.detail);
        return data.apiKeyId;
      }

      // @ts-expect-error: no such status
      export const wrong = () => createSurvey({ title: "A survey", status: "AJAR" });
      ${NARROWING}
      export const readChanges = (page: unknown) =>
        ListChangesResponse.parse(page).items.map((change) => [
          change.type,
          change.type === "proposal.created" ? change.proposalId : undefined,
        ]);
      export const readTitles = (page: unknown) => ListProposalsResponse.parse(page).items.map(({ title }) => title);
    `,
  },
];

const ORVAL_CONFIG = `
  const input = ${JSON.stringify(resolve("public/openapi.json"))};
  export default {
    api: { input, output: { client: "fetch", target: "client/api.ts", baseUrl: "https://api.example" } },
    zod: { input, output: { client: "zod", target: "client/zod.ts" } },
  };
`;

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    module: "esnext",
    moduleResolution: "bundler",
    target: "es2022",
    lib: ["es2022", "dom", "dom.iterable"],
    types: [],
  },
  files: ["use.ts"],
};

const run = (folder: string, program: string, args: readonly string[]) =>
  promisify(execFile)(resolve(program), args, { cwd: folder });

type Reads = { readChanges(page: object): unknown; readTitles(page: object): unknown };

describe.each(GENERATORS)("$name", { timeout: 120_000 }, ({ name, command: [generator, ...args], use }) => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "generated-client-"));
    // What is generated imports zod.
    await symlink(resolve("node_modules"), join(folder, "node_modules"));
    await writeFile(join(folder, "orval.config.mjs"), ORVAL_CONFIG);
    await run(folder, `test/node_modules/.bin/${generator}`, args);
    await writeFile(join(folder, "use.ts"), use);
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(TSCONFIG));
  });

  afterAll(() => rm(folder, { recursive: true }));

  it("makes a client that compiles strictly and has the types", async () => {
    const compiled = run(folder, "node_modules/.bin/tsc", ["-p", "."]);
    const { stdout } = await compiled.catch((failure: { stdout: string }) => failure);
    expect(stdout).toBe("");
  });

  it("makes a client that calls the API", async () => {
    const { whoami }: Use = await import(join(folder, "use.ts"));
    const { example } = document.paths["/tenant/whoami"].get.responses[200].content["application/json"];
    const seen: string[] = [];
    const answer: typeof fetch = async (...args) => {
      const request = new Request(...args);
      seen.push(`${request.method} ${request.url} ${request.headers.get("X-API-Key")}`);
      return Response.json(example);
    };
    expect(await whoami("ibk_key", answer)).toBe(example.apiKeyId);
    expect(seen).toEqual(["GET https://api.example/tenant/whoami ibk_key"]);
  });

  if (name !== "orval") return;
  it("makes schemas that check answers, and take what is added later", async () => {
    const { readChanges, readTitles }: Reads = await import(join(folder, "use.ts"));
    const at = "2026-11-20T12:00:00.000Z";
    const nextCursor = "ibc_0000000000000000000000000000";
    const created = exampleChange("proposal.created", at);
    const later = { type: "idea.celebrated", at, by: "robot", apiKeyId: null, confetti: true };
    expect(readChanges({ items: [later, created, { ...created, emoji: "🎉" }], nextCursor })).toEqual([
      ["idea.celebrated", undefined],
      ["proposal.created", created.proposalId],
      ["proposal.created", created.proposalId],
    ]);
    // JSON Schema counts characters, most languages count parts of them: 200 emoji are 400.
    const title = "🎉".repeat(200);
    const proposal = { ...created.proposal, title, status: "celebrated", mood: "high" };
    expect(readTitles({ items: [proposal] })).toEqual([title]);
    // It does check.
    expect(() => readTitles({ items: [{ ...proposal, title: 7 }] })).toThrow();
  });
});
