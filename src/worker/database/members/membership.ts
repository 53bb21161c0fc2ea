/** Who may act for an account, and in which role, as SQL. Every statement that asks for it takes it from here. */
import type { Owner } from "../../model/account-key.ts";
import type { AccountSettings } from "../../model/api-key-settings.ts";
import { lesserRole, ROLES, type Role, type Standing, toRole } from "../../model/role.ts";
import { ACCOUNT_OF_OWNER } from "../idempotency.ts";

/** The members of the account with this id, an SQL expression. Its creator is one too, with the account's id, unless removed since. */
export const membersOf = (
  account = ":accountId",
): string => `SELECT id, owner_email AS email, NULL AS added_by, created_at, owner_name AS name, owner_role AS role FROM accounts
    WHERE id = ${account} AND owner_email <> id
  UNION ALL SELECT id, email, added_by, created_at, name, role FROM members WHERE account_id = ${account}`;

const atLeast = (minimum: Role): string =>
  `(${ROLES.slice(0, ROLES.indexOf(minimum) + 1)
    .map((role) => `'${role}'`)
    .join(", ")})`;

/**
 * True while the person acts for the account in this role, or in one with more rights. It is checked in the transaction, because a body may
 * come long after its headers, and a role may be taken away between reading and writing. A script (`:actor` is another than the person) has
 * the person's role, or the lesser one that an admin has given it. The account's own identifier counts as an admin: it is nobody's address,
 * and the operator acts under it. Only for more than a viewer the values need `actor`.
 */
export function isMember(account = ":accountId", person = ":person", minimum: Role = "viewer"): string {
  const roles = atLeast(minimum);
  const has = (column: string) => (minimum === "viewer" ? "" : ` AND ${column} IN ${roles}`);
  const isHeldBack = `EXISTS (SELECT 1 FROM accounts t, json_each(t.service_token_roles) s
    WHERE t.id = ${account} AND s.value ->> 'clientId' = :actor AND s.value ->> 'role' NOT IN ${roles})`;
  return `EXISTS (SELECT 1 FROM accounts WHERE id = ${account} AND (id = ${person} OR owner_email = ${person}${has("owner_role")})
    UNION ALL SELECT 1 FROM members WHERE account_id = ${account} AND email = ${person}${has("role")})${minimum === "viewer" ? "" : ` AND NOT ${isHeldBack}`}`;
}

/** The same for an admin of the account of the owner `:email`. */
export const IS_ADMIN = isMember(ACCOUNT_OF_OWNER, ":person", "admin");

/** How many admins the account has. Nobody counts who has only been invited. */
export const ADMINS = `(SELECT count(*) FROM (${membersOf()}) WHERE role = 'admin')`;

/** What `toStanding` reads, of the row `accounts` beside a member's own `role` and `name`. */
export const STANDING = "service_token_roles, viewers_export";

export type StandingRow = {
  readonly role: string;
  readonly name: string | null;
  readonly service_token_roles: string;
  readonly viewers_export: number;
};

/** What the person or script that acts is in the account. */
export function toStanding(
  { role, name, service_token_roles, viewers_export }: StandingRow,
  actor: Owner["actor"],
): Standing {
  const scripts: AccountSettings["serviceTokenRoles"] = JSON.parse(service_token_roles);
  const script = scripts.find(({ clientId }) => clientId === actor);
  return {
    role: script ? lesserRole(toRole(role), toRole(script.role)) : toRole(role),
    name,
    viewersExport: viewers_export === 1,
  };
}
