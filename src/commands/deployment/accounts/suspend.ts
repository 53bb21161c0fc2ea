/**
 * `npm run suspend -- <account> (--url <deployment> | --on-this-machine)`: suspends an account, or with `--resume` opens it again. `<account>` is the
 * owner's e-mail address or the account's identifier. Sends the secret in the environment variable OPERATOR_SECRET.
 */
import { defineCommand, misused } from "../../command-line/command.ts";
import { confirm, YES } from "../../command-line/confirm.ts";
import { main } from "../../command-line/main.ts";
import { commandLine, hereAgain, ON_THIS_MACHINE, PERSIST_TO, STATE_FOLDER } from "../arguments.ts";
import { askDeployment, findDeployment, URL_OF_DEPLOYMENT } from "../ask-deployment.ts";

export const suspend = defineCommand({
  name: "suspend",
  summary: [
    "Suspends an account, or opens it again. Ends when the Durable Object of each API key has confirmed it.",
    "Sends the deployment's operator secret, from the environment variable OPERATOR_SECRET.",
  ],
  positionals: {
    usage: "<account>",
    help: [["<account>", "The owner's e-mail address, or the account's identifier."]],
  },
  options: {
    url: URL_OF_DEPLOYMENT,
    yes: YES,
    resume: { type: "boolean", default: false, help: "Opens the account again." },
    [ON_THIS_MACHINE]: {
      type: "boolean",
      default: false,
      help: "Asks the server of `npm run dev` on this machine, instead of --url.",
    },
    [PERSIST_TO]: STATE_FOLDER,
  },
  run: async ({ values, positionals }, context) => {
    const { resume, yes } = values;
    const [account, ...more] = positionals;
    if (account === undefined)
      throw misused("Name the account: its owner's e-mail address or its identifier.", suspend);
    if (more.length > 0) throw misused(`Name one account, not several: ${[account, ...more].join(", ")}.`, suspend);
    const deployment = await findDeployment(values, suspend, context);
    const where = values[ON_THIS_MACHINE] ? hereAgain(values) : ["--url", deployment.origin];
    const undo = commandLine("suspend", "", account, ...where, "--resume");
    const status = resume ? "active" : "suspended";
    if (!resume)
      await confirm(context, {
        isAgreed: yes,
        what: `${account} is suspended at ${deployment.origin}: its API keys and panelists are refused.`,
      });
    const { accountId, apiKeys, sessionsEnded } = await askDeployment(context, deployment, {
      method: "PUT",
      path: "/operator/account-status",
      body: { account, status },
      confirms: (answer) =>
        answer.status === status && typeof answer.accountId === "string" && typeof answer.apiKeys === "number",
      done: `the account is ${status}`,
    });
    const keys =
      apiKeys === 1 ? "Its API key's Durable Object has" : `The Durable Objects of its ${apiKeys} API keys have`;
    context.print(`${account} (account ${accountId}) is ${status}. ${keys} confirmed it.`);
    if (sessionsEnded === true)
      context.print("The handed-over sessions of its members have ended. They can sign in again.");
    if (sessionsEnded === false)
      context.print(
        "The handed-over sessions of its members may not have ended, because DB did not confirm it. Run it again; that is harmless.",
      );
    context.print(
      resume
        ? "Panelists see it within FRESHNESS_SECONDS and ANCHOR_SECONDS together."
        : `Panelists see it within FRESHNESS_SECONDS and ANCHOR_SECONDS together. To undo it: ${undo}`,
    );
  },
});

if (import.meta.main) await main(suspend);
