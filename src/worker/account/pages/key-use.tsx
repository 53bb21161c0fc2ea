/** Who uses a key, and what for: its last requests, and how each operation was answered. What clients have sent is text. */
import type { ApiKeyUsage, OperationCount, RefusedRequest, SeenRequest } from "../../model/api-key-usage.ts";
import { Fact } from "./key-facts.tsx";
import { countryInWords, number } from "./key-words.ts";
import { Time } from "./times.tsx";

const REASONS: Readonly<Record<RefusedRequest["reason"], string>> = {
  limited: "over its limit",
  paused: "paused",
  address: "not an allowed address",
  expired: "expired",
  revoked: "revoked",
  "wrong-secret": "a secret from before a rotation",
};

type LastUsesProps = { readonly usage: ApiKeyUsage; readonly now: number };

export const LastUses = ({ usage: { lastUse, lastRefusal, previousLastUse }, now }: LastUsesProps) => (
  <dl class="uses">
    <Fact name="Last use">{lastUse ? <Seen request={lastUse} now={now} /> : "None in the last 31 days"}</Fact>
    {previousLastUse && (
      <Fact name="Last use of the old secret">
        <Seen request={previousLastUse} now={now} />
      </Fact>
    )}
    <Fact name="Last refusal">
      {lastRefusal ? (
        <Seen request={lastRefusal} why={REASONS[lastRefusal.reason]} now={now} />
      ) : (
        "None in the last 31 days"
      )}
    </Fact>
  </dl>
);

type SeenProps = { readonly request: SeenRequest; readonly why?: string; readonly now: number };

const Seen = ({ request: { at, network, country, userAgent, operation }, why, now }: SeenProps) => (
  <>
    <Time at={at} now={now} />
    {why && `: ${why}`}
    <span class="hint">
      <code>{operation}</code>
      {" from "}
      {network ? <code>{network}</code> : "an unknown network"}
      {country && `, ${countryInWords(country)}`}
    </span>
    <span class="hint">{userAgent ? <bdi>{userAgent}</bdi> : "No user agent"}</span>
  </>
);

type OperationsProps = {
  readonly path: string;
  readonly usage: ApiKeyUsage;
  /** The one that the charts show. */
  readonly chosen: string | undefined;
};

export const OperationsTable = ({ path, usage: { hours, days }, chosen }: OperationsProps) => {
  const operations = [...new Set([...days, ...hours].map(({ operation }) => operation))].toSorted();
  if (operations.length === 0) return null;
  return (
    <div class="table">
      <table class="operations">
        <thead>
          <tr>
            <th scope="col" rowspan={2}>
              Operation
            </th>
            <th scope="colgroup" colspan={4}>
              24 hours
            </th>
            <th scope="colgroup" colspan={4}>
              30 days
            </th>
          </tr>
          <tr>
            {["24 hours", "30 days"].map((span) =>
              ["2xx", "4xx", "5xx", "not told"].map((status) => (
                <th scope="col" aria-label={`${status}, ${span}`}>
                  {status}
                </th>
              )),
            )}
          </tr>
        </thead>
        <tbody>
          {operations.map((operation) => (
            <tr>
              <th scope="row">
                <a href={`${path}?operation=${operation}`} aria-current={operation === chosen ? "true" : null}>
                  {operation}
                </a>
              </th>
              <Cells counts={hours.filter((count) => count.operation === operation)} />
              <Cells counts={days.filter((count) => count.operation === operation)} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

const Cells = ({ counts }: { readonly counts: readonly OperationCount[] }) => (
  <>
    {(["status2xx", "status4xx", "status5xx", "untold"] as const).map((status) => (
      <td>{number(counts.reduce((sum, count) => sum + count[status], 0))}</td>
    ))}
  </>
);
