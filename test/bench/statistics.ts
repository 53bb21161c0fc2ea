/** Statistics of repeated measurements. */

export type Spread = { readonly median: number; readonly min: number; readonly max: number };

/** Throws a RangeError for no values. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((left, right) => left - right);
  const [min] = sorted;
  const max = sorted.at(-1);
  if (min === undefined || max === undefined) throw new RangeError("nothing was measured");
  const middle = (sorted.length - 1) / 2;
  const median = ((sorted[Math.floor(middle)] ?? min) + (sorted[Math.ceil(middle)] ?? max)) / 2;
  return { median, min, max };
}

/** The same of the half in the middle: what disturbs single values does not show. */
export function middleHalfOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((left, right) => left - right);
  const quarter = Math.floor(sorted.length / 4);
  return spreadOf(sorted.slice(quarter, sorted.length - quarter));
}
