/** E-mail addresses of people: who signs in on a board's page, and who is told. Pure. */

/** RFC 5321: the local part and the whole. */
const MAX_LOCAL = 64;
export const MAX_ADDRESS_LENGTH = 254;
/** An atom of RFC 5322, with dots. Quoted local parts are as good as unused, and this leaves no way into a header. */
const LOCAL = /^[a-z\d!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z\d!#$%&'*+/=?^_`{|}~-]+)*$/;
const DOMAIN = /^(?=.{1,253}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+(?:[a-z][a-z\d-]{0,61}[a-z\d])$/;

/**
 * The address in lower case with its domain as DNS has it; undefined for a text that is none. Mail goes to exactly this text, so whoever
 * reads the mail owns it, also where a server tells `Ana` from `ana`.
 */
export function readAddress(typed: string): string | undefined {
  if (typed.length > 2 * MAX_ADDRESS_LENGTH) return undefined;
  const text = typed
    .normalize("NFKC")
    .trim()
    .replace(/^mailto:/i, "");
  const at = text.lastIndexOf("@");
  // Checked before lower-casing: the lower case of the Kelvin sign is a `k`. NFKC has folded it already; others may come.
  const local = /^[\x21-\x7e]*$/.test(text.slice(0, at)) ? text.slice(0, at).toLowerCase() : "";
  const domain = toDomain(text.slice(at + 1));
  if (at < 1 || domain === undefined || local.length > MAX_LOCAL || !LOCAL.test(local)) return undefined;
  const address = `${local}@${domain}`;
  return address.length > MAX_ADDRESS_LENGTH ? undefined : address;
}

/** An international domain in Punycode. A URL's parser has the rules of IDNA (UTS #46), and reads hosts of numbers as IP addresses. */
function toDomain(text: string): string | undefined {
  if (/[\s\p{Cc}:/\\?#@[\]%]/u.test(text) || !URL.canParse(`https://${text}`)) return undefined;
  const { hostname } = new URL(`https://${text}`);
  return DOMAIN.test(hostname) ? hostname : undefined;
}

/** An address from `readAddress` without its `+tag`. */
export const withoutTag = (address: string): string => address.replace(/(?<=.)\+.*(?=@)/, "");

const IGNORES_DOTS: Readonly<Record<string, string>> = { "gmail.com": "gmail.com", "googlemail.com": "gmail.com" };

/**
 * The mailbox behind an address from `readAddress`, as far as its spelling tells: without `+tag`, at Google's without dots. Blocks and limits go
 * by it; people never do.
 */
export function mailboxOf(address: string): string {
  const plain = withoutTag(address);
  const at = plain.lastIndexOf("@");
  const google = IGNORES_DOTS[plain.slice(at + 1)];
  return google === undefined ? plain : `${plain.slice(0, at).replaceAll(".", "")}@${google}`;
}
