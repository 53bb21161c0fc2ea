/** The settings of an API key that its owner chooses and may change later. */
import * as z from "zod/mini";
import { MAX_LIMIT, MAX_WINDOW_SECONDS } from "../rate-limit/sliding-window.ts";
import { Blocks, MAX_BLOCKS } from "./allowed-addresses.ts";
import { describe } from "./describe.ts";
import { EXPORTED } from "./export.ts";
import { Id } from "./id.ts";
import { LANGUAGES } from "./language.ts";
import { RECORDED, RECORDED_TEXTS } from "./proposal.ts";
import { ROLES } from "./role.ts";
import { SCOPES } from "./scope.ts";
import { flag, integer, Moment, Name, oneOf, Timestamp } from "./text.ts";

/** A key lives at most this many days. */
export const MAX_LIFE_DAYS = 3_650;

export const Scopes = z.array(oneOf(SCOPES), { error: "must be a list of scopes" }).check(
  z.minLength(1, { error: "must name at least one scope" }),
  z.refine((scopes) => new Set(scopes).size === scopes.length, { error: "must name each scope once" }),
);

export const Limit = integer(1, MAX_LIMIT);
export const WindowSeconds = integer(1, MAX_WINDOW_SECONDS);

/** The choices for a key that was found in public. */
export const LEAKED_KEYS = ["end", "mark"] as const;

export const ALLOWED_ADDRESSES = `The addresses that may use the key: up to ${MAX_BLOCKS} IPv4 and IPv6 addresses and CIDR blocks. \`null\`, the default, allows every address.`;

export const LEAKED =
  "What happens to a key, or another secret, that was found in public: `end`, the default, ends it at once. `mark` only says so.";

const TEXTS = {
  name: "A name for people: one line of 1 to 100 characters.",
  scopes: "The rights of the key.",
  limit: "How many requests are admitted in any window: 1 to 10,000.",
  windowSeconds: "The length of the window in seconds: 1 to 3,600.",
  expiresAt: `When the key expires: ISO 8601 with an offset, at most ${MAX_LIFE_DAYS} days from now. \`null\` for never.`,
  paused: "While it is `true`, every request with the key is 403. The key still counts as active.",
  allowedAddresses: ALLOWED_ADDRESSES.replace(", the default,", ""),
};

const EXTERNAL_IDS_ARE_EMAILS =
  "`true` says that each `externalId` of yours is an e-mail address that you have verified. Whoever signs in on a public page with such an " +
  "address is that panelist. The default is `false`.";

const NOTIFIES_PEOPLE =
  "`false`: nobody is told of ideas by e-mail, whatever `notifiesPeople` of an idea bank says. The default is `true`.";

const tokenTexts = {
  clientId: "The Client ID of the service token, as Cloudflare Access shows it: at most 100 characters.",
  role: "What the token may do here: `admin`, `member` or `viewer`, and never more than its member.",
};
const ServiceTokenRole = describe(z.object({ clientId: z.string(), role: oneOf(ROLES) }), {
  name: "ServiceTokenRole",
  fields: tokenTexts,
});
const NewServiceTokenRole = describe(
  z.strictObject({ clientId: z.string().check(z.minLength(1), z.maxLength(100)), role: oneOf(ROLES) }),
  { name: "NewServiceTokenRole", fields: tokenTexts },
);
const NewServiceTokenRoles = z.array(NewServiceTokenRole).check(
  z.maxLength(50, { error: "must have at most 50 items" }),
  z.refine((tokens) => new Set(tokens.map(({ clientId }) => clientId)).size === tokens.length, {
    error: "must name each service token once",
  }),
);

const settingsTexts = {
  example: {
    leakedKeys: "end" as const,
    externalIdsAreEmails: false,
    notifiesPeople: true,
    viewersExport: false,
    serviceTokenRoles: [{ clientId: "0123abcd.access", role: "viewer" as const }],
  },
  fields: {
    leakedKeys: LEAKED,
    externalIdsAreEmails: EXTERNAL_IDS_ARE_EMAILS,
    notifiesPeople: NOTIFIES_PEOPLE,
    viewersExport: "Whether viewers may export people, voters, and who answered surveys. The default is `false`.",
    serviceTokenRoles:
      "Service tokens of Cloudflare Access that have fewer rights here than the member they act for. A token that is not named has its member's role.",
  },
};
export const AccountSettings = describe(
  z.object({
    leakedKeys: oneOf(LEAKED_KEYS),
    externalIdsAreEmails: flag(),
    notifiesPeople: flag(),
    viewersExport: flag(),
    serviceTokenRoles: z.array(ServiceTokenRole),
  }),
  { name: "AccountSettings", ...settingsTexts },
);
export const NewAccountSettings = describe(
  z.strictObject({
    leakedKeys: z.optional(oneOf(LEAKED_KEYS)),
    externalIdsAreEmails: z.optional(flag()),
    notifiesPeople: z.optional(flag()),
    viewersExport: z.optional(flag()),
    serviceTokenRoles: z.optional(NewServiceTokenRoles),
  }),
  { name: "NewAccountSettings", ...settingsTexts },
);
export type AccountSettings = z.infer<typeof AccountSettings>;
export type NewAccountSettings = z.infer<typeof NewAccountSettings>;

