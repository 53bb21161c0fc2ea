/** A panelist's e-mail address as its columns have it. Given by the tenant it is no proof: only a code on a board's page verifies one. */
import { mailboxOf } from "../../model/mailbox.ts";

/** SQL: what follows for the row from `email = :email`. The address that the row has already stays as verified as it is. */
export const ADDRESS_FOLLOWS = ["mailbox = :mailbox", "email_verified = iif(email IS :email, email_verified, 0)"];

/** The values of `:email`, in plain form, and of `:mailbox`. */
export const addressValues = (email: string | null | undefined) => ({
  email,
  mailbox: email == null ? null : mailboxOf(email),
});
