/** `/account/accounts`: the accounts that the visitor is a member of, to choose from, and the invitations to others. */
import type { Invitation, OwnAccount } from "../../model/member.ts";
import { Outcome } from "../frame/done.tsx";
import { Answer, Invitations } from "../frame/invitations.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import type { Told } from "../frame/visit.ts";
import { accountInWords } from "../frame/words.ts";

type Props = {
  readonly frame: Frame;
  readonly own: readonly OwnAccount[];
  readonly invitations: readonly Invitation[];
  /** The cursor of the next page of invitations. */
  readonly more: string | undefined;
  readonly told: Told | undefined;
  readonly now: number;
};

export const AccountsPage = ({ frame, own, invitations, more, told, now }: Props) => (
  <Layout title="Account" current="accounts" {...frame}>
    <Outcome told={told} />
    <Invitations invitations={invitations} now={now} />
    {more && (
      <p>
        <a href={`/account/accounts?cursor=${more}`}>Older invitations</a>
      </p>
    )}
    {own.length > 1 && <p class="lead">This browser opens the account you used last.</p>}
    <ul class="events members">
      {own.map(({ id, name }) => (
        <li>
          <p>
            <strong>{accountInWords(name)}</strong>
            {name === (frame.account ?? frame.email) && " (this one)"}
          </p>
          <Answer id={id} answers={[["open", `Open`, `Open ${accountInWords(name)}`]]} />
        </li>
      ))}
    </ul>
    <section aria-labelledby="sign-out">
      <h2 id="sign-out">Sign out everywhere</h2>
      <p>
        Ends all your sessions, in every browser, and unused sign-in links. Cloudflare Access sessions continue: sign
        out of Access separately.
      </p>
      <form method="post" action="/account/sign-out-everywhere">
        <button type="submit">Sign out everywhere</button>
      </form>
    </section>
  </Layout>
);
