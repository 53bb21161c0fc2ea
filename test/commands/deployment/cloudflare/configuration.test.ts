/** wrangler.toml: the staging environment has what the top level has, and the commands change only the line that they mean. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";
import { Failure } from "../../../../src/commands/command-line/failure.ts";
import { withId, withVariable } from "../../../../src/commands/deployment/cloudflare/configuration.ts";
import { originOf } from "../../../../src/commands/deployment/cloudflare/deployed-version.ts";

const toml = await readFile("wrangler.toml", "utf8");

it("staging has every binding, variable and setting of the top level; its names and namespaces are its own", () => {
  const read = (env: string) => unstable_readConfig({ config: "wrangler.toml", env }, { hideWarnings: true });
  const shapeOf = (config: ReturnType<typeof read>) =>
    JSON.parse(
      JSON.stringify({ ...config, name: "", targetEnvironment: "", vars: Object.keys(config.vars) }),
      (key, value) =>
        ["database_name", "database_id", "id", "namespace_id", "route", "routes", "workers_dev"].includes(key)
          ? undefined
          : value,
    );
  const [top, staging] = [read(""), read("staging")];
  expect(shapeOf(staging)).toEqual(shapeOf(top));
  const own = ({ name, d1_databases, ratelimits }: typeof top) => [
    name,
    ...d1_databases.map(({ database_name }: { database_name?: string }) => database_name),
    ...(ratelimits ?? []).map(({ namespace_id }: { namespace_id: string }) => namespace_id),
  ];
  expect(own(staging).filter((one) => own(top).includes(one))).toEqual([]);
});

it("staging takes no domain of production, and has an address of its own", async () => {
  const folder = await mkdtemp(join(tmpdir(), "configuration-"));
  const config = join(folder, "wrangler.toml");
  const domain = { pattern: "api.example.com", custom_domain: true };
  await writeFile(
    config,
    `workers_dev = false\nroutes = [{ pattern = "api.example.com", custom_domain = true }]\n${toml}`,
  );
  const [top, staging] = ["", "staging"].map((env) => unstable_readConfig({ config, env }, { hideWarnings: true }));
  expect([top?.routes, top?.workers_dev]).toEqual([[domain], false]);
  expect([staging?.routes, staging?.workers_dev]).toEqual([[], true]);
  await rm(folder, { recursive: true });
});

it("what is switched on by removing a # can be switched on for staging, too", () => {
  const tables = [...toml.matchAll(/^# \[\[(\w+)\]\]$/gm)].map(([, name]) => name);
  expect(tables).toEqual(["analytics_engine_datasets", "send_email"]);
  for (const name of tables) expect(toml).toContain(`\n# [[env.staging.${name}]]\n`);
});

it.each(["", "staging"])("environment %j has no flag with which D1 sessions hang (emdash-cms/emdash#1273)", (env) => {
  const { compatibility_flags } = unstable_readConfig({ config: "wrangler.toml", env }, { hideWarnings: true });
  expect(compatibility_flags).not.toContain("global_fetch_strictly_public");
});

const place = { environment: "", table: "d1_databases", binding: "DB" };

describe("writing an id", () => {
  it("adds one line to its section, and no other", () => {
    const changed = withId(toml, { place, key: "database_id", id: "an-id" });
    expect(changed).toContain(
      '[[d1_databases]]\nbinding = "DB"\ndatabase_id = "an-id"\ndatabase_name = "edge-access-api"\n',
    );
    expect(changed.replace('database_id = "an-id"\n', "")).toBe(toml);
  });

  it("replaces one that is there", () => {
    const once = withId(toml, { place, key: "database_id", id: "an-id" });
    expect(withId(once, { place, key: "database_id", id: "another" })).toBe(once.replace("an-id", "another"));
  });

  it("finds the binding among several, and the environment", () => {
    const two =
      '[[d1_databases]]\nbinding = "DB"\n\n[[d1_databases]]\nbinding = "DB_1"\n\n[[env.staging.d1_databases]]\nbinding = "DB_1"\n';
    expect(withId(two, { place: { ...place, binding: "DB_1" }, key: "database_id", id: "x" })).toBe(
      two.replace('"DB_1"\n', '"DB_1"\ndatabase_id = "x"\n'),
    );
    expect(
      withId(two, { place: { ...place, binding: "DB_1", environment: "staging" }, key: "database_id", id: "x" }),
    ).toBe(`${two}`.replace(/"DB_1"\n$/, '"DB_1"\ndatabase_id = "x"\n'));
  });

  it("fails where there is no such section", () => {
    expect(() => withId(toml, { place: { ...place, binding: "DB_9" }, key: "database_id", id: "x" })).toThrow(Failure);
  });
});

describe("writing a variable", () => {
  it("changes the one line of its environment, and keeps a comment behind it", () => {
    const changed = withVariable(toml, {
      environment: "staging",
      name: "SIGNING_SECRETS",
      value: "CREDENTIAL_SECRETS_2",
      comment: "since then",
    });
    const [top = "", staging = ""] = changed.split("[env.staging.vars]");
    expect(top).toContain('\nSIGNING_SECRETS = "CREDENTIAL_SECRETS"\n');
    expect(staging).toContain('\nSIGNING_SECRETS = "CREDENTIAL_SECRETS_2" # since then\n');
    expect(changed.split("\n").filter((line, index) => line !== toml.split("\n")[index])).toHaveLength(1);
  });

  it("fails where the variable is missing", () => {
    expect(() => withVariable(toml, { environment: "", name: "ANOTHER", value: "x", comment: "" })).toThrow(Failure);
    expect(() =>
      withVariable(toml, { environment: "production", name: "SIGNING_SECRETS", value: "x", comment: "" }),
    ).toThrow(Failure);
  });
});

describe("the address of a deployment", () => {
  it.each([
    [["https://edge.example.workers.dev", "schedule: * * * * *"], "https://edge.example.workers.dev"],
    [["https://edge.example.workers.dev", "api.example.com (custom domain)"], "https://api.example.com"],
    [["schedule: * * * * *", "api.example.com/* (zone name: example.com)"], "https://api.example.com"],
    [["*.example.com/* (zone id: 0)", "https://edge.example.workers.dev"], "https://edge.example.workers.dev"],
    [["http://127.0.0.1:8787"], "http://127.0.0.1:8787"],
  ])("%j is %s", (targets, origin) => expect(originOf(targets)).toBe(origin));

  it("there is none: says how to add one", () => {
    expect(() => originOf(["schedule: * * * * *"])).toThrow("custom_domain = true");
  });
});
