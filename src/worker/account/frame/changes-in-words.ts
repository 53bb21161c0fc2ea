/** What an event has changed, in words. */
import type { AuditEvent } from "../../model/audit-event.ts";
import { LANGUAGE_NAMES, languageOf } from "../../model/language.ts";
import { ROLE_NAMES, toRole } from "../../model/role.ts";
import { withoutInvisible } from "../../model/text.ts";
import { timeInWords } from "./times.tsx";
import {
  BANK_STATUSES,
  BANK_SWITCHES,
  CHANGELOG_SWITCH,
  IDEA_STATUSES,
  IDEA_VISIBILITIES,
  rateInWords,
} from "./words.ts";

const SETTING_WORDS: Record<string, string> = {
  name: "Name",
  scopes: "Scopes",
  limit: "Requests",
  windowSeconds: "Seconds",
  rate: "Rate limit",
  expiresAt: "Expires",
  paused: "Paused",
  allowedAddresses: "Allowed addresses",
  member: "Member",
  invited: "Invited",
  foundAt: "Found in",
  ended: "Ended",
  panelistId: "Person",
  ideaBankId: "Board",
  leakedKeys: "Keys found in public",
  publicPage: "Public page",
  hiddenFromSearch: "Hidden from search engines",
  emailSignIn: "Sign-in by email",
  externalIdsAreEmails: "IDs are verified email addresses",
  viewersExport: "Viewers may export people and voters",
  serviceTokenRoles: "Service tokens",
  role: "Role",
  memberName: "Name",
  colleague: "Member",
  notifiesPeople: "People are told by email",
  language: "Language of emails",
  region: "Region",
  url: "URL",
  types: "Types",
  format: "Format",
  place: "Last delivered change",
  status: "Status",
  changelogMaxEntries: "Maximum entries",
  title: "Title",
  description: "Description",
  visibility: "Visibility",
  response: "Official response",
  tags: "Tags",
  duplicateOf: "Merged into",
  maxBytes: "Storage",
  body: "Text",
  active: "Active",
  tokensRevokedAt: "Tokens revoked",
  clearedAt: "Everything they wrote deleted",
  votes: "Votes",
  questions: "Questions",
  thanks: "Thanks",
  audience: "Audience",
  email: "Email address",
  signInUrl: "Sign-in page",
  votersOf: "Audience",
  anonymous: "Anonymous",
  editable: "Answers can be changed",
  closesAt: "Closes",
  maxResponses: "Maximum responses",
  ...Object.fromEntries(Object.entries(BANK_SWITCHES).map(([setting, [name]]) => [setting, name])),
  changelogEnabled: CHANGELOG_SWITCH[0],
};

/** Values that have names of their own. */
const VALUE_WORDS: Record<string, string> = {
  ...IDEA_STATUSES,
  ...Object.fromEntries(
    Object.entries({ ...BANK_STATUSES, ...IDEA_VISIBILITIES }).map(([value, [name]]) => [value, name]),
  ),
};

/** The names of proposals and idea banks, by their identifiers. */
export type Names = ReadonlyMap<string, string>;

/** The setting's name: "Official response". */
export const settingInWords = (name: string): string => SETTING_WORDS[name] ?? name;

export const valueInWords = (name: string, value: unknown, names: Names = new Map()): string => {
  if (typeof value === "string" && names.has(value)) return `“${names.get(value)}”`;
  if (typeof value === "string" && TIMES.includes(name)) return timeInWords(value);
  if (typeof value === "string" && (name === "status" || name === "visibility")) return VALUE_WORDS[value] ?? value;
  if (name === "role") return ROLE_NAMES[toRole(value)];
  if (name === "serviceTokenRoles" && Array.isArray(value))
    return (
      value.map(({ clientId, role }) => `${clientId} (${ROLE_NAMES[toRole(role)]})`).join(", ") || "as their member"
    );
  if (name === "language") return LANGUAGE_NAMES[languageOf(String(value ?? "")) ?? "en"];
  if (name === "maxBytes") return `${Number(value) / 1_048_576} MiB`;
  if (typeof value === "boolean") return value ? "yes" : "no";
  return (Array.isArray(value) ? value.join(", ") : String(value ?? "")) || (EMPTY_WORDS[name] ?? "none");
};

/** A setting and its value: "Status", "Planned". */
export const settingAndValue = (name: string, value: unknown, names: Names): readonly [name: string, value: string] => [
  settingInWords(name),
  withoutInvisible(valueInWords(name, value, names)),
];

const TIMES = ["expiresAt", "tokensRevokedAt", "clearedAt", "closesAt"];

/** Settings that restrict nothing when they are empty. */
const EMPTY_WORDS: Record<string, string> = {
  types: "all",
  allowedAddresses: "any",
  expiresAt: "never",
  region: "where it is first used",
  votersOf: "everybody on the board",
  audience: "everybody on the board",
  closesAt: "never",
};

/** Kept for other readers, or said by the event's first line. */
const NOT_SHOWN = ["lastActivityAt", "secret", "webhookId"];

/** A limit and its window are one setting, if both are known. */
function withRate({
  limit,
  windowSeconds,
  ...side
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (typeof limit === "number" && typeof windowSeconds === "number")
    return { ...side, rate: rateInWords(limit, windowSeconds) };
  return { ...side, ...(limit !== undefined && { limit }), ...(windowSeconds !== undefined && { windowSeconds }) };
}

/** "now Planned (was Submitted)": of a change of the status alone, what follows the idea's title. Undefined for any other change. */
export function statusInWords({ before, after }: NonNullable<AuditEvent["changes"]>): string | undefined {
  const [name, another] = Object.keys(after).filter((each) => !NOT_SHOWN.includes(each));
  if (name !== "status" || another !== undefined || before.status === undefined) return undefined;
  return `now ${valueInWords(name, after.status)} (was ${valueInWords(name, before.status)})`;
}

/** "Requests: 600 → 60. Paused: no → yes." For something new or deleted: "Paused: no.", and the same for what was merged. */
export const changesInWords = (
  { before, after }: NonNullable<AuditEvent["changes"]>,
  names: Names = new Map(),
): string => {
  const sides = [before, after].map(withRate);
  return Object.keys(Object.assign({}, ...sides))
    .filter((name) => !NOT_SHOWN.includes(name))
    .map((name) => {
      const given = sides.filter(
        (side) => name in side && !(name === "duplicateOf" && side[name] === null) && side[name] !== undefined,
      );
      // What people wrote stands among our words, whose direction it must not change.
      const values = given.map((side) => withoutInvisible(valueInWords(name, side[name], names)));
      return `${settingInWords(name)}: ${values.join(" → ")}.`.replace(/([.!?…])\.$/, "$1");
    })
    .join(" ");
};

const ADDRESS_WORDS = { given: "has an email address now", another: "has another email address now" };

/** What was done to a person. Blocking also revokes the tokens, for good. */
export function personInWords({ active, email, clearedAt }: NonNullable<AuditEvent["changes"]>["after"]): string {
  if (clearedAt !== undefined)
    return `${active === false ? "is blocked" : "stays blocked"}, and everything they wrote is deleted`;
  if (email !== undefined) return email === null ? "has no email address any more" : ADDRESS_WORDS[email];
  return active === undefined ? "signed out everywhere" : active ? "unblocked" : "blocked";
}
