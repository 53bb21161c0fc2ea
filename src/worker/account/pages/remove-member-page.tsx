/** The confirmation before a member is removed. */
import type { Member } from "../../model/member.ts";
import { type Frame, Layout } from "./layout.tsx";

export const RemoveMemberPage = ({ frame, member, person }: { frame: Frame; member: Member; person: string }) => (
  <Layout title={`Remove ${member.email}?`} current="members" {...frame}>
    <p>
      {member.email === person
        ? "This is you. When it is done, you can do nothing more for this account. Another member can add you again."
        : "When it is done, this person can do nothing more for this account. Any member can add the person again."}
    </p>
    <p>The keys and the webhooks of the account stay as they are.</p>
    <form method="post" action={`/account/members/${member.id}/remove`} class="confirm">
      <button type="submit" class="danger">
        Remove this member
      </button>
      <a href="/account/members">Keep</a>
    </form>
  </Layout>
);