/** Each schema gets new ones, because the OpenAPI document would describe a shared one only once. */
const changeable = () => ({
  name: z.optional(Name),
  scopes: z.optional(Scopes),
  limit: z.optional(Limit),
  windowSeconds: z.optional(WindowSeconds),
  expiresAt: z.optional(z.nullable(Moment)),
  paused: z.optional(flag()),
  allowedAddresses: z.optional(z.nullable(Blocks)),
});

/** The changes of an active key. An absent setting stays as it is. */
export const ApiKeyChanges = describe(z.strictObject(changeable()), {
  name: "ApiKeyChanges",
  example: { name: "CRM sync, nightly", limit: 60 },
  fields: TEXTS,
});
export type ApiKeyChanges = z.infer<typeof ApiKeyChanges>;

/** The secrets that can be found in public, besides an API key. */
export const LEAKED_SECRETS = ["token", "visitor-token", "signed-token", "webhook-secret", "signing-secret"] as const;

/** The changed settings, before or after the change. */
const AuditedSettings = describe(
  z.object({
    ...changeable(),
    member: z.optional(z.nullable(z.string())),
    invited: z.optional(z.nullable(z.string())),
    foundAt: z.optional(z.nullable(z.string())),
    ended: z.optional(z.nullable(oneOf(["key", "old secret", "tokens", "visitor tokens", "secret"]))),
    secret: z.optional(z.nullable(oneOf(LEAKED_SECRETS))),
    panelistId: z.optional(Id),
    ideaBankId: z.optional(z.nullable(Id)),
    webhookId: z.optional(Id),
    leakedKeys: z.optional(oneOf(LEAKED_KEYS)),
    region: z.optional(z.nullable(z.string())),
    url: z.optional(z.string()),
    types: z.optional(z.nullable(z.array(z.string()))),
    format: z.optional(z.string()),
    place: z.optional(integer(0, Number.MAX_SAFE_INTEGER)),
    status: z.optional(z.string()),
    internal: z.optional(flag()),
    changelogEnabled: z.optional(flag()),
    changelogMaxEntries: z.optional(integer(1, 100)),
    submissionsEnabled: z.optional(flag()),
    votingEnabled: z.optional(flag()),
    commentsEnabled: z.optional(flag()),
    surveysEnabled: z.optional(flag()),
    approvalRequired: z.optional(flag()),
    publicPage: z.optional(flag()),
    hiddenFromSearch: z.optional(flag()),
    emailSignIn: z.optional(flag()),
    signInUrl: z.optional(z.string()),
    notifiesPeople: z.optional(flag()),
    language: z.optional(z.nullable(oneOf(LANGUAGES))),
    commentApprovalRequired: z.optional(flag()),
    externalIdsAreEmails: z.optional(flag()),
    viewersExport: z.optional(flag()),
    serviceTokenRoles: z.optional(z.array(ServiceTokenRole)),
    role: z.optional(oneOf(ROLES)),
    memberName: z.optional(z.nullable(z.string())),
    colleague: z.optional(z.string()),
    ...z.partial(z.object(RECORDED)).shape,
    duplicateOf: z.optional(z.nullable(Id)),
    questions: z.optional(z.string()),
    votersOf: z.optional(z.nullable(Id)),
    anonymous: z.optional(flag()),
    editable: z.optional(flag()),
    closesAt: z.optional(z.nullable(Timestamp)),
    maxResponses: z.optional(z.nullable(integer(1, 1_000_000))),
    maxBytes: z.optional(integer(1, Number.MAX_SAFE_INTEGER)),
    lastActivityAt: z.optional(Timestamp),
    by: z.optional(z.string()),
    body: z.optional(z.nullable(z.string())),
    active: z.optional(flag()),
    tokensRevokedAt: z.optional(z.nullable(Timestamp)),
    clearedAt: z.optional(z.nullable(Timestamp)),
    email: z.optional(z.nullable(oneOf(["given", "another"]))),
    votes: z.optional(integer(0, Number.MAX_SAFE_INTEGER)),
    count: z.optional(integer(1, Number.MAX_SAFE_INTEGER)),
    exported: z.optional(z.nullable(oneOf(EXPORTED))),
    filter: z.optional(z.nullable(z.string())),
    rows: z.optional(z.nullable(integer(0, Number.MAX_SAFE_INTEGER))),
  }),
  {
    name: "AuditedSettings",
    fields: {
      ...TEXTS,
      member: "The e-mail address of a member of the account. `null` where there is none.",
      invited: "The e-mail address of somebody who was invited. `null` where there is none, or it was answered.",
      foundAt: "Where it was found in public, in the reporter's words.",
      ended:
        "What has ended: the key, a secret from before a rotation, all tokens of the panelist, all visitors' tokens of the idea bank, or the " +
        "secret of the webhook or for signing tokens. `null`: it was only marked.",
      secret: "What was found in public, if it was no API key.",
      panelistId: "The panelist whose token it was, or whose data was exported.",
      ideaBankId: "The idea bank of the visitor's token or the signing secret.",
      webhookId: "The webhook whose secret it was.",
      leakedKeys: LEAKED,
      region: "Where a new key's limit is counted. `null`: near its first use.",
      url: "Where a webhook's changes are sent, of a `slack` webhook the host and the last four characters; or the page that shows an idea bank; empty for none.",
      types: "The types of changes that a webhook is sent. `null` for all.",
      format: "What a webhook is sent: `standard` or `slack`.",
      place: "The number of the last change in the log that a webhook was sent, or has passed over.",
      status: "The status of an idea bank, a proposal or a survey.",
      internal: "Of an idea bank, as the fourteen after it.",
      changelogEnabled: "Whether the changelog can be read.",
      changelogMaxEntries: "The number of entries that the changelog shows at most.",
      submissionsEnabled: "Whether panelists can submit proposals.",
      votingEnabled: "Whether panelists can vote.",
      commentsEnabled: "Whether panelists can comment.",
      surveysEnabled: "Whether panelists can answer surveys.",
      approvalRequired: "Whether proposals wait for approval.",
      publicPage: "Whether it has a public page.",
      hiddenFromSearch: "Whether search engines are asked not to list that page.",
      emailSignIn: "Whether people can sign in there by e-mail.",
      signInUrl: "Your own page where people sign in for it; empty for none.",
      notifiesPeople:
        "Whether people are told of ideas by e-mail. It is also a setting of the account, whose event has no `subject`.",
      language: "The language of these e-mails to people whose own is not known. `null` is English.",
      commentApprovalRequired: "Whether comments wait for approval.",
      externalIdsAreEmails: "Whether every `externalId` of the account is a verified e-mail address.",
      viewersExport: "Whether viewers may export who people are.",
      serviceTokenRoles: "The roles of service tokens with fewer rights than their member.",
      role: "The role of a member, or of somebody who was invited.",
      memberName: "The name of a member. `null` for none.",
      colleague: "The e-mail address of the member whose role or name was changed.",
      ...RECORDED_TEXTS,
      duplicateOf: "The proposal that it was merged into.",
      questions: "Of a survey, as the five after it: how its questions begin.",
      votersOf: "The proposal whose voters are asked. `null`: everybody of the idea bank.",
      anonymous: "Whether nobody can tell who answered what.",
      editable: "Whether an answer can be changed.",
      closesAt: "When it closes by itself. `null`: it does not.",
      maxResponses: "The response that closes it. `null`: none does.",
      maxBytes: "The bytes that the account may store.",
      lastActivityAt: "Its last activity, which is its date in the changelog.",
      by: "Who wrote the comment: `tenant` or `panelist`.",
      body: "How your own comment begins. `null` for a panelist's.",
      active: "Whether the panelist is active.",
      tokensRevokedAt: "Tokens of the panelist from before this time are revoked.",
      clearedAt: "When everything that the panelist had written was deleted, and the panelist was kept, inactive.",
      email:
        "Whether the panelist has an e-mail address, which the event does not have: `given`, `another` than before, or `null` for none.",
      votes: "The votes for a proposal, where a member added or removed one.",
      count: "The number of proposals that were imported.",
      exported: "What a member took out of Account Settings as a file: `person` is all that is stored of one panelist.",
      filter:
        "Of what was exported: the filter, as parameters. Absent: there was none. The words of a search are left out.",
      rows: "How many rows the file was going to have.",
    },
  },
);
export const SettingsChange = describe(z.object({ before: AuditedSettings, after: AuditedSettings }), {
  name: "SettingsChange",
  fields: { before: "The settings before.", after: "The same settings after." },
});
