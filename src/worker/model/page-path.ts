/**
 * The addresses of a board's public page: `/b/<id>/<name>`. The identifier decides; the name is there to be read, so a link to another
 * name leads to the page, too. Pure.
 */

type Named = { readonly id: string; readonly name: string };

/** In characters. Letters of other scripts take up to nine times as many bytes in an address. */
const LONGEST = 60;

/** Stands for the name where none of its characters can, so that what follows it stays in its place. */
const NAMELESS = "-";

/** What the page itself has below the identifier (public-page/app.ts): no name may hide it. */
const OWN_PATHS = ["session", "sign-in", "sign-out", "signed-in", "token"] as const;

/**
 * The words of a name, lower-cased and joined by `-`: empty if it has no letter and no digit. Latin letters lose their accents, which
 * people don't type; in other scripts a mark makes another letter, and stays.
 */
function slugOf(name: string): string {
  const [first = "", ...words] =
    name
      .normalize("NFKD")
      .toLowerCase()
      .replace(/['’\p{DI}]/gu, "")
      .replace(/(\p{Script=Latin})\p{M}+/gu, "$1")
      .normalize("NFC")
      // Letters and digits of any script, with what changes them. A keycap or a circle around a digit belongs to an emoji.
      .match(/[\p{L}\p{N}][\p{L}\p{N}\p{Mn}\p{Mc}]*/gu) ?? [];
  let slug = [...first].slice(0, LONGEST).join("");
  for (const word of words) {
    const longer = `${slug}-${word}`;
    if ([...longer].length > LONGEST) break;
    slug = longer;
  }
  return (OWN_PATHS as readonly string[]).includes(slug) ? `${slug}-board` : slug;
}

/** Percent-encoded, as the request's path has it. */
export function pagePathOf({ id, name }: Named): string {
  const slug = slugOf(name);
  return `/b/${id}${slug && `/${encodeURIComponent(slug)}`}`;
}

/** The path of what is on the page beside its first tab: `/b/<id>/<name>/roadmap`. */
export const partPathOf = (board: Named, part: string): string =>
  `/b/${board.id}/${encodeURIComponent(slugOf(board.name)) || NAMELESS}/${part}`;

export const ideaPathOf = (board: Named, proposalId: string): string => partPathOf(board, `ideas/${proposalId}`);
