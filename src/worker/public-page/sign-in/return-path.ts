/** Where somebody comes back to after signing in: a page of this board, and nothing else. Pure. */

const LONGEST = 2_000;
/** What would only begin to sign in again. */
const NO_PAGE = /^\/(?:sign-in|signed-in|sign-out|session|token)(?:\/|$)/;

/** The path as a browser reads it, if it is one of this board's; otherwise undefined. Anybody can write a link to the sign-in. */
export function readReturn(text: string | undefined, ideaBankId: string): string | undefined {
  const own = `/b/${ideaBankId}`;
  if (text === undefined || text.length > LONGEST || !text.startsWith(own) || isHostile(text)) return undefined;
  const base = "https://pages.invalid";
  if (!URL.canParse(text, base)) return undefined;
  const { origin, pathname, search, hash } = new URL(text, base);
  const rest = pathname.slice(own.length);
  // Dots in a path may lead out of it, and the parser has followed them.
  if (origin !== base || !pathname.startsWith(own) || !/^(?:\/|$)/.test(rest) || NO_PAGE.test(rest)) return undefined;
  return pathname + search + hash;
}

/** Whether the text, or what it stands for, has a backslash or a control character, which browsers and servers read differently. */
function isHostile(text: string): boolean {
  try {
    return [text, decodeURIComponent(text)].some((each) => /[\\\p{Cc}]/u.test(each));
  } catch {
    return true;
  }
}
