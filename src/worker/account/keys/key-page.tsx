/** `/account/api-keys/{id}`: one key, its settings and its use. */
import type { ApiKey } from "../../model/account.ts";
import type { ApiKeyUsage } from "../../model/api-key-usage.ts";
import { Copyable } from "../frame/copyable.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
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

export const KeyPage = ({ frame, apiKey, usage, origin, now }: Props) => {
  const { id, name, lastFour, state } = apiKey;
  const path = `/account/api-keys/${id}`;
  return (
    <Layout title={name} current="api-keys" {...frame}>
      <div class="key-head">
        <code>{`ibk_${id}…${lastFour}`}</code>
        <a href={`/account/activity?apiKeyId=${id}`}>Activity</a>
        {state === "active" ? <KeyActions apiKey={apiKey} /> : <strong class="paused">{state}</strong>}
        {apiKey.scopes.includes("panelists:write") && (
          <a class="button danger" href="/account/tokens/end">
            End all tokens
          </a>
        )}
      </div>
      <PausedSince apiKey={apiKey} now={now} />
      <EndsSoon apiKey={apiKey} now={now} />
      <div class="create key-page">
        <KeyFacts apiKey={apiKey} now={now} />
        <div>
          <UsageChart apiKey={apiKey} now={now} />
          <DayChart usage={usage.items} now={now} />
          <p class="hint">
            {"By hour, 30 days: "}
            <a href={`${path}/usage.csv`}>CSV</a>
            {". By operation: "}
            <a href={`${path}/operations.csv`}>CSV</a>
            {". Both: "}
            <a href={`/account/api/keys/${id}/usage`}>JSON</a>. About a minute behind.
          </p>
        </div>
      </div>
      <h2>Who uses it, and what for</h2>
      <LastUses usage={usage} now={now} />
      <OperationsTable usage={usage} />
      <h2>Try it</h2>
      <p>
        The holder of the key asks with it what its id is. A refusal says why. Set <code>API_KEY</code> to the key
        before.
      </p>
      <Copyable id="curl" label="curl command" text={`curl ${origin}/tenant/whoami -H "X-API-Key: $API_KEY"`} />
    </Layout>
  );
};
