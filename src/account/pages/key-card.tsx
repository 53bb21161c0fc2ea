/** One API key in the list. */
import type { Child } from "hono/jsx";
import type { ApiKey } from "../../model/account.ts";
import { SCOPES } from "../../model/scope.ts";
import { KeyActions } from "./key-actions.tsx";
import { Time } from "./times.tsx";
import { UsageChart } from "./usage-chart.tsx";

type CardProps = { readonly apiKey: ApiKey; readonly now: number };

export const KeyCard = ({ apiKey, now }: CardProps) => {
  const { id, name, state, expiresAt, revokedAt, previous } = apiKey;
  return (
    <li class={`card ${state}`}>
      <div class="card-head">
        <h2>{name}</h2>
        <span class="badge">{state}</span>
      </div>
      <dl>
        <Fact name="Key">
          <code>{`ibk_${id}…${apiKey.lastFour}`}</code>
        </Fact>
        <Fact name="Last used">{apiKey.lastUsedAt ? <Time at={apiKey.lastUsedAt} now={now} /> : "never"}</Fact>
        <Fact name="Scopes">{apiKey.scopes.length === SCOPES.length ? "all" : apiKey.scopes.join(", ")}</Fact>
        <Fact name="Limit">{`${apiKey.limit.toLocaleString("en")} requests per ${apiKey.windowSeconds} s`}</Fact>
        <Fact name="Created">
          <Time at={apiKey.createdAt} now={now} />
        </Fact>
        {expiresAt && (
          <Fact name={state === "expired" ? "Expired" : "Expires"}>
            <Time at={expiresAt} now={now} />
          </Fact>
        )}
        {revokedAt && (
          <Fact name="Revoked">
            <Time at={revokedAt} now={now} />
          </Fact>
        )}
        {previous && (
          <Fact name="Old secret">
            ends <Time at={previous.expiresAt} now={now} />
            {previous.lastUsedAt ? ", last used " : ", not used since the rotation"}
            {previous.lastUsedAt && <Time at={previous.lastUsedAt} now={now} />}
          </Fact>
        )}
      </dl>
      {state !== "revoked" && <UsageChart apiKey={apiKey} now={now} />}
      {state !== "revoked" && <KeyActions apiKey={apiKey} />}
    </li>
  );
};

const Fact = ({ name, children }: { name: string; children?: Child }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
