/** Tells the accounts of a person, in their activity, that a link has signed in, or was opened again afterwards. */
import type { Context } from "hono";
import { dailyEventId } from "../../credentials/id.ts";
import { recordSignIn, type SignInEvent } from "../../database/members/sign-in-events.ts";
import { logWarning } from "../../log.ts";
import { accountsOf } from "../account-databases.ts";
import type { OwnerEnv } from "../owner-env.ts";

type Told = Pick<SignInEvent, "event" | "person"> & { readonly linkId: string };

/** After the answer: nobody waits for it, and a sign-in does not fail for it. Once a day for a link. */
export function tellAccountsSoon(c: Context<OwnerEnv>, told: Told): void {
  const tell = () =>
    tellAccounts(c, told).catch((error: unknown) => logWarning("a sign-in is missing in an activity", error));
  c.executionCtx.waitUntil(c.get("budget").afterAnswer(tell));
}

async function tellAccounts(c: Context<OwnerEnv>, { event, person, linkId }: Told): Promise<void> {
  const now = Date.now();
  const address = c.req.header("CF-Connecting-IP") ?? null;
  const accounts = await accountsOf(c, person);
  await Promise.all(
    accounts.map(async ({ id: accountId }) => {
      const eventId = await dailyEventId(accountId + linkId, event, now);
      await c.var.databases
        .of(c, accountId)
        ?.withoutSession()
        .run(recordSignIn({ event, eventId, accountId, person, address, now }));
    }),
  );
}
