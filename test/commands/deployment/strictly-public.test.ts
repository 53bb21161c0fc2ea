/** A webhook's URL is somebody's text. In each configuration the Worker's `fetch` reaches a host of its own zone from the internet only. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";
import { writeDevConfig } from "../../../src/commands/development/dev-config.ts";

const folder = await mkdtemp(join(tmpdir(), "strictly-public-"));
afterAll(() => rm(folder, { recursive: true }));

const toml = await readFile("wrangler.toml", "utf8");
await writeFile(join(folder, "wrangler.toml"), toml);
const dev = (await writeDevConfig(folder, 2)) ?? "";

const CONFIGURATIONS = ["wrangler.toml", dev];
const ENVIRONMENTS = ["", ...new Set([...toml.matchAll(/^\[+env\.([\w-]+)/gm)].map(([, name = ""]) => name))];

it("there are a staging environment and two configurations", () => {
  expect([ENVIRONMENTS, new Set(CONFIGURATIONS).size]).toEqual([["", "staging"], 2]);
});

it.each(CONFIGURATIONS.flatMap((config) => ENVIRONMENTS.map((env) => [config, env])))(
  "%s, environment %j",
  (config, env) => {
    const { compatibility_flags } = unstable_readConfig({ config: join(folder, config), env }, { hideWarnings: true });
    expect(compatibility_flags).toContain("global_fetch_strictly_public");
  },
);
