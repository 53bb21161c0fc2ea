/** `npm run account`: an operator looks at accounts, and changes them. */
import { defineCommand, misused } from "../../command-line/command.ts";
import { confirm, YES } from "../../command-line/confirm.ts";
import { Failure } from "../../command-line/failure.ts";
import { main } from "../../command-line/main.ts";
import { unknownWord } from "../../command-line/nearest.ts";
import { commandLine, ENVIRONMENT, LOCAL, ON_THIS_MACHINE, PERSIST_TO, STATE_FOLDER } from "../arguments.ts";
import { askDeployment, findDeployment, URL_OF_DEPLOYMENT } from "../ask-deployment.ts";
import { openEveryDatabase } from "../databases/every-database.ts";
import { ACTIONS, type Action } from "./account-actions.ts";
import { readWords } from "./account-words.ts";
import { accountsIn } from "./accounts-in-databases.ts";

const nameOf = (usage: string): string => usage.split(" ")[0] ?? usage;

/** "revoke and delete": the actions that do. */
function those(does: (action: Action) => boolean): string {
  const names = Object.entries(ACTIONS).flatMap(([usage, action]) => (does(action) ? [nameOf(usage)] : []));
  return [names.slice(0, -1).join(", "), ...names.slice(-1)].join(" and ");
}
const taking = (option: "json" | "dry-run") => those(({ takes }) => takes?.includes(option) === true);
const ASK_THE_DEPLOYMENT = those((action) => "call" in action);

/** Throws a Failure that names the word that is unknown, missing or one too many. */
function actionOf([name, ...words]: readonly string[]): Action {
  const names = Object.keys(ACTIONS).map(nameOf);
  const known = `These exist: ${names.join(", ")}. \`npm run account -- --help\` explains them.`;
  if (name === undefined) throw new Failure(`Say what to do. ${known}`);
  const [usage, action] = Object.entries(ACTIONS).find(([each]) => nameOf(each) === name) ?? [];
  if (usage === undefined || action === undefined) throw new Failure(`${unknownWord(name, names)} ${known}`);
  const [, ...expected] = usage.split(" ");
  const [missing, surplus] = [expected[words.length], words.slice(expected.length)];
  const here = `Usage: ${commandLine("account", "", ...usage.split(" "))}`;
  if (surplus.length > 0) throw new Failure(`${surplus.join(" ")}: too much for ${name}.\n${here}`);
  if (missing !== undefined && !missing.startsWith("[")) throw new Failure(`${name}: ${missing} is missing.\n${here}`);
  return action;
}

export const account = defineCommand({
  name: "account",
  summary: [
    "Shows an account, or changes it. A change of a key holds everywhere when the command ends. To suspend an account: npm run suspend.",
    `${ASK_THE_DEPLOYMENT} ask the deployment at --url, with its operator secret from the environment variable OPERATOR_SECRET.`,
  ],
  positionals: {
    usage: `(${Object.keys(ACTIONS).join(" | ")})`,
    help: Object.entries(ACTIONS).map(([usage, { help }]) => [usage, help]),
  },
  options: {
    url: URL_OF_DEPLOYMENT,
    json: { type: "boolean", default: false, help: "For list and events: a line of JSON for each." },
    "dry-run": {
      type: "boolean",
      default: false,
      help: "For revoke and delete: says what would end, and ends nothing.",
    },
    yes: YES,
    [ON_THIS_MACHINE]: LOCAL,
    [PERSIST_TO]: STATE_FOLDER,
    env: ENVIRONMENT,
  },
  run: async ({ values, positionals }, context) => {
    const action = actionOf(positionals);
    const [name = "", ...given] = positionals;
    const words = readWords(given);
    for (const option of ["json", "dry-run"] as const)
      if (values[option] && !action.takes?.includes(option))
        throw misused(`--${option} is for ${taking(option)}.`, account);
    const open = async () => {
      const databases = await openEveryDatabase(context, values.env, values);
      await databases.logIn();
      return { ...words, context, options: values, accounts: accountsIn(databases) };
    };
    if (!("call" in action)) {
      if (values.url !== undefined)
        throw misused(`--url is for ${ASK_THE_DEPLOYMENT}: ${name} asks the database.`, account);
      action.check?.(words);
      return action.run(await open());
    }
    const call = action.call(words);
    if (values["dry-run"] && action.dryRun) return context.print(await action.dryRun(await open()));
    if (values.env !== "") throw misused(`${name} asks the deployment at --url: --env is for the databases.`, account);
    const deployment = await findDeployment(values, account, context);
    const what = action.agrees?.(words, deployment.origin);
    if (what !== undefined) await confirm(context, { isAgreed: values.yes, what });
    const answer = await askDeployment(context, deployment, call);
    const confirmed = `The${call.done.slice("the".length)}. Its Durable Object has confirmed it: every request is decided by it.`;
    context.print(action.done?.(answer, words) ?? confirmed);
  },
});

if (import.meta.main) await main(account);
