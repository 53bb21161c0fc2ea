/** One active API key in the list: who uses it, what it may do, and what can be done about it. */
import type { ApiKey } from "../../model/account.ts";
import { KeyActions } from "./key-actions.tsx";
import { EndsSoon, KeyFacts, PausedSince } from "./key-facts.tsx";
import { UsageChart } from "./usage-chart.tsx";

type CardProps = { readonly apiKey: ApiKey; readonly now: number };

export const KeyCard = ({ apiKey, now }: CardProps) => {
  const { id, name, lastFour } = apiKey;
  return (
    <li class="card">
      <div class="card-head">
        <div>
          <h2 dir="auto">
            <a href={`/account/api-keys/${id}`}>{name}</a>
          </h2>
          <PausedSince apiKey={apiKey} now={now} />
          <EndsSoon apiKey={apiKey} now={now} />
          <code>{`ibk_${id}…${lastFour}`}</code>
        </div>
        <KeyActions apiKey={apiKey} />
      </div>
      <div class="card-body">
        <KeyFacts apiKey={apiKey} now={now} />
        <UsageChart apiKey={apiKey} now={now} />
      </div>
    </li>
  );
};
