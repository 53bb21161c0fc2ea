/** How a name is drawn where there is no picture: its initials, on a color that follows from it. */

/** As many as each style sheet has. */
const HUES = 12;

type Face = { readonly initials: string; readonly hue: number };

export function faceOf(name: string): Face {
  const words = name.trim().split(/\s+/);
  const initials = [words[0], words.length > 1 && words.at(-1)].map((word) => [...(word || "")][0] ?? "");
  const hue = Array.from(name).reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 360, 0);
  return { initials: initials.join(""), hue: hue % HUES };
}
