/** The demo key, seen in use: a week of a nightly export, working hours, and one evening over the limit; and its last requests. */

const HOUR_MS = 3_600_000;
const HOURS = 7 * 24;

/** Counts for the hours before this one, which is the gate's to count. `now` is in Unix milliseconds. */
export function seedUsage(database: D1Database, apiKeyId: string, now: number): D1PreparedStatement[] {
  const thisHour = now - (now % HOUR_MS);
  const hours = Array.from({ length: HOURS }, (_, index) => {
    const hour = thisHour - (index + 1) * HOUR_MS;
    return { hour, ...requestsIn(new Date(hour)) };
  });
  return [
    database
      .prepare(
        `INSERT INTO api_key_usage (api_key_id, hour, admitted, limited, operations)
         SELECT ?1, value ->> 'hour', value ->> 'admitted', value ->> 'limited', value -> 'operations' FROM json_each(?2)`,
      )
      .bind(apiKeyId, JSON.stringify(hours)),
    database
      .prepare("UPDATE api_keys SET last_used_at = ?2, seen = ?3 WHERE id = ?1")
      .bind(apiKeyId, now - 4 * 60_000, JSON.stringify(seenAt(now))),
  ];
}

/** The form in which a key's gate stores it. */
function seenAt(now: number): object {
  const sync = {
    network: "203.0.113.0/24",
    country: "DE",
    userAgent: "crm-sync/2.1 (node 24)",
    operation: "issueToken",
  };
  const script = { network: "2001:db8:12::/48", country: "FR", userAgent: "curl/8.11.0", operation: "listProposals" };
  return { used: { ...sync, at: now - 4 * 60_000 }, refused: { ...script, at: now - 26 * HOUR_MS, reason: "limited" } };
}

function requestsIn(time: Date) {
  const { admitted, limited } = countsIn(time);
  const [issued, listed] = [Math.floor(admitted * 0.7), Math.floor(admitted * 0.2)];
  const operations = {
    issueToken: issued,
    listProposals: listed,
    createPanelist: admitted - issued - listed,
  };
  return { admitted, limited, operations };
}

function countsIn(time: Date): { admitted: number; limited: number } {
  const hour = time.getUTCHours();
  // It is not random, so that an hour always has the same count.
  const jitter = ((time.getTime() / HOUR_MS) * 7919) % 97;
  if (hour === 2) return { admitted: 3_400 + jitter * 9, limited: 0 };
  const isDay = hour >= 7 && hour < 19;
  const isEvening = hour === 17;
  const usual = isDay ? 420 + 260 * Math.sin(((hour - 7) / 12) * Math.PI) + jitter * 4 : 35 + jitter / 2;
  return {
    admitted: Math.round(usual),
    limited: isEvening ? 40 + jitter : 0,
  };
}
