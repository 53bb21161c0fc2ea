/** The use of a key: its last requests, and the number of admitted ones by operation. Values from clients are rendered as text. */
import type { ApiKeyUsage, OperationCount, RefusedRequest, SeenRequest } from "../../model/api-key-usage.ts";
import { Fact } from "../frame/fact.tsx";
import { Table } from "../frame/table.tsx";
import { Time } from "../frame/times.tsx";
import { number } from "../frame/words.ts";
import { countryInWords } from "./key-words.ts";

const REASONS: Readonly<Record<RefusedRequest["reason"], string>> = {
  limited: "over its limit",
  paused: "paused",
  address: "not an allowed address",
  expired: "expired",
  revoked: "revoked",
  "wrong-secret": "an old secret",
};

type LastUsesProps = { readonly usage: ApiKeyUsage };

export const LastUses = ({ usage: { lastUse, lastRefusal, previousLastUse } }: LastUsesProps) => (
  <dl class="uses">
    <Fact name="Last use">{lastUse ? <Seen request={lastUse} /> : "None in the last 31 days"}</Fact>
    {previousLastUse && (
      <Fact name="Last use of the old secret">
        <Seen request={previousLastUse} />
      </Fact>
    )}
    <Fact name="Last refusal">
      {lastRefusal ? <Seen request={lastRefusal} why={REASONS[lastRefusal.reason]} /> : "None in the last 31 days"}
    </Fact>
  </dl>
);

type SeenProps = { readonly request: SeenRequest; readonly why?: string };

const Seen = ({ request: { at, network, country, userAgent, operation }, why }: SeenProps) => (
  <>
    <Time at={at} />
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

export const OperationsTable = ({ usage: { hours, days } }: { readonly usage: ApiKeyUsage }) => {
  const operations = [...new Set(days.map(({ operation }) => operation))].toSorted();
  if (operations.length === 0) return null;
  const sumOf = (counts: readonly OperationCount[], operation: string) =>
    counts.reduce((sum, count) => sum + (count.operation === operation ? count.admitted : 0), 0);
  return (
    <Table columns={["Admitted, by operation", "24 hours", "30 days"]} look="operations">
      {operations.map((operation) => (
        <tr>
          <th scope="row">{operation}</th>
          <td>{number(sumOf(hours, operation))}</td>
          <td>{number(sumOf(days, operation))}</td>
        </tr>
      ))}
    </Table>
  );
};
