/** Words as they are compared: "In_Progress", "in-progress" and "IN PROGRESS" are equal, and so are "März" and "marz". */
export const folded = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("ı", "i")
    .replaceAll("ł", "l")
    .replaceAll("’", "'")
    .replaceAll(/[\s_.-]+/g, " ")
    .trim();
