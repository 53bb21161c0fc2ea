/** The OpenAPI document, given to generators that client developers use: what they make compiles strictly, and calls the API. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import document from "../../public/openapi.json" with { type: "json" };

type Use = { whoami(key: string, fetch: typeof globalThis.fetch): Promise<string> };

/** Each command, run in an empty folder, makes a client in `client`; each `use.ts` makes one call with it. */
const GENERATORS = [
  {
    name: "hey-api",
    command: ["openapi-ts", "--input", resolve("public/openapi.json"), "--output", "client", "--no-log-file"],
    use: `
      import { createSurvey, whoami as call } from "./client";
      import { createClient } from "./client/client";

      export async function whoami(key: string, fetch: typeof globalThis.fetch): Promise<string> {
        const client = createClient({ baseUrl: "https://api.example", auth: () => key, fetch });
        const { data, error } = await call({ client });
        if (error !== undefined) throw new Error(error.detail);
        return data.apiKeyId;
      }

      // @ts-expect-error: no such status
      export const wrong = () => createSurvey({ body: { title: "A survey", status: "AJAR" } });
    `,
  },
  {
    name: "swagger-typescript-api",
    command: ["swagger-typescript-api", "generate", "--path", resolve("public/openapi.json"), "--output", "client"],
    use: `
      import { Api } from "./client/Api";

      export async function whoami(key: string, fetch: typeof globalThis.fetch): Promise<string> {
        const securityWorker = () => ({ headers: { "X-API-Key": key } });
        const api = new Api({ baseUrl: "https://api.example", securityWorker, customFetch: fetch });
        return (await api.tenant.whoami()).data.apiKeyId;
      }

      // @ts-expect-error: no such status
      export const wrong = () => new Api().tenant.createSurvey({ title: "A survey", status: "AJAR" });
    `,
  },
];

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

const run = (folder: string, [command = "", ...args]: string[]) =>
  promisify(execFile)(resolve("node_modules/.bin", command), args, { cwd: folder });

describe.each(GENERATORS)("$name", { timeout: 120_000 }, ({ command, use }) => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "generated-client-"));
    await run(folder, command);
    await writeFile(join(folder, "use.ts"), use);
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(TSCONFIG));
  });

  afterAll(() => rm(folder, { recursive: true }));

  it("makes a client that compiles strictly and has the types", async () => {
    const { stdout } = await run(folder, ["tsc", "-p", "."]).catch((failure: { stdout: string }) => failure);
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
});
