/**
 * The address of the page that ends e-mails to a person: signed with a key of the account that never changes, so that it works as long as
 * the e-mail is there. It says who, and of which board and idea; it signs nobody in.
 */
import { type RandomBytes, randomBase62 } from "./base62.ts";
import { constantTimeEqual } from "./constant-time-equal.ts";
import { computeTag, importSigningKey } from "./envelope.ts";

/** 131 bits. */
const KEY_WIDTH = 22;
const TAG_WIDTH = 17;

/** Identifiers. */
type Link = { readonly panelistId: string; readonly ideaBankId: string; readonly proposalId: string };

export const createMailKey = (random: RandomBytes): string => randomBase62(KEY_WIDTH, random);

const joined = ({ panelistId, ideaBankId, proposalId }: Link): string => `${panelistId}/${ideaBankId}/${proposalId}`;

const tagOf = async (link: Link, mailKey: string): Promise<string> =>
  computeTag(TAG_WIDTH, `mail ${joined(link)}`, await importSigningKey(mailKey));

/** Below the origin of boards' pages. */
export const mailPathOf = async (link: Link, mailKey: string): Promise<string> =>
  `/b/mail/${joined(link)}/${await tagOf(link, mailKey)}`;

export const isMailLink = async (link: Link, tag: string, mailKey: string | null): Promise<boolean> =>
  mailKey !== null && constantTimeEqual(tag, await tagOf(link, mailKey));
