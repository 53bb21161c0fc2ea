/** The entry of Account Settings, a Worker without an address: the front door calls it through its service binding. */
import { WorkerEntrypoint } from "cloudflare:workers";
import { createAccountSettings, type OwnBindings } from "./app.ts";
import type { AccountCall, AccountService } from "./contract.ts";

const accountSettings = createAccountSettings();

export class AccountSettings extends WorkerEntrypoint<OwnBindings> implements AccountService {
  serve(request: Request, call: AccountCall): Promise<Response> {
    return accountSettings.serve(request, call, this.env, this.ctx);
  }
}

/** Wrangler wants a default entrypoint. Nothing calls it. */
export default {} satisfies ExportedHandler;
