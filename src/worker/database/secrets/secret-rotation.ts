/**
 * The one rule for every secret that is rotated: an API key's, a webhook's, and the one that signs tokens. Rotating again, as when the
 * first answer was lost, ends no secret that may be in use.
 *
 * - The secret that was the newest works until the end of the grace.
 * - An API key's gate knows which secret was used. While nothing has used the newest one and the one before is in its grace, the newest
 *   one gives way: it ends, and the one before keeps its grace. When the newest one was used, the one before ends.
 * - Who uses the other secrets cannot be known, so each one keeps the grace that it was promised. When `MAX_EARLIER` are in their grace,
 *   the newest one gives way, because it was promised nothing yet.
 * - A rotation without a grace ends every earlier secret, as after a leak.
 */

/** At most this many earlier secrets of a webhook or an idea bank work at a time. */
const MAX_EARLIER = 4;

/**
 * Columns, or expressions of SQL. `older` is a JSON array of `[secret, until]`: the secrets before the previous one. An API key has
 * none.
 */
type Secrets = {
  readonly newest: string;
  readonly previous: string;
  readonly previousUntil: string;
  readonly older?: string;
};

/** The times are expressions of SQL in Unix milliseconds. `until` is NULL for a rotation without a grace. */
type Terms = { readonly until: string; readonly now: string; readonly isUnused?: string };

/** SQL: every earlier secret that still works, as a JSON array of `[secret, until]`. */
export const earlierOf = (
  { previous, previousUntil, older }: Secrets,
  now: string,
) => `(SELECT json_group_array(json(value)) FROM (
  SELECT value FROM json_each(coalesce(${older}, '[]')) WHERE value ->> 1 > ${now}
  UNION ALL SELECT json_array(${previous}, ${previousUntil}) WHERE ${previousUntil} > ${now}))`;

/** SQL: the values of these columns after a rotation. */
export function afterRotation(secrets: Secrets, { until, now, isUnused = "FALSE" }: Terms) {
  const { newest, previous, previousUntil, older } = secrets;
  const listed = earlierOf(secrets, now);
  const givesWay =
    older === undefined
      ? `(${previousUntil} > ${now} AND ${isUnused})`
      : `json_array_length(${listed}) >= ${MAX_EARLIER}`;
  const inGrace = (value: string) => `iif(${until} IS NULL, NULL, ${value})`;
  return {
    // A list takes the previous secret in either case.
    previous: inGrace(`iif(${givesWay}, ${older === undefined ? previous : "NULL"}, ${newest})`),
    previousUntil: inGrace(
      `iif(${givesWay}, ${older === undefined ? `max(${previousUntil}, ${until})` : "NULL"}, ${until})`,
    ),
    older: inGrace(listed),
    givesWay,
  };
}
