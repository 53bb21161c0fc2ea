/** The actions of `npm run account`: one entry is an action with its words, its help, what it checks, does and prints. */
import { confirm } from "../../command-line/confirm.ts";
import type { Context } from "../../command-line/context.ts";
import { Failure } from "../../command-line/failure.ts";
import { createProgress } from "../../command-line/progress.ts";
import { commandLine, type Here, hereAgain, ON_THIS_MACHINE } from "../arguments.ts";
import type { Call } from "../ask-deployment.ts";
import { CONFIGURATION } from "../cloudflare/configuration.ts";
import { bindingOf } from "../databases/sql.ts";
import {
  accountJson,
  describeAccount,
  describeEvent,
  describeKey,
  describeListed,
  describeWebhook,
  eventJson,
  toJson,
} from "./account-lines.ts";
import {
  accountOf,
  addressOf,
  bindingOfSubject,
  keyOf,
  limitOf,
  moveOf,
  quotaOf,
  revocationOf,
  signOutOf,
  type Words,
} from "./account-words.ts";
import type { Accounts } from "./accounts-in-databases.ts";
import { readAccount } from "./export-account.ts";

type Options = Here & { readonly json: boolean; readonly "dry-run": boolean; readonly yes: boolean };

type Asked = Words & { readonly context: Context; readonly accounts: Accounts; readonly options: Options };

/** Asks the deployment, because a key's gate must be notified, or other Workers' memory. */
type OfDeployment = {
  readonly call: (words: Words) => Call;
  /** What a person agrees to. */
  readonly agrees?: (words: Words, origin: string) => string;
  /** The line that it prints. Without it, that the Durable Object has confirmed it. */
  readonly done?: (answer: Readonly<Record<string, unknown>>, words: Words) => string;
  /** What `--dry-run` prints instead. It asks the databases. */
  readonly dryRun?: (asked: Asked) => Promise<string>;
};

type OfDatabases = {
  /** Throws a Failure for words that are none. */
  readonly check?: (words: Words) => unknown;
  readonly run: (asked: Asked) => Promise<void>;
};

export type Action = {
  readonly help: string;
  /** The options that it takes besides those of every action. */
  readonly takes?: readonly ("json" | "dry-run")[];
} & (OfDeployment | OfDatabases);

const [LOOKING, CHANGING] = [
  { orKey: true, changes: false },
  { orKey: false, changes: true },
] as const;
const orItsKey = (words: Words) => accountOf(words, true);

