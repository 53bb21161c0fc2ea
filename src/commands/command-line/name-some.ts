/** In words: "a, b, c, d, e, and 2 more". */
export const nameSome = (names: readonly string[]): string =>
  `${names.slice(0, 5).join(", ")}${names.length > 5 ? `, and ${names.length - 5} more` : ""}`;
