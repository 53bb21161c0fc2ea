/** Faults of a file, shorter: a wrong column has the same one in each row. */
const NAMED_AT_MOST = 3;
const QUOTED = /"(?:[^"\\]|\\.)*"/g;

/** The place of a fault, and what it says. */
const partsOf = (fault: string): readonly [place: string, says: string] => {
  const [, place = "", says = fault] = /^(.*?): (.*)$/s.exec(fault) ?? [];
  return [place, says];
};

/** Faults that say the same of several places, as one: "line 2, line 5, line 9 and 4 more: …". What is quoted may differ: the first is shown. */
export const alike = (faults: readonly string[]): readonly string[] =>
  [...Map.groupBy(faults, (fault) => partsOf(fault)[1].replaceAll(QUOTED, '""')).values()].map((same) => {
    const [first = ""] = same;
    const more = same.length - NAMED_AT_MOST;
    const places = same.slice(0, NAMED_AT_MOST).map((fault) => partsOf(fault)[0]);
    return same.length === 1
      ? first
      : `${places.join(", ")}${more > 0 ? ` and ${more} more` : ""}: ${partsOf(first)[1]}`;
  });
