/**
 * Every place that can hold a panelist's words or identity, by its column, and how a deletion of the panelist reaches it. Every column of
 * the schema with a text is on one of the two lists.
 */
import { env } from "cloudflare:workers";

/**
 * `name`: who the person is, and what the person has answered or had written before; gone once the deletion is answered. `words`: what the person wrote; gone with `content=delete`. `minutes`
 * and `day`: both; gone by age. Every other column of a text is in `NONE`.
 */
export type Reached = "name" | "words" | "minutes" | "day";
export const PLACES: Readonly<Record<string, Reached>> = {
  "panelists.external_id": "name",
  "panelists.display_name": "name",
  "panelists.email": "name",
  "panelists.mailbox": "name",
  "sign_in_codes.email": "day",
  "recipients.email": "name",
  "mutes.email": "name",
  "proposals.title": "words",
  "proposals.description": "words",
  "proposals.words": "words",
  "proposals.submitted": "words",
  "proposals.title_terms": "words",
  "proposals.text_terms": "words",
  "proposal_words.word": "words",
  "proposal_terms.term": "words",
  "survey_responses.answers": "name",
  "survey_texts.text": "name",
  "comments.body": "words",
  "notes.body": "name",
  "audit_events.api_key_name": "words",
  "audit_events.changes": "words",
  "proposal_steps.changes": "name",
  "undo_texts.before": "minutes",
  "undo_texts.after": "minutes",
  "idempotency_keys.key": "day",
};

/** No text of a panelist. Identifiers, hashes, words of a closed list; then what the tenant, its members and the operator write. */
export const NONE = `
  accounts: id status panelist_salt owner_email mail_key owner_name owner_role service_token_roles
  owners: email account_id
  members: id account_id email added_by name role
  invitations: id account_id email added_by role
  told_members: account_id email time_zone
  member_mails: account_id email idea_bank_id ideas comments
  memberships: email account_id
  invitees: email account_id
  invited: email account_id
  sign_ins: id email return_to
  sign_in_codes: id account_id idea_bank_id browser mailbox sender code
  subjects: subject email
  api_keys: id account_id secret_hash last_four previous_secret_hash scopes region allowed_addresses seen name created_by
  api_key_usage: api_key_id operations
  audit_events: id account_id event api_key_id webhook_id subject_id idea_bank_id author_id actor address
  kept_events: account_id event_id
  undo_texts: event_id account_id
  idempotency_keys: account_id request_hash outcome
  surveys: id account_id status title description url external_id idea_bank_id thanks questions voters_of salt totals shown_totals
  survey_responses: survey_id respondent account_id counted revision
  survey_texts: survey_id question_id place
  survey_former: survey_id id counted
  panelists: id account_id language
  token_revocations: account_id panelist_id
  idea_banks: id account_id status signing_older name url description sign_in_url language
  signing_secrets: hash account_id idea_bank_id
  deleted_idea_banks: id account_id idea_bank_id
  proposals: id account_id idea_bank_id author_id status visibility duplicate_of response external_id metadata tags assignee private_tags
  proposal_words: idea_bank_id proposal_id
  proposal_terms: idea_bank_id proposal_id
  merges: source_id target_id account_id idea_bank_id
  votes: proposal_id panelist_id account_id idea_bank_id
  comments: id visibility account_id idea_bank_id proposal_id panelist_id
  outbox: account_id idea_bank_id proposal_id kind actor status_before found_after
  recipients: account_id idea_bank_id panelist_id state
  follows: proposal_id panelist_id account_id idea_bank_id
  mutes: account_id scope_id
  mail_days: account_id
  mail_stops: reason
  proposal_tags: idea_bank_id tag visibility status proposal_id
  idea_bank_tags: idea_bank_id tag
  proposal_private_tags: account_id tag proposal_id
  account_private_tags: account_id tag
  notes: id account_id proposal_id panelist_id author_id named
  member_outbox: account_id member_id subject_id kind actor
  writing_members: account_id member_id proposal_id
  change_log: account_id type idea_bank_id proposal_id comment_id panelist_id actor survey_id event_id api_key_id
  webhooks: id account_id url types secret previous_secret state recent created_by older_secrets format
  acting_keys: account_id api_key_id
  acting_members: account_id member_id actor
  proposal_steps: proposal_id account_id member_id actor api_key_id author_id`
  .trim()
  .split("\n")
  .flatMap((line) => {
    const [table = "", columns = ""] = line.trim().split(": ");
    return columns.split(" ").map((column) => `${table}.${column}`);
  });

/** As `table.column`. */
export async function textColumns(): Promise<string[]> {
  const { results } = await env.DB.prepare(
    `SELECT t.name || '.' || c.name AS name FROM sqlite_schema t CROSS JOIN pragma_table_info(t.name) c
     WHERE t.type = 'table' AND t.name NOT GLOB '_cf_*' AND t.name NOT GLOB 'sqlite_*' AND c.type = 'TEXT'`,
  ).all<{ name: string }>();
  return results.map(({ name }) => name);
}
