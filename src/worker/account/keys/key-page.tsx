/** `/account/api-keys/{id}`: one key, its settings and its use. */
import type { ApiKey } from "../../model/account.ts";
import type { ApiKeyUsage } from "../../model/api-key-usage.ts";
import { Copyable } from "../frame/copyable.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import { Time } from "../frame/times.tsx";
import { KeyActions } from "./key-actions.tsx";
import { EndsSoon, KeyFacts, PausedSince } from "./key-facts.tsx";
import { LastUses, OperationsTable } from "./key-use.tsx";
import { DayChart, UsageChart } from "./usage-chart.tsx";

type Props = {
  readonly frame: Frame;
  readonly apiKey: ApiKey;
  readonly usage: ApiKeyUsage;
  readonly origin: string;
  readonly now: number;
};

/** A key that works no more: since when, and what is left to do. */
const Ended = ({ apiKey: { id, state, revokedAt, expiresAt }, now }: Pick<Props, "apiKey" | "now">) =>
  state !== "active" && (
    <p class="notice">
      {state === "revoked" ? "Revoked " : "Expired "}
      <Time at={revokedAt ?? expiresAt ?? ""} now={now} />. Requests with it are refused.{" "}
      <a href={`/account/api-keys/${id}/leaked`}>Did it leak?</a>
    </p>
  );

export const KeyPage = ({ frame, apiKey, usage, origin, now }: Props) => {
  const { id, name, lastFour, state } = apiKey;
  const path = `/account/api-keys/${id}`;
  return (
    <Layout title={name} current="api-keys" {...frame}>
      <div class="key-head">
        <code>{`ibk_${id}…${lastFour}`}</code>
        <a href={`/account/activity?apiKeyId=${id}`}>Activity</a>
        {state === "active" && <KeyActions apiKey={apiKey} />}
      </div>
      <Ended apiKey={apiKey} now={now} />
      <PausedSince apiKey={apiKey} now={now} />
      <EndsSoon apiKey={apiKey} now={now} />
      <div class="create key-page">
        <KeyFacts apiKey={apiKey} now={now} />
        <div>
          <UsageChart apiKey={apiKey} now={now} />
          <DayChart usage={usage.items} now={now} />
          <p class="hint">
            {"Last 30 days, by hour: "}
            <a href={`${path}/usage.csv`}>CSV</a>
            {". By operation: "}
            <a href={`${path}/operations.csv`}>CSV</a>
            {". Both: "}
            <a href={`/account/api/keys/${id}/usage`}>JSON</a>. Counts are about a minute behind.
          </p>
        </div>
      </div>
      <h2>Who uses it, and what for</h2>
      <LastUses usage={usage} now={now} />
      <OperationsTable usage={usage} />
      <TryKey origin={origin} />
    </Layout>
  );
};

/** The command names the key by a variable, so that it leaves no key in the shell's history. */
export const TryKey = ({ origin }: { readonly origin: string }) => (
  <>
    <h2>Check that the key works</h2>
    <p>
      Set <code>API_KEY</code> to the key, then run this. If the key is refused, the answer says why.
    </p>
    <Copyable id="curl" label="curl command" text={`curl ${origin}/tenant/whoami -H "X-API-Key: $API_KEY"`} />
  </>
);
