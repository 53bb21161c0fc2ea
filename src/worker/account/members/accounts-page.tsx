/** `/account/accounts`: the accounts that the visitor is a member of, to choose from, and the invitations to others. */
import type { Invitation, OwnAccount } from "../../model/member.ts";
import { Answer, Invitations } from "../frame/invitations.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";

type Props = {
  readonly frame: Frame;
  readonly own: readonly OwnAccount[];
  readonly invitations: readonly Invitation[];
  /** The cursor of the next page of invitations. */
  readonly more: string | undefined;
  readonly now: number;
};

export const AccountsPage = ({ frame, own, invitations, more, now }: Props) => (
  <Layout title="Accounts" current="accounts" {...frame}>
    <Invitations invitations={invitations} now={now} />
    {more && (
      <p>
        <a href={`/account/accounts?cursor=${more}`}>Older invitations</a>
      </p>
    )}
    {own.length > 1 && <p class="lead">The account that you open is the one that this browser opens next time.</p>}
    <ul class="events members">
      {own.map(({ id, name }) => (
        <li>
          <p>
            <strong>{name}</strong>
            {name === (frame.account ?? frame.email) && " (this one)"}
          </p>
          <Answer id={id} answers={[["open", `Open`, `Open ${name}`]]} />
        </li>
      ))}
    </ul>
    <section aria-labelledby="sign-out">
      <h2 id="sign-out">Sign out everywhere</h2>
      <p>
        Ends every session that a sign-in link began, in every browser, and links that nobody has used yet. It doesn't
        end a session of Cloudflare Access: sign out of Access for that.
      </p>
      <form method="post" action="/account/sign-out-everywhere">
        <button type="submit">Sign out everywhere</button>
      </form>
    </section>
  </Layout>
);
