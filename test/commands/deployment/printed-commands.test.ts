/** A command that is printed is pasted into a shell, with other people's texts in it. */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { unknownWord } from "../../../src/commands/command-line/nearest.ts";
import { forReader } from "../../../src/commands/command-line/run-wrangler.ts";
import { refuseOpen } from "../../../src/commands/deployment/accounts/account-actions.ts";
import { commandLine, inEnvironment, shellWord } from "../../../src/commands/deployment/arguments.ts";
import { messageOf } from "../../../src/commands/deployment/cloudflare/wrangler.ts";

const HOSTILE = [
  "`id`@example.com",
  "$(id)@example.com",
  "o'neil@example.com",
  "a;b|c&d@example.com",
  '"x"!@example.com',
  "a\\b@example.com",
  "#x@example.com",
  "=x@example.com",
  "",
];

it.each(HOSTILE)("a shell reads %j as one word, and runs nothing of it", (text) => {
  expect(execFileSync("sh", ["-c", `printf '%s|' ${shellWord(text)}`]).toString()).toBe(`${text}|`);
});

it.each(["owner@example.com", "--url", "https://api.example.com", "backups/2026-11-20T12-00-00.000Z", "<account>"])(
  "%s needs no quotes",
  (text) => expect(shellWord(text)).toBe(text),
);

it("a command line has its arguments quoted, and keeps its environment", () => {
  expect(commandLine("suspend", "staging", "`id`@example.com", "--resume")).toBe(
    "npm run suspend -- '`id`@example.com' --resume --env staging",
  );
});

it.each([
  ["npm run deploy", "npm run deploy -- --env staging"],
  ["npm run rotate-secret, which continues it", "npm run rotate-secret -- --env staging, which continues it"],
  ["npm run account -- list; then more", "npm run account -- list --env staging; then more"],
  ["npx wrangler secret put OPERATOR_SECRET", "npx wrangler secret put OPERATOR_SECRET --env staging"],
])("what the doctor advises for staging does not act on production: %s", (advice, expected) => {
  expect(inEnvironment(advice, "staging")).toBe(expected);
  expect(inEnvironment(advice, "")).toBe(advice);
});

it("the refusal to delete an open account names the command for the same place", () => {
  const row = { owner: "`id`@example.com", status: "active" };
  expect(() => refuseOpen(row, { "on-this-machine": true })).toThrow(
    /npm run suspend -- '`id`@example\.com' --on-this-machine$/,
  );
  expect(() => refuseOpen(row, { "on-this-machine": true, "persist-to": "other data" })).toThrow(
    "npm run suspend -- '`id`@example.com' --on-this-machine --persist-to 'other data'",
  );
  expect(() => refuseOpen(row, { "on-this-machine": false })).toThrow(
    "npm run suspend -- '`id`@example.com' --url https://api.example.com",
  );
});

it("no command is put together anywhere else", () => {
  const elsewhere = globSync("src/commands/deployment/**/*.ts")
    .filter((file) => !file.endsWith("/arguments.ts"))
    .flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/(?:npm run|npx wrangler) [^`"\n$]*\$\{(?!shellWord\()[^\n]*/g)].map(
        ([line]) => `${file}: ${line}`,
      ),
    );
  expect(elsewhere, "use commandLine(…), or shellWord(…) for an argument").toEqual([]);
});

it.each([
  ["lst", "There is no `lst`. Did you mean `list`?"],
  ["delte", "There is no `delte`. Did you mean `delete`?"],
  ["remove", "There is no `remove`."],
])("an unknown word is named, with the nearest one: %s", (word, message) => {
  expect(unknownWord(word, ["list", "show", "delete", "another"])).toBe(message);
});

it("what goes into a pipe has no colors", () => {
  const colored = "\u001b[32mdone\u001b[39m";
  expect(forReader({ isTTY: true }, colored)).toBe(colored);
  expect(forReader({ isTTY: false }, colored)).toBe("done");
});

it.each([
  [
    "as text",
    {
      stdout: "",
      stderr: "▲ [WARNING] A fetch request failed.\n\n✘ [ERROR] fetch failed\n\n🪵  Logs were written to x\n",
    },
  ],
  ["as JSON", { stdout: '{"error":{"text":"fetch failed"}}', stderr: "" }],
])("a wrangler that cannot reach Cloudflare, told %s, is told in plain words", (_, output) => {
  expect(messageOf({ ok: false, ...output })).toBe(
    "Cloudflare's API does not answer. Check this machine's network, firewall, VPN and proxy, and try again.",
  );
});
