/** The requests and answers of a deployment's operator. */
import * as z from "zod/mini";
import { Limit, WindowSeconds } from "./api-key-settings.ts";
import { describe } from "./describe.ts";
import { Id } from "./id.ts";
import { Email } from "./member.ts";
import { isOwnPage } from "./own-page.ts";
import { flag, integer, line, oneOf, Timestamp } from "./text.ts";

const STATUS_TEXT = "`suspended` closes everything that the account offers; `active` opens it again.";

export const Health = describe(z.object({ stores: z.catchall(z.object({}), oneOf(["ok", "down"])) }), {
  name: "Health",
  example: { stores: { DB: "ok", CHANGELOGS: "ok", API_KEY_GATE: "ok" } },
  fields: { stores: "Each store by the name of its binding, and whether it answers." },
});
/** Keyed by the name of the binding. */
export type StoreHealth = z.infer<typeof Health>["stores"];

export const Release = describe(z.object({ version: line({ min: 1, max: 100 }), schema: integer(1, 9_999) }), {
  name: "Release",
  example: { version: "1.2.0", schema: 19 },
  fields: {
    version: "The version of the deployed code, as in the changelog.",
    schema:
      "The newest step of the database's schema that this version needs: the number of its file in `migrations/`.",
  },
});

const OWNERS_TABLE = {
  type: "table",
  name: "owners",
  sql: "CREATE TABLE owners (email TEXT PRIMARY KEY, account_id TEXT NOT NULL)",
};

const SchemaObject = describe(z.object({ type: z.string(), name: z.string(), sql: z.string() }), {
  name: "SchemaObject",
  example: OWNERS_TABLE,
  fields: { type: "`table`, `index`, `trigger` or `view`.", name: "Its name.", sql: "The statement that made it." },
});

const DatabaseSchema = describe(
  z.object({ binding: z.string(), steps: z.array(z.string()), objects: z.array(SchemaObject) }),
  {
    name: "DatabaseSchema",
    example: { binding: "DB", steps: ["0001_schema.sql"], objects: [OWNERS_TABLE] },
    fields: {
      binding: "The name of the database's binding.",
      steps: "The files of `migrations/` that it has had, oldest first.",
      objects: "Its tables, indexes, triggers and views.",
    },
  },
);

export const Schema = describe(z.object({ databases: z.array(DatabaseSchema) }), {
  name: "Schema",
  example: { databases: [{ binding: "DB", steps: ["0001_schema.sql"], objects: [OWNERS_TABLE] }] },
  fields: { databases: "Each database of the deployment." },
});

export const ACCOUNT_STATUSES = ["active", "suspended"] as const;
const AccountStatus = oneOf(ACCOUNT_STATUSES);

export const AccountStatusChange = describe(
  z.strictObject({ account: line({ min: 1, max: 320 }), status: AccountStatus }),
  {
    name: "AccountStatusChange",
    example: { account: "owner@example.com", status: "suspended" },
    fields: { account: "The owner's e-mail address, or the account's identifier.", status: STATUS_TEXT },
  },
);
export type AccountStatusChange = z.infer<typeof AccountStatusChange>;

export const ChangedAccount = describe(
  z.object({ accountId: Id, status: AccountStatus, apiKeys: integer(0, 1_000), sessionsEnded: z.nullable(flag()) }),
  {
    name: "ChangedAccount",
    example: { accountId: "Acc0unt00001", status: "suspended", apiKeys: 2, sessionsEnded: true },
    fields: {
      accountId: "The account's identifier.",
      status: STATUS_TEXT,
      apiKeys: "How many API keys can be used but for this status. The Durable Object of each has confirmed it.",
      sessionsEnded:
        "Whether the handed-over sessions of its members have ended. `false` while the database of the directory does not answer: send " +
        "it again. `null` when the account is opened again.",
    },
  },
);
export type ChangedAccount = z.infer<typeof ChangedAccount>;

