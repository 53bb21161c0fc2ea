/** The whole activity of an account, for the operator of the deployment: rows as they are stored, oldest first. */
import type { Session } from "../../store/session.ts";
import { prepare } from "../../store/statement.ts";

/** A page has so many events. */
const PAGE = 1_000;

export type StoredEvent = {
  readonly id: string;
  readonly event: string;
  readonly apiKeyId: string | null;
  readonly apiKeyName: string;
  readonly webhookId: string | null;
  readonly subjectId: string | null;
  readonly actor: string | null;
  readonly address: string | null;
  readonly createdAt: number;
  /** JSON, as it is stored: times are Unix milliseconds. */
  readonly changes: string | null;
};

/** Names the last row of a page. */
export type AfterEvent = { readonly createdAt: number; readonly id: string };

/** `next` is undefined on the last page. */
export async function listWholeActivity(
  session: Session,
  { accountId, after }: { readonly accountId: string; readonly after: AfterEvent | undefined },
): Promise<{ readonly events: readonly StoredEvent[]; readonly next: AfterEvent | undefined }> {
  const events = await session.all(
    prepare<StoredEvent>(
      `SELECT id, event, api_key_id AS apiKeyId, api_key_name AS apiKeyName, webhook_id AS webhookId, subject_id AS subjectId, actor, address,
         created_at AS createdAt, changes
       FROM audit_events WHERE account_id = :accountId AND (created_at, id) > (:at, :id) ORDER BY created_at, id LIMIT ${PAGE}`,
      { accountId, at: after?.createdAt ?? -1, id: after?.id ?? "" },
    ),
  );
  const last = events.at(-1);
  return {
    events,
    next: last && events.length === PAGE ? { createdAt: last.createdAt, id: last.id } : undefined,
  };
}