/** Each action by its usage. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  list: {
    help: "Every account: API keys, members, storage, requests of the last day, up to a day behind.",
    takes: ["json"],
    async run({ accounts, context, options: { json } }) {
      let isEmpty = true;
      for await (const account of accounts.list(Date.now())) {
        context.print(json ? accountJson(account) : describeListed(account));
        isEmpty = false;
      }
      if (isEmpty && !json) context.print("No accounts yet. The first sign-in makes one.");
    },
  },

  "show <account>": {
    help: "Its identifier, status, storage, API keys and webhooks. By the owner's e-mail address, the identifier, or one of its keys.",
    check: orItsKey,
    async run({ accounts, context, ...words }) {
      const account = await accounts.find(orItsKey(words), LOOKING);
      const { apiKeys, webhooks } = await accounts.loadParts(account.id);
      context.print(describeAccount(account));
      if (apiKeys.length === 0) context.print("  No API keys yet.");
      for (const key of apiKeys) context.print(describeKey(key, Date.now()));
      for (const webhook of webhooks) context.print(describeWebhook(webhook));
    },
  },

  "events <account>": {
    help: "The whole activity of an account, oldest first. Also by one of its keys.",
    takes: ["json"],
    check: orItsKey,
    async run({ accounts, context, options: { json }, ...words }) {
      const { id, owner } = await accounts.find(orItsKey(words), LOOKING);
      let isEmpty = true;
      for await (const event of accounts.listEvents(id)) {
        context.print(json ? eventJson(event) : describeEvent(event));
        isEmpty = false;
      }
      if (isEmpty && !json) context.print(`No activity of ${owner} yet.`);
    },
  },

  "export <account>": {
    help: "All of an account but its secrets: a line of JSON for each row of schema.sql.",
    check: accountOf,
    async run({ accounts, context, ...words }) {
      const { id } = await accounts.find(accountOf(words), { orKey: false, changes: false });
      const progress = createProgress(context);
      let rows = 0;
      for await (const line of readAccount((page) => accounts.readRows(id, page))) {
        context.print(toJson(line));
        if (++rows % 1_000 === 0) progress(`Exported so far: ${rows.toLocaleString("en-US")} rows`);
      }
    },
  },

  "delete <account>": {
    help: "Deletes all of a suspended account for good. Asks for the owner's address.",
    takes: ["dry-run"],
    check: accountOf,
    async run({ accounts, context, options, ...words }) {
      const account = await accounts.find(accountOf(words), CHANGING);
      const { id, owner } = account;
      const { apiKeys, ideaBanks, panelists, surveys } = await accounts.loadParts(id);
      context.print(describeAccount(account));
      context.print(
        `API keys: ${apiKeys.length}, idea banks: ${ideaBanks} with everything in them, panelists: ${panelists}, surveys: ${surveys}.`,
      );
      refuseOpen(account, options);
      if (options["dry-run"]) return context.print("Would delete all of it. A dry run: nothing was done.");
      // An account whose owner was removed has its identifier in the place of the address.
      await confirm(context, {
        isAgreed: options.yes,
        what: `All of the account ${id} of ${owner} is deleted for good.`,
        word: owner.toLowerCase(),
      });
      const progress = createProgress(context);
      let rows = 0;
      const tell = () => progress(`Deleted so far: ${rows.toLocaleString("en-US")} rows`);
      tell();
      for await (const deleted of accounts.delete(id)) {
        rows += deleted;
        tell();
      }
      context.print(
        `The account ${id} of ${owner} is deleted. Backups have it still, and so has D1 Time Travel for 30 days.`,
      );
    },
  },

  "quota <account> <MiB>": {
    help: "How much it may store, in MiB. 512 is the default.",
    check: (words) => [accountOf(words), quotaOf(words)],
    async run({ accounts, context, ...words }) {
      const found = await accounts.find(accountOf(words), CHANGING);
      context.print(describeAccount((await accounts.setQuota(found.id, quotaOf(words))) ?? found));
    },
  },

  "limit <key> <requests> [<seconds>]": {
    help: "The rate limit of an API key, by its identifier: requests per window, in seconds (default: 60).",
    call: limitOf,
  },

  "revoke <key>": {
    help: "Ends an API key for good, as its owner would in Account Settings. By its identifier, or the whole key.",
    takes: ["dry-run"],
    call: revocationOf,
    agrees: ({ subject }, origin) => `The API key ${subject} of ${origin} is revoked for good.`,
    async dryRun({ accounts, ...words }) {
      const { name, owner, revokedAt } = await accounts.findKey(keyOf(words));
      const state = revokedAt === null ? "Would revoke" : "Is revoked already:";
      return `${state} the API key ${words.subject} (${name}) of ${owner}. A dry run: nothing was done.`;
    },
  },

  "end-tokens <account>": {
    help: "Ends all tokens of an account for good, as its owner would in Account Settings. Asks first.",
    check: accountOf,
    async run({ accounts, context, options, ...words }) {
      const account = await accounts.find(accountOf(words), CHANGING);
      const { id, owner } = account;
      context.print(describeAccount(account));
      await confirm(context, {
        isAgreed: options.yes,
        what: `All tokens of the account ${id} of ${owner} end for good: panelists', visitors', and those that its servers have signed. API keys stay.`,
      });
      await accounts.endTokens(id);
      context.print(
        `All tokens of the account ${id} of ${owner} have ended. Within 11 seconds they are refused everywhere. ` +
          "Pages need a new visitor's token, and servers that sign must read the signing secret again.",
      );
    },
  },

  "another <address>": {
    help: "For a person who is no longer in the account that they created, and needs a new one. Their next sign-in creates it.",
    check: ({ subject }) => addressOf(subject),
    async run({ accounts, context, subject }) {
      const email = addressOf(subject);
      const answer = await accounts.allowAnother(email);
      if (answer.outcome === "never-created-one")
        throw new Failure(`${email} has never created an account. Nothing was changed.`);
      const { accountId: id } = answer;
      if (answer.outcome === "no-database")
        throw new Failure(
          `${email} created the account ${id}, and ${CONFIGURATION} has no database ${bindingOf(id)}. Nothing was changed.`,
        );
      if (answer.outcome === "still-theirs")
        throw new Failure(`${email} still has the account ${id}, so they get no other one. Nothing was changed.`);
      context.print(
        `The next sign-in of ${email} creates a new account. Their first one, ${id}, stays with its members.`,
      );
      if (answer.memberOf.length > 0)
        context.print(`While ${email} is a member of ${answer.memberOf.join(", ")}, a sign-in leads there instead.`);
    },
  },

  "sign-out <address>": {
    help: "Ends every handed-over session of a person. It ends no session of Cloudflare Access.",
    call: signOutOf,
    done: ({ email, ended }) =>
      `${email} is signed out everywhere: ${ended} handed-over sessions and unused links have ended.`,
  },

  "move-member <old> <new>": {
    help: "A person's accounts get the person's new address. Both addresses are told, where the deployment sends e-mail.",
    call: moveOf,
    agrees: ({ subject, first }, origin) => `Every account of ${subject} at ${origin} gets the address ${first}.`,
    done: ({ accountIds }, { subject, first }) =>
      `${first} has the accounts of ${subject} now: ${[accountIds].flat().join(", ")}.`,
  },

  "bind-subject <subject> <address>": {
    help: "Says that the person with your platform's identifier <subject> has this address. For owners from before you sent subjects.",
    call: bindingOfSubject,
    done: (_, { subject, first }) => `The subject ${subject} has the address ${first.toLowerCase()}.`,
  },
};

/** Throws a Failure for an account that is still open: its keys' gates and its panelists' views would continue for a while. */
export function refuseOpen({ owner, status }: { readonly owner: string; readonly status: string }, here: Here): void {
  if (status === "suspended") return;
  const where = here[ON_THIS_MACHINE] ? hereAgain(here) : ["--url", "https://api.example.com"];
  throw new Failure(
    `The account of ${owner} is ${status}. Nothing was deleted. Suspend it first, so that nobody uses it:\n` +
      commandLine("suspend", "", owner, ...where),
  );
}
