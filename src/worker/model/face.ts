/** How a name is drawn where there is no picture: its initials, on a color that follows from it. */

/** As many as each style sheet has. */
const HUES = 12;

type Face = { readonly initials: string; readonly hue: number };

/** As wide as two letters: one of them fills the place. */
const WIDE = /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Hang}\p{ExtPict}]/u;

export function faceOf(name: string): Face {
  const words = name.trim().split(/\s+/);
  const isShort = words.length < 2 || WIDE.test(name.trim());
  const initials = [words[0], isShort ? "" : words.at(-1)].map((word) => [...(word ?? "")][0] ?? "");
  const hue = Array.from(name).reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 360, 0);
  return { initials: initials.join(""), hue: hue % HUES };
}
