/** The files for secret scanners: what they find, and how the verifier asks. The scanners themselves are not run. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { API_KEY } from "../../src/worker/credentials/api-key.ts";
import { COMPOUND_TOKEN } from "../../src/worker/credentials/compound-token.ts";

const FOLDER = "docs/examples/secret-scanners";
const read = (name: string) => readFile(`${FOLDER}/${name}`, "utf8");

const KEY = "ibk_XtwvMRbXxcwnx8wSjFTlRnKdhMYZ70VjvVOZGBXRgxPq48A";
const TOKEN = "ibt_XtwvMRbXxcwnx8wSjFTlRnKdhMYZ70VjvVOZGBXRgxPq48A0123";
const CLEAN = [KEY.slice(0, -1), `${KEY}0`, `x${KEY}`, KEY.replace("ibk_", "ibx_"), KEY.toUpperCase(), "ibk_…"];

/** The expressions use nothing that RE2 and JavaScript read differently. */
const find = (expression: string, text: string) => new RegExp(expression).exec(text)?.[1];

it("the samples are credentials of this API", () => {
  expect(KEY).toMatch(API_KEY.pattern);
  expect(TOKEN).toMatch(COMPOUND_TOKEN.pattern);
});

it("gitleaks finds keys and tokens, whole, and nothing else", async () => {
  const text = await read("gitleaks.toml");
  const rules = text.split("[[rules]]").slice(1);
  const expressions = rules.map((rule) => /regex = '''(.+)'''/.exec(rule)?.[1] ?? "");
  const keywords = rules.map((rule) => /keywords = \["(.+)"\]/.exec(rule)?.[1] ?? "");
  for (const [index, credential] of [KEY, TOKEN].entries()) {
    expect(credential.startsWith(keywords[index] ?? "none")).toBe(true);
    for (const line of [credential, `API_KEY="${credential}"`, `curl -H "X-API-Key: ${credential}" \\`])
      expect(expressions.map((expression) => find(expression, line))[index]).toBe(credential);
    for (const clean of CLEAN) expect(find(expressions[index] ?? "", clean)).toBeUndefined();
  }
});

it("TruffleHog finds keys, and its verifier says which work", async () => {
  const { detectors } = parse(await read("trufflehog.yml"));
  const [{ name, keywords, regex, verify }] = detectors;
  expect(keywords).toEqual(["ibk_"]);
  expect(find(regex.key, `key=${KEY};`)).toBe(KEY);
  for (const clean of CLEAN) expect(find(regex.key, clean)).toBeUndefined();
  expect(verify).toEqual([{ endpoint: "http://localhost:8000/", unsafe: true }]);

  const asked: string[] = [];
  const named = (name: string) => `ibk_${name.padEnd(47, "0")}`;
  const answers: Record<string, [number, string?]> = {
    [KEY]: [200],
    [named("limited")]: [429],
    [named("paused")]: [403, "paused"],
    [named("address")]: [403, "address"],
    [named("suspended")]: [403, "suspended"],
    [named("plain")]: [403],
    [named("down")]: [503],
  };
  const api = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers["x-api-key"]}`);
    const [status, reason] = answers[String(request.headers["x-api-key"])] ?? [401];
    response.writeHead(status).end(JSON.stringify({ reason }));
  });
  api.listen(0, "localhost");
  await once(api, "listening");
  const port = (api.address() as AddressInfo).port;
  const verifier = spawn("node", [`${FOLDER}/trufflehog-verifier.js`], {
    env: { ...process.env, API: `http://localhost:${port}`, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [said] = await once(verifier.stdout, "data");
    const ask = async (body: string) => (await fetch(String(said).trim(), { method: "POST", body })).status;
    const finding = (key: string) => JSON.stringify({ [name]: { key: [key, key] } });
    expect(await ask(finding(KEY))).toBe(200);
    expect(await ask(finding(KEY.replace("8A", "8B")))).toBe(403);
    expect(await ask("no json")).toBe(500);
    expect(asked.splice(0)).toEqual([`GET /tenant/whoami ${KEY}`, `GET /tenant/whoami ${KEY.replace("8A", "8B")}`]);
    for (const alive of ["limited", "paused", "address", "suspended"])
      expect([alive, await ask(finding(named(alive)))]).toEqual([alive, 200]);
    for (const unknown of ["plain", "down"])
      expect([unknown, await ask(finding(named(unknown)))]).toEqual([unknown, 500]);
  } finally {
    verifier.kill();
    api.close();
  }
});
