/** The operator's commands as the documents have them: each exists, with its options and its first word. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { account } from "../../src/commands/deployment/accounts/account-command.ts";
import { suspend } from "../../src/commands/deployment/accounts/suspend.ts";
import { backup } from "../../src/commands/deployment/backups/backup.ts";
import { restore } from "../../src/commands/deployment/backups/restore.ts";
import { deploy } from "../../src/commands/deployment/deploy/deploy.ts";
import { rollback } from "../../src/commands/deployment/deploy/rollback.ts";
import { doctor } from "../../src/commands/deployment/doctor/doctor.ts";
import { rehearse } from "../../src/commands/deployment/rehearse.ts";
import { rotateSecret } from "../../src/commands/deployment/secrets/rotate-secret.ts";
import { listDocuments } from "../support/node/documents.ts";

const COMMANDS = [account, backup, deploy, doctor, rehearse, restore, rollback, rotateSecret, suspend];

/** Each invocation, in code blocks and in the text, up to the end of the code or the line. */
const invocations = listDocuments().flatMap((document) =>
  [...readFileSync(document, "utf8").matchAll(/npm run (?:--silent )?([\w-]+) -- ([^`\n]+)/g)].map(
    ([line, name = "", args = ""]) => ({ document, line, name, args }),
  ),
);

describe.each(COMMANDS)("npm run $name", ({ name, help }) => {
  const documented = invocations.filter((each) => each.name === name);
  const [usage = ""] = help.split("\n");

  it("has every option that is documented", () => {
    for (const { args, line } of documented)
      for (const [option] of args.matchAll(/--[\w-]+/g)) expect([usage, "--help"].join(" "), line).toContain(option);
  });

  it("has every action that is documented", () => {
    const actions = [...usage.matchAll(/[(|] ?([\w-]+)(?= <|[ |)])/g)].map(([, action]) => action);
    if (actions.length === 0) return;
    for (const { args, line } of documented) expect(actions, line).toContain(args.split(" ")[0]);
  });
});

it("invocations are found", () => expect(invocations.length).toBeGreaterThan(20));

it("the sample output of a deployment names schema steps that exist", () => {
  const steps = [...readFileSync("docs/operations.md", "utf8").matchAll(/^Schema +DB: (\S+\.sql)$/gm)];
  expect(steps.length).toBeGreaterThan(0);
  for (const [, step] of steps) expect(existsSync(`migrations/${step}`), step).toBe(true);
});

it("the templates of issues and pull requests name documents that exist", () => {
  const templates = globSync(".github/**/*.{md,yml}");
  const named = templates.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/(?<![\w/])[\w/]+\.md\b(?:, [A-Z]\w+)?/g)].map(([name]) => name),
  );
  expect(named.length).toBeGreaterThan(1);
  // The section of a document is not part of its name, and moves.
  expect(named.filter((name) => !existsSync(name))).toEqual([]);
});
