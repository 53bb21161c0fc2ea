/** Runs the README's commands exactly as written. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DevServer, freePort, makeCheckout, paste, startDev } from "./checkout.ts";

let checkout: Awaited<ReturnType<typeof makeCheckout>>;
let server: DevServer;
let origin: string;
let key: string;

beforeAll(async () => {
  checkout = await makeCheckout();
  const port = await freePort();
  origin = `http://localhost:${port}`;
  server = await startDev(checkout.folder, "--port", String(port));
  key = server.output.match(/^API key: (\S+)$/m)?.[1] ?? "";
});

afterAll(async () => {
  await server?.stop();
  await checkout?.remove();
});

/** The code block that follows a marker. */
async function block(marker: string): Promise<string> {
  const readme = await readFile("README.md", "utf8");
  const code = readme.split(`<!-- ${marker} -->\n`)[1]?.match(/^```\w+\n([\s\S]*?)^```$/m)?.[1];
  if (code === undefined) throw new Error(`the README has no block ${marker}`);
  return code;
}

describe("the README's", () => {
  it("five commands lead from an API key to a panelist reading a new entry", async () => {
    const commands = (await block("five-commands"))
      .replace(/^API=.*$/m, `API=${origin}`)
      .replace(/^KEY=.*$/m, `KEY=${key}`);
    expect(commands.match(/curl /g)).toHaveLength(5);
    const output = await paste(commands);
    const changelog = JSON.parse(output.slice(output.lastIndexOf('{"items"')));
    expect(changelog).toEqual({
      items: [{ title: "Night buses", description: "Every half hour, all week.", lastModified: expect.any(Number) }],
    });
  });

  it("typed client compiles, strictly, and runs", async () => {
    const { folder } = checkout;
    const snippet = (await block("typed-client")).replace("http://localhost:8787", origin);
    await writeFile(join(folder, "client.ts"), snippet);
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: "esnext",
      moduleResolution: "bundler",
      target: "es2024",
      allowImportingTsExtensions: true,
      types: ["node"],
    };
    await writeFile(join(folder, "tsconfig.client.json"), JSON.stringify({ compilerOptions, files: ["client.ts"] }));
    const bin = "node_modules/.bin";
    const output = await paste(
      `cd '${folder}' && ${bin}/openapi-typescript ${origin}/openapi.json --default-non-nullable false -o openapi.d.ts >&2 &&
       ${bin}/tsc -p tsconfig.client.json && API_KEY=${key} ${bin}/node client.ts`,
    );
    expect(output.trim()).toMatch(/^[0-9A-Za-z]{12}$/);
    // The types are checked: a status that the API does not have is an error.
    await writeFile(join(folder, "client.ts"), snippet.replace('"OPEN"', '"AJAR"'));
    await expect(paste(`cd '${folder}' && ${bin}/tsc -p tsconfig.client.json`)).rejects.toThrow();
  });
});

describe("the static assets", () => {
  it("serve the document to any origin", async () => {
    const response = await fetch(`${origin}/openapi.json`);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(await response.json()).toEqual(JSON.parse(await readFile("public/openapi.json", "utf8")));
  });

  it("serve the reference page and everything that it loads from this origin", async () => {
    const page = await fetch(`${origin}/reference`);
    expect(page.status).toBe(200);
    expect(page.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    const html = await page.text();
    const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)]
      .map(([, url = ""]) => url)
      .filter((url) => url !== "data:,");
    expect(loaded.length).toBeGreaterThan(3);
    for (const url of loaded) {
      expect(url).toMatch(/^\//);
      expect((await fetch(origin + url)).status, url).toBe(200);
    }
  });
});
