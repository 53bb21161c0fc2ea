/** `/account/accounts`: the accounts that the visitor is a member of, to choose from. The choice is in the URL. */
import type { OwnAccount } from "../../model/member.ts";
import { type Frame, Layout } from "./layout.tsx";

type Props = { readonly frame: Frame; readonly own: readonly OwnAccount[] };

export const AccountsPage = ({ frame, own }: Props) => (
  <Layout title="Accounts" current="accounts" {...frame}>
    <ul class="events">
      {own.map(({ id, name }) => (
        <li>
          <a href={`/account/api-keys?account=${id}`}>{name}</a>
          {name === (frame.account ?? frame.email) && " (this one)"}
        </li>
      ))}
    </ul>
  </Layout>
);
