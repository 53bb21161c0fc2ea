/** The requests and answers of a deployment's operator. */
import * as z from "zod/mini";
import { Limit, WindowSeconds } from "./api-key-settings.ts";
import { describe } from "./describe.ts";
import { Id } from "./id.ts";
import { integer, line, oneOf } from "./text.ts";

const STATUS_TEXT = "`suspended` closes everything that the account offers; `active` opens it again.";

export const Health = describe(z.object({ stores: z.catchall(z.object({}), oneOf(["ok", "down"])) }), {
  name: "Health",
  example: { stores: { DB: "ok", CHANGELOGS: "ok", API_KEY_GATE: "ok" } },
  fields: { stores: "Each store by the name of its binding, and whether it answers." },
});
/** By the name of the binding. */
export type StoreHealth = z.infer<typeof Health>["stores"];

const AccountStatus = oneOf(["active", "suspended"]);

export const AccountStatusChange = describe(
  z.strictObject({ account: line({ min: 1, max: 320 }), status: AccountStatus }),
  {
    name: "AccountStatusChange",
    example: { account: "owner@example.com", status: "suspended" },
    fields: { account: "The owner's e-mail address, or the account's identifier.", status: STATUS_TEXT },
  },
);
export type AccountStatusChange = z.infer<typeof AccountStatusChange>;

export const ChangedAccount = describe(z.object({ accountId: Id, status: AccountStatus, apiKeys: integer(0, 1_000) }), {
  name: "ChangedAccount",
  example: { accountId: "Acc0unt00001", status: "suspended", apiKeys: 2 },
  fields: {
    accountId: "The account's identifier.",
    status: STATUS_TEXT,
    apiKeys: "How many API keys can be used but for this status. The gate of each has confirmed it.",
  },
});

export const ApiKeyLimit = describe(z.strictObject({ limit: Limit, windowSeconds: WindowSeconds }), {
  name: "ApiKeyLimit",
  example: { limit: 1_200, windowSeconds: 60 },
  fields: {
    limit: "How many requests are admitted in any window: 1 to 10,000.",
    windowSeconds: "The length of the window in seconds: 1 to 3,600.",
  },
});
