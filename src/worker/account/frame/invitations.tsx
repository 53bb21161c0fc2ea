/** The invitations to other accounts, on the pages that a person sees first. */
import type { Invitation } from "../../model/member.ts";
import { Time } from "./times.tsx";
import { accountInWords } from "./words.ts";

type Props = { readonly invitations: readonly Invitation[] };

/** Nobody is a member before accepting. */
export const Invitations = ({ invitations }: Props) =>
  invitations.length > 0 && (
    <section aria-labelledby="invitations">
      <h2 id="invitations">Invitations</h2>
      <ul class="events members">
        {invitations.map(({ id, name, invitedBy, createdAt, expiresAt }) => (
          <li>
            <div>
              <p>
                <strong>{invitedBy}</strong>
                {` invited you to ${name === invitedBy ? "their account" : accountInWords(name)}.`}
              </p>
              <p class="hint">
                <Time at={createdAt} />
                {" · expires "}
                <Time at={expiresAt} />
              </p>
            </div>
            <Answer
              id={id}
              answers={[
                ["accept", "Accept", `Accept the invitation to ${accountInWords(name)}`],
                ["decline", "Decline", `Decline the invitation to ${accountInWords(name)}`],
              ]}
            />
          </li>
        ))}
      </ul>
    </section>
  );

type AnswerProps = {
  /** The id of the account, or of the invitation. */
  readonly id: string;
  readonly answers: readonly (readonly [does: string, label: string, described: string])[];
};

export const Answer = ({ id, answers }: AnswerProps) => (
  <form method="post" action="/account/accounts" class="actions">
    <input type="hidden" name="id" value={id} />
    {answers.map(([does, label, described]) => (
      <button type="submit" name="do" value={does} aria-label={described}>
        {label}
      </button>
    ))}
  </form>
);
