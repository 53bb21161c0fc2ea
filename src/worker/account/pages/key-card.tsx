/** One active API key in the list: who uses it, what it may do, and what can be done about it. */

import type { ApiKey } from "../../model/account.ts";
import type { Child } from "../jsx-runtime.ts";
import { KeyActions } from "./key-actions.tsx";
import { addressesInWords, rateInWords, regionInWords, scopesInWords } from "./key-words.ts";
import { Time } from "./times.tsx";
import { UsageChart } from "./usage-chart.tsx";

type CardProps = { readonly apiKey: ApiKey; readonly now: number };

export const KeyCard = ({ apiKey, now }: CardProps) => {
  const { id, name, lastFour, expiresAt, pausedAt, allowedAddresses, previous } = apiKey;
  return (
    <li class="card">
      <div class="card-head">
        <div>
          <h2 dir="auto">{name}</h2>
          {pausedAt && (
            <p class="paused">
              Paused <Time at={pausedAt} now={now} />
            </p>
          )}
          <code>{`ibk_${id}…${lastFour}`}</code>
        </div>
        <KeyActions apiKey={apiKey} />
      </div>
      <div class="card-body">
        <dl>
          <Fact name="Last used">{apiKey.lastUsedAt ? <Time at={apiKey.lastUsedAt} now={now} /> : "Never"}</Fact>
          <Fact name="Created">
            <Time at={apiKey.createdAt} now={now} />
          </Fact>
          <Fact name="Limit">{rateInWords(apiKey.limit, apiKey.windowSeconds)}</Fact>
          <Fact name="Region">{regionInWords(apiKey.region)}</Fact>
          <Fact name="Expires">{expiresAt ? <Time at={expiresAt} now={now} /> : "Never"}</Fact>
          <Fact name="Scopes">{scopesInWords(apiKey.scopes)}</Fact>
          {allowedAddresses && <Fact name="Allowed addresses">{addressesInWords(allowedAddresses)}</Fact>}
          {previous && (
            <Fact name="Old secret">
              Ends <Time at={previous.expiresAt} now={now} />
              {previous.lastUsedAt ? ", last used " : ", not used since the rotation"}
              {previous.lastUsedAt && <Time at={previous.lastUsedAt} now={now} />}
            </Fact>
          )}
        </dl>
        <UsageChart apiKey={apiKey} now={now} />
      </div>
    </li>
  );
};

const Fact = ({ name, children }: { name: string; children?: Child }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
