/** Where the addresses in texts end that people write. */

/** Nobody uses a longer address, and finding its end would take long. */
const LONGEST = 2_000;
/** These belong to the sentence around the link. */
const ENDS_SENTENCE = /[.,;:!?'’…*_~\]}]$/u;

/** A closing bracket belongs to the address only where its opening one does. */
const isTooLong = (url: string): boolean =>
  ENDS_SENTENCE.test(url) || (url.endsWith(")") && url.split(")").length > url.split("(").length);

/** The part of a found address that is the link; undefined for text that only looks like one. */
export function linkIn(found: string): string | undefined {
  if (found.length > LONGEST) return undefined;
  let url = found;
  while (isTooLong(url)) url = url.slice(0, -1);
  return URL.canParse(url) ? url : undefined;
}
