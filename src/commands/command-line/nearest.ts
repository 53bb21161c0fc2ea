/** A word that no command knows, and the known one that was probably meant. */

/** The number of letters to add, drop or change until one word is the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [column, otherLetter] of [...other].entries())
      next.push(
        Math.min(
          (row[column] ?? 0) + Number(letter !== otherLetter),
          (row[column + 1] ?? 0) + 1,
          (next[column] ?? 0) + 1,
        ),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** Names the nearest of `words`, unless none is near. `noun`: such as "option ". */
export function unknownWord(word: string, words: readonly string[], noun = ""): string {
  const nearest = words.toSorted((one, other) => distance(word, one) - distance(word, other))[0];
  const isNear = nearest !== undefined && distance(word, nearest) <= Math.ceil(nearest.length / 3);
  return `There is no ${noun}\`${word}\`.${isNear ? ` Did you mean \`${nearest}\`?` : ""}`;
}
