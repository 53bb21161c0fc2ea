/** On a person's page: the e-mails to this person, and that the mail service refuses the address. */
import { listToldOfPerson, loadUnreachable, type ToldOfPerson } from "../../database/mails/recipients.ts";
import { toTimestamp } from "../../model/text.ts";
import { Time } from "../frame/times.tsx";
import { backTo } from "../frame/visit.ts";
import type { Own } from "../owner-env.ts";

type TellsOfPerson = { readonly mails: readonly ToldOfPerson[]; readonly isUnreachable: boolean };

/** None for another account's person. */
export async function loadTellsOfPerson({ session, accountId }: Own, panelistId: string): Promise<TellsOfPerson> {
  const [mails, isUnreachable] = await Promise.all([
    listToldOfPerson(session, { accountId, panelistId }),
    loadUnreachable(session, { accountId, panelistId }),
  ]);
  return { mails, isUnreachable };
}

/** `waiting` is also an e-mail that the service did not take at the moment. */
const STATES: Readonly<Record<ToldOfPerson["state"], string>> = {
  waiting: "Waiting",
  sending: "Being sent",
  sent: "Sent",
  unknown: "Unknown: the mail service didn’t answer, and it won’t be sent again",
  refused: "Not sent: can’t be reached",
  skipped: "Not sent",
};

/** Nothing for somebody who was never told anything. */
export const ToldPerson = ({ tells: { mails, isUnreachable }, here }: { tells: TellsOfPerson; here: string }) =>
  (mails.length > 0 || isUnreachable) && (
    <section aria-labelledby="emails">
      <h2 id="emails">Emails</h2>
      {isUnreachable && <p class="notice bad">Can’t be reached: the mail service refuses this address.</p>}
      <ol class="events">
        {mails.map(({ ideaBankId, proposalId, title, kind, state, at }) => (
          <li>
            <p>
              <a href={backTo(`/account/idea-banks/${ideaBankId}/ideas/${proposalId}`, here)}>
                <bdi>{title}</bdi>
              </a>
              {kind === "comments" && " (new comments)"}
            </p>
            <p class="hint">
              {STATES[state]}
              {" · "}
              <Time at={toTimestamp(at)} />
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
