/** The operator changes an API key in the place of its owner, who may not be able to sign in. */
import type { Context } from "hono";
import { noSuchKey, type OwnKey } from "../api-key-gate/key-changes.ts";
import { findOwnerOfKey } from "../database/account-api-keys.ts";
import { stamp } from "../database/audit-events.ts";
import type { Databases } from "../database/databases.ts";
import type { AppEnv } from "../http/app-env.ts";
import { isId } from "../model/id.ts";

/** Throws `not-found`. */
export async function actForOwnerOf(c: Context<AppEnv>, databases: Databases, id: string): Promise<OwnKey> {
  const session = isId(id) ? databases.of(c, id)?.atPrimary().session : undefined;
  const email = session && (await findOwnerOfKey(session, id));
  if (session === undefined || !email) throw noSuchKey();
  return { session, owner: { email, person: email, actor: "the operator", address: null }, id, at: stamp(id) };
}
