/**
 * What an operator does to accounts, by wrangler in the databases themselves. So it needs a login to Cloudflare, and no Worker: it works
 * while that is down, before OPERATOR_SECRET is set, and on this machine without a server. The SQL is the Worker's.
 */
import { deleteAccount } from "../../../worker/database/accounts/account-deletion.ts";
import { readExportedRows } from "../../../worker/database/accounts/exported-rows.ts";
import {
  type AfterAccount,
  findAccount,
  findKeyOfOwner,
  listAccounts,
  loadParts,
} from "../../../worker/database/accounts/found-accounts.ts";
import { endTokensAsOperator, setQuota } from "../../../worker/database/accounts/operator-changes.ts";
import { type AfterEvent, listWholeActivity } from "../../../worker/database/activity/whole-activity.ts";
import { allowAnotherAccount } from "../../../worker/database/members/another-account.ts";
import { isId } from "../../../worker/model/id.ts";
import type { Session } from "../../../worker/store/session.ts";
import { Failure } from "../../command-line/failure.ts";
import { CONFIGURATION } from "../cloudflare/configuration.ts";
import { DIRECTORY, type EveryDatabase } from "../databases/every-database.ts";
import { bindingOf } from "../databases/sql.ts";

export type Accounts = ReturnType<typeof accountsIn>;

/** The databases must be logged in to. */
export function accountsIn({ bindings, session }: EveryDatabase) {
  const open = (id: string): Session | undefined =>
    bindings.includes(bindingOf(id)) ? session(bindingOf(id)) : undefined;
  const own = (id: string): Session => open(id) ?? raise(`${CONFIGURATION} has no database ${bindingOf(id)}.`);

  return {
    /** Every account of every database, oldest first in each. */
    async *list(now: number) {
      for (const binding of bindings) {
        let after: AfterAccount | undefined;
        do {
          const { accounts, next } = await listAccounts(session(binding), { after, now });
          yield* accounts;
          after = next;
        } while (after !== undefined);
      }
    },

    /** An identifier says where it lives; an address may be in any database. Throws a Failure when there is none. */
    async find(account: string, { orKey, changes }: { readonly orKey: boolean; readonly changes: boolean }) {
      const whose = orKey ? "account and no API key" : "account";
      const none = isId(account) ? `No ${whose} has the ID ${account}` : `No account has the owner ${account}`;
      const end = changes ? ". Nothing was changed." : ".";
      const places = isId(account) ? placesOf(account, open(account), none, end) : bindings.map(session);
      for (const place of places) {
        const found = await findAccount(place, { account, orKey });
        if (found !== null) return found;
      }
      return raise(`${none}${end}`);
    },

    /** Throws a Failure when there is none. */
    async findKey(apiKeyId: string) {
      const none = `No API key has the ID ${apiKeyId}`;
      for (const place of placesOf(apiKeyId, open(apiKeyId), none, ".")) {
        const key = await findKeyOfOwner(place, apiKeyId);
        if (key !== null) return key;
      }
      return raise(`${none}.`);
    },

    loadParts: (id: string) => loadParts(own(id), id),

    async *listEvents(id: string) {
      let after: AfterEvent | undefined;
      do {
        const { events, next } = await listWholeActivity(own(id), { accountId: id, after });
        yield* events;
        after = next;
      } while (after !== undefined);
    },

    readRows: (id: string, page: Parameters<typeof readExportedRows>[2]) => readExportedRows(own(id), id, page),
    setQuota: (id: string, maxBytes: number) => setQuota(own(id), { accountId: id, maxBytes }),
    endTokens: (id: string) => endTokensAsOperator(own(id), id),
    /** Yields the number of deleted rows, now and then. */
    delete: (id: string) => deleteAccount(session(DIRECTORY), own(id), id),
    allowAnother: (email: string) => allowAnotherAccount(session(DIRECTORY), open, email),
  };
}

function placesOf(id: string, place: Session | undefined, none: string, end: string): readonly Session[] {
  if (place !== undefined) return [place];
  throw new Failure(`${none}: ${CONFIGURATION} has no database ${bindingOf(id)}${end}`);
}

function raise(message: string): never {
  throw new Failure(message);
}
