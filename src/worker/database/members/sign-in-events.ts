/** Events of sign-ins by link. They are about a person: each account of which the person is a member has them. */
import { prepare, type Statement } from "../../store/statement.ts";
import { isRecordable } from "../activity/audit-events.ts";

export type SignInEvent = {
  readonly eventId: string;
  readonly event: "signed-in" | "sign-in-link-used-again";
  readonly accountId: string;
  readonly person: string;
  readonly address: string | null;
  /** Unix milliseconds. */
  readonly now: number;
};

/**
 * Nobody knows who used a link again, so such an event has no actor. At most 100 a day are recorded: of sign-ins for a person, of the
 * others for an account.
 */
export const recordSignIn = (values: SignInEvent): Statement =>
  prepare(
    `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at, changes)
     SELECT :eventId, id, :event, NULL, '', iif(:event = 'signed-in', :person, NULL), :address, :now,
       iif(:event = 'signed-in', NULL, json_object('before', json_object(), 'after', json_object('member', :person)))
     FROM accounts WHERE id = :accountId AND NOT EXISTS (SELECT 1 FROM audit_events WHERE id = :eventId)
       AND ${isRecordable("event = :event AND (actor IS :person OR :event <> 'signed-in')", { accountId: ":accountId", now: ":now" })}`,
    values,
  );
