/**
 * What is stored by and about one person, table by table, in slices. Every table that names a panelist is here, or on the list of those that
 * are left out, with the reason.
 */
import { toTimestamp } from "../../model/text.ts";
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";

type Section = {
  readonly table: string;
  /** SQL: what is told of a row, by the names that the file has. A name that ends with `At` is a time. */
  readonly fields: Readonly<Record<string, string>>;
  /** SQL: JSON in a text. */
  readonly json?: readonly string[];
  /** SQL about `t`. `:panelistId` is the account's. */
  readonly where: string;
  readonly joined?: string;
  /** Columns that an index has behind those of the condition; together they name one row. */
  readonly order: readonly string[];
};

const IDEA = { ideaBankId: "t.idea_bank_id", ideaId: "t.proposal_id" };

export const SECTIONS = {
  profile: {
    table: "panelists",
    fields: {
      ...{ id: "t.id", externalId: "t.external_id", name: "t.display_name", email: "t.email", language: "t.language" },
      ...{ emailVerified: "iif(t.email_verified, json('true'), json('false'))" },
      ...{
        blocked: "iif(t.active, json('false'), json('true'))",
        unreachableAt: "t.unreachable_at",
        firstSeenAt: "t.created_at",
      },
    },
    json: ["emailVerified", "blocked"],
    where: "t.id = :panelistId",
    order: ["id"],
  },
  ideas: {
    table: "proposals",
    fields: {
      ...{ id: "t.id", ideaBankId: "t.idea_bank_id", title: "t.title", description: "t.description" },
      ...{
        asSubmitted: "t.submitted",
        status: "t.status",
        visibility: "t.visibility",
        tags: "t.tags",
        metadata: "t.metadata",
      },
      ...{ externalId: "t.external_id", response: "t.response", votes: "t.votes", mergedInto: "t.duplicate_of" },
      ...{ createdAt: "t.created_at", lastActivityAt: "t.last_activity_at" },
    },
    json: ["asSubmitted", "tags", "metadata"],
    where: "t.author_id = :panelistId AND t.idea_bank_id <> t.id",
    order: ["idea_bank_id", "created_at", "id"],
  },
  comments: {
    table: "comments",
    fields: { id: "t.id", ...IDEA, text: "t.body", createdAt: "t.created_at" },
    where: "t.panelist_id = :panelistId",
    order: ["idea_bank_id", "created_at", "id"],
  },
  votes: {
    table: "votes",
    fields: { ...IDEA, votedAt: "t.created_at" },
    where: "t.panelist_id = :panelistId",
    order: ["idea_bank_id", "created_at", "proposal_id"],
  },
  surveyResponses: {
    table: "survey_responses",
    fields: {
      ...{ surveyId: "t.survey_id", survey: "s.title", questions: "s.questions", answers: "t.answers" },
      ...{ answeredAt: "t.created_at", changedAt: "t.updated_at" },
    },
    json: ["questions", "answers"],
    where: "t.respondent = :panelistId",
    joined: "LEFT JOIN surveys s ON s.id = t.survey_id",
    order: ["created_at", "survey_id"],
  },
  follows: {
    table: "follows",
    fields: { ...IDEA, followsAt: "t.created_at" },
    where: "t.panelist_id = :panelistId",
    order: ["proposal_id"],
  },
  notesOfTheTeam: {
    table: "notes",
    fields: { text: "t.body", createdAt: "t.created_at" },
    where: "t.panelist_id = :panelistId",
    order: ["created_at", "id"],
  },
  emailsSent: {
    table: "recipients",
    fields: {
      ...{ email: "t.email", ideaBankId: "t.idea_bank_id", ideaId: "o.proposal_id", about: "o.kind" },
      ...{ state: "t.state", changedAt: "t.changed_at" },
    },
    where: "t.panelist_id = :panelistId",
    joined: "LEFT JOIN outbox o ON o.id = t.outbox_id",
    order: ["outbox_id", "email"],
  },
  emailsMuted: {
    table: "mutes",
    fields: { email: "t.email", scopeId: "t.scope_id", mutedAt: "t.created_at" },
    where:
      "t.account_id = :accountId AND t.email = (SELECT email FROM panelists WHERE id = :panelistId AND account_id = :accountId)",
    order: ["scope_id"],
  },
  tokens: {
    table: "panelists",
    fields: {
      ...{ mayHaveTokens: "iif(t.tokens_issued, json('true'), json('false'))", revokedUpToAt: "t.tokens_revoked_at" },
    },
    json: ["mayHaveTokens"],
    where: "t.id = :panelistId AND (t.tokens_issued = 1 OR t.tokens_revoked_at IS NOT NULL)",
    order: ["id"],
  },
} as const satisfies Readonly<Record<string, Section>>;

type SectionName = keyof typeof SECTIONS;
export const SECTION_NAMES = Object.keys(SECTIONS) as readonly SectionName[];

/** Tables that name a panelist, or hold an address, and are not in the file. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  survey_texts: "the texts are in the responses",
  survey_former: "of anonymous surveys, in which nobody is named",
  token_revocations: "its date is that of the panelist",
  proposal_words: "the words are in the titles",
  proposal_terms: "the words are in the titles and texts",
  change_log: "numbers what is told here, for the tenant's server",
  audit_events: "what the team did; of the person's texts it has beginnings of those that are told here",
  proposal_steps: "what the texts of the ideas that are told here were before",
  undo_texts: "gone within minutes",
  idempotency_keys: "gone within a day: a hash of a request, and its answer's identifiers",
  sign_in_codes: "gone within a day: codes, of people who may not be this one",
};

const ROWS = 500;

/** Readable: times in ISO 8601, nothing as JSON in a text. */
export type StoredRow = Readonly<Record<string, unknown>>;
export type StoredPage = {
  readonly items: readonly StoredRow[];
  readonly next: readonly (string | number)[] | undefined;
};

/** A slice of what is stored in this section of the account's panelist, after the last page's `next`. */
export async function readStored(
  session: Session,
  { accountId, panelistId }: { readonly accountId: string; readonly panelistId: string },
  { name, after }: { readonly name: SectionName; readonly after: StoredPage["next"] },
): Promise<StoredPage> {
  const { table, fields, json = [], where, joined = "", order }: Section = SECTIONS[name];
  const key = order.map((column) => `t.${column}`);
  const sql = `SELECT ${Object.entries(fields).map(([field, of]) => `${of} AS ${field}`)}, json_array(${key}) AS place
    FROM ${table} t ${joined} WHERE ${where} AND +t.account_id = :accountId
    AND EXISTS (SELECT 1 FROM panelists w WHERE w.id = :panelistId AND w.account_id = :accountId AND w.deleted_at IS NULL)
    ${after === undefined ? "" : `AND (${key}) > (${order.map((_, index) => `:after${index}`)})`} ORDER BY ${key} LIMIT ${ROWS}`;
  const position = Object.fromEntries((after ?? []).map((value, index) => [`after${index}`, value]));
  const rows = await session.all(
    prepare<Record<string, string | number | null> & { place: string }>(sql, { accountId, panelistId, ...position }),
  );
  const last = rows.length === ROWS ? rows.at(-1) : undefined;
  return { items: rows.map((row) => toReadable(row, json)), next: last && JSON.parse(last.place) };
}

const toReadable = ({ place: _, ...row }: Record<string, string | number | null>, json: readonly string[]): StoredRow =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (json.includes(name)) return [name, value === null ? null : JSON.parse(String(value))];
      return [name, name.endsWith("At") && typeof value === "number" ? toTimestamp(value) : value];
    }),
  );
