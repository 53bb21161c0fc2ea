/** The D1 databases of wrangler.toml, and wrangler's commands on them: of the deployment, or of `npm run dev` on this machine. */
import { chooseAccount } from "./account.ts";
import { readConfiguration } from "./configuration.ts";
import { Wrangler } from "./wrangler.ts";

export type EveryDatabase = {
  readonly bindings: readonly string[];
  readonly place: "--local" | "--remote";
  /** Runs `wrangler d1 …`, with its output where the operator sees it. Throws a Failure. */
  run(args: readonly string[]): Promise<void>;
};

/** `environment` is "" for the top level. Throws a Failure when nobody is logged in, or wrangler.toml has no such environment. */
export async function openEveryDatabase(environment: string, local: boolean): Promise<EveryDatabase> {
  const wrangler = new Wrangler(environment);
  const { accountId, databases } = await readConfiguration(environment);
  if (!local) wrangler.accountId = (await chooseAccount(wrangler, accountId)).id;
  return {
    bindings: databases.map(({ binding }) => binding),
    place: local ? "--local" : "--remote",
    run: async (args) => void (await wrangler.run(["d1", ...args], { show: true })),
  };
}
