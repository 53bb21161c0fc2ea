/** An owner's desk: an open idea bank, its owner, and what the tenant API says of it. */
import { env } from "cloudflare:workers";
import type { Send } from "../../src/worker/deliveries/send.ts";
import type { AuditEvent } from "../../src/worker/model/audit-event.ts";
import { databaseOf } from "./databases.ts";
import { createOwner } from "./owner.ts";
import { createPanel } from "./panel.ts";
import { readForm } from "./read-forms.ts";

export async function createDesk({ bindings = env, send }: { readonly bindings?: Env; readonly send?: Send } = {}) {
  const panel = await createPanel();
  const { id, accountId } = panel.bank;
  const email = await databaseOf(accountId)
    .prepare("SELECT owner_email FROM accounts WHERE id = ?1")
    .bind(accountId)
    .first<string>("owner_email");
  const owner = createOwner(email ?? "", bindings, undefined, send);
  return {
    panel,
    owner,
    bank: `/idea-banks/${id}`,
    /** The fields of the form with this button, as a browser sends them. */
    opened: async (path: string, button: string) =>
      Object.fromEntries((await readForm(await owner.page(path), button)).fields),
    page: async (path: string) => (await owner.page(path)).text(),
    /** Newest first. */
    activity: async () => (await (await owner.json("GET", "/activity")).json<{ items: AuditEvent[] }>()).items,
    idea: async (idea: string) => (await panel.manage("GET", `/proposals/${idea}`)).json<Record<string, unknown>>(),
    changes: async () =>
      (await (await panel.tenant.send("GET", "/tenant/changes?limit=100")).json<{ items: object[] }>()).items,
  };
}