export const ApiKeyLimit = describe(z.strictObject({ limit: Limit, windowSeconds: WindowSeconds }), {
  name: "ApiKeyLimit",
  example: { limit: 1_200, windowSeconds: 60 },
  fields: {
    limit: "How many requests are admitted in any window: 1 to 10,000.",
    windowSeconds: "The length of the window in seconds: 1 to 3,600.",
  },
});

const RETURN_TO = "must be a path of Account Settings, as /account/api-keys, of at most 1,000 characters";

const Subject = z
  .string({ error: "must be a string" })
  .check(z.regex(/^[!-~]{1,255}$/, { error: "must have 1 to 255 visible ASCII characters" }));

export const NewSignIn = describe(
  z.strictObject({
    email: Email,
    subject: z.optional(Subject),
    returnTo: z._default(
      z
        .string({ error: RETURN_TO })
        .check(z.maxLength(1_000, { error: RETURN_TO }), z.refine(isOwnPage, { error: RETURN_TO })),
      "/account/api-keys",
    ),
  }),
  {
    name: "NewSignIn",
    example: { email: "owner@example.com", returnTo: "/account/idea-banks" },
    fields: {
      email: "Who is signed in, by e-mail address. You have made sure that it is this person.",
      subject:
        "Your own identifier of the person, which stays when the address changes: 1 to 255 visible ASCII characters. A person who comes " +
        "with the same one and another address keeps the accounts. If the address has accounts already that are not this person's, the " +
        "answer's page asks for a code that is sent to it. 409 `conflict` for an address that belongs to another one, and where no e-mail is sent.",
      returnTo: "The page that it leads to: a path that begins with `/account`. The default is `/account/api-keys`.",
    },
  },
);

const SUBJECT_TEXTS = {
  subject: "Your own identifier of the person, as in `POST /operator/sign-ins`.",
  email: "The address that the person has.",
};
const SUBJECT_EXAMPLE = { subject: "customer-42", email: "owner@example.com" };

export const NewSubject = describe(z.strictObject({ subject: Subject, email: Email }), {
  name: "NewSubject",
  example: SUBJECT_EXAMPLE,
  fields: SUBJECT_TEXTS,
});

export const BoundSubject = describe(z.object({ subject: Subject, email: Email }), {
  name: "BoundSubject",
  example: SUBJECT_EXAMPLE,
  fields: SUBJECT_TEXTS,
});

export const MemberMove = describe(z.strictObject({ from: Email, to: Email }), {
  name: "MemberMove",
  example: { from: "old@example.com", to: "new@example.com" },
  fields: { from: "The address that the person had.", to: "The address that the person has now." },
});

export const MovedMember = describe(z.object({ from: Email, to: Email, accountIds: z.array(Id) }), {
  name: "MovedMember",
  example: { from: "old@example.com", to: "new@example.com", accountIds: ["Acc0unt00001"] },
  fields: {
    from: "The address that is a member of none of them.",
    to: "The address that is a member of them.",
    accountIds: "The accounts.",
  },
});

export const SignOut = describe(z.strictObject({ email: Email }), {
  name: "SignOut",
  example: { email: "owner@example.com" },
  fields: { email: "Who is signed out, by e-mail address." },
});

export const EndedSignIns = describe(z.object({ email: Email, ended: integer(0, 1e9) }), {
  name: "EndedSignIns",
  example: { email: "owner@example.com", ended: 2 },
  fields: { email: "The person.", ended: "How many sessions and unused links were ended." },
});

export const OfferedSignIn = describe(z.object({ url: z.string(), expiresAt: Timestamp }), {
  name: "OfferedSignIn",
  example: {
    url: "https://api.example.com/account/sign-in?link=ibl_0k3yPq8sVw2Zr5Tb9Xc4Nd7Ga1Hj6",
    expiresAt: "2026-11-20T12:01:00.000Z",
  },
  fields: {
    url: "Send the person's browser there. It signs in once, or asks for a code from an e-mail first.",
    expiresAt: "Until when: ISO 8601, UTC, with milliseconds. 60 seconds, or 15 minutes where a code is asked for.",
  },
});
