/** Finds the links in texts that people write (pure). */

/**
 * A URL ends at white space, quotation marks and characters that no address contains: control and direction characters, and the
 * marks that end a sentence or a quotation in scripts without spaces.
 */
const URLS = /\bhttps?:\/\/[^\s<>"“”«»\p{C}、。「」『』【】！（），：；？]+/giu;
/** A longer one is no address that people use, and finding its end would take long. */
const LONGEST = 2_000;
/** These belong to the sentence around the link. */
const ENDS_SENTENCE = /[.,;:!?'’…*_~\]}]$/u;

/** A closing bracket belongs to the address only where its opening one does. */
const isTooLong = (url: string): boolean =>
  ENDS_SENTENCE.test(url) || (url.endsWith(")") && url.split(")").length > url.split("(").length);

/** The text in pieces, in their order: texts and links by turns, so that every second piece is a link. */
export function splitLinks(text: string): string[] {
  const pieces: string[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(URLS)) {
    if (found.length > LONGEST) continue;
    let url = found;
    while (isTooLong(url)) url = url.slice(0, -1);
    if (!URL.canParse(url)) continue;
    pieces.push(text.slice(end, index), url);
    end = index + url.length;
  }
  return [...pieces, text.slice(end)];
}
