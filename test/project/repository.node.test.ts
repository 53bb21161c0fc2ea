/** What strangers and their tools find: CI, templates, metadata, the Deploy to Cloudflare button. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { parseEnv } from "node:util";
import { describe, expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";
import { parse } from "yaml";
import { POLICIES } from "../../src/worker/access/limit-panelist.ts";
import { PERIOD_SECONDS } from "../../src/worker/http/rate-limit.ts";

const read = (path: string) => readFileSync(path, "utf8");
const { version, cloudflare, ...metadata } = JSON.parse(read("package.json"));
const config = unstable_readConfig({ config: "wrangler.toml", env: "" }, { hideWarnings: true });

describe("the Deploy to Cloudflare button", () => {
  const secrets = parseEnv(read(".dev.vars.example"));

  it("has a description for every binding, variable and secret, and for nothing else", () => {
    const names = [
      ...config.d1_databases.map(({ binding }: { binding: string }) => binding),
      ...config.kv_namespaces.map(({ binding }: { binding: string }) => binding),
      ...config.durable_objects.bindings.map(({ name }: { name: string }) => name),
      ...(config.ratelimits ?? []).map(({ name }: { name: string }) => name),
      ...Object.keys(config.vars),
      ...Object.keys(secrets),
    ];
    expect(Object.keys(cloudflare.bindings).toSorted()).toEqual(names.toSorted());
  });

  it("asks for the secrets that the Worker needs, and the example values are too short for the Worker", () => {
    expect(Object.keys(secrets)).toEqual(config.secrets?.required);
    // It refuses secrets of fewer than 32 characters: test/worker/outages.slow.test.ts.
    for (const example of Object.values(secrets)) expect(example?.length).toBeLessThan(32);
  });
});

it("the panelists' limits that answers name are those of the bindings", () => {
  const limits = (config.ratelimits ?? []).map(
    ({ name, simple }: { name: string; simple: { limit: number; period: number } }) => [
      name,
      simple.limit,
      simple.period,
    ],
  );
  expect(limits).toContainEqual(["PANELIST_READS", POLICIES["panelist-reads"], PERIOD_SECONDS]);
  expect(limits).toContainEqual(["PANELIST_WRITES", POLICIES["panelist-writes"], PERIOD_SECONDS]);
});

it("CI runs .ci/run, which can be run, and may change nothing", () => {
  const workflow = parse(read(".github/workflows/ci.yml"));
  expect(workflow.jobs.ci.steps.map(({ run }: { run?: string }) => run)).toContain(".ci/run");
  expect(statSync(".ci/run").mode & 0o111).toBe(0o111);
  expect(workflow.permissions).toEqual({ contents: "read" });
  const actions = workflow.jobs.ci.steps.flatMap(({ uses }: { uses?: string }) => uses ?? []);
  for (const action of actions) expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/);
});

it("templates and update rules are YAML, and each question of a template has a name of its own", () => {
  const templates = readdirSync(".github/ISSUE_TEMPLATE").filter((name) => name !== "config.yml");
  expect(templates.length).toBeGreaterThan(1);
  for (const template of templates) {
    const { name, description, body } = parse(read(`.github/ISSUE_TEMPLATE/${template}`));
    expect([name, description]).toEqual([expect.any(String), expect.any(String)]);
    const ids = body.flatMap(({ id }: { id?: string }) => id ?? []);
    expect(new Set(ids).size).toBe(ids.length);
  }
  const { updates } = parse(read(".github/dependabot.yml"));
  expect(updates.map((update: Record<string, string>) => `${update["package-ecosystem"]} ${update.directory}`)).toEqual(
    ["npm /", "npm /test", "npm /test/bench", "github-actions /"],
  );
  // A new version waits for a week at least.
  for (const { cooldown } of updates) expect(cooldown["default-days"]).toBeGreaterThanOrEqual(7);
});

it("the changelog has the version of package.json, and its versions fall", () => {
  const versions = [...read("CHANGELOG.md").matchAll(/^## (\d+)\.(\d+)\.(\d+) \((?:\d{4}-\d\d-\d\d|unreleased)\)$/gm)];
  const numbers = versions.map(([, ...parts]) => parts.map((part) => part.padStart(5, "0")).join("."));
  expect(numbers).toEqual(numbers.toSorted().toReversed());
  expect(versions.map(([line]) => line.split(" ")[1])).toContain(version);
});

it("the metadata names no person, and no host but the placeholder that CONTRIBUTING explains", () => {
  const text = JSON.stringify(metadata);
  expect(text).not.toMatch(/https?:\/\/(?!example\.com\/)|@[\w.-]+\.\w+>/);
  const { homepage, bugs, repository } = metadata;
  for (const address of [homepage, bugs, repository.url])
    expect(address).toContain("https://example.com/edge-access-api");
  expect(read("CONTRIBUTING.md")).toContain("`homepage`, `bugs` and `repository`");
  expect(metadata).toMatchObject({ private: true, license: "MIT", keywords: expect.any(Array) });
});

it("AGENTS.md has at most 40 lines, and names scripts and paths that exist", () => {
  const text = read("AGENTS.md");
  expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(40);
  for (const [, script = ""] of text.matchAll(/npm run ([\w:-]+)/g))
    expect(Object.keys(metadata.scripts)).toContain(script);
  const paths = [...text.matchAll(/`((?:src|test|docs|public|migrations|schema)[\w./-]*)`/g)].map(
    ([, path = ""]) => path,
  );
  expect(paths.length).toBeGreaterThan(10);
  for (const path of paths) expect(existsSync(path), path).toBe(true);
});

it(".nvmrc has the Node that the project brings along", () => {
  const versions = Object.values<string>(metadata.optionalDependencies).map((each) => each.split(".")[0]);
  expect(new Set(versions)).toEqual(new Set([read(".nvmrc").trim()]));
});

it("browsers find the icon that they ask every host for", () => {
  // An ICO file with one image, which is a PNG.
  const icon = readFileSync("public/favicon.ico");
  expect([...icon.subarray(0, 6)]).toEqual([0, 0, 1, 0, 1, 0]);
  expect(icon.subarray(icon.readUInt32LE(18) + 1, icon.readUInt32LE(18) + 4).toString()).toBe("PNG");
});
