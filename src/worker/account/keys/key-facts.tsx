/** The facts about a key, in its card and on its page. */

import type { ApiKey } from "../../model/account-key.ts";
import { warnedMs } from "../../model/api-key.ts";
import { Fact } from "../frame/fact.tsx";
import { useFrame } from "../frame/frame.ts";
import { Time } from "../frame/times.tsx";
import { rateInWords } from "../frame/words.ts";
import { addressesInWords, regionInWords, scopesInWords } from "./key-words.ts";

type Props = { readonly apiKey: ApiKey };

export const PausedSince = ({ apiKey: { id, leakedAt, pausedAt } }: Props) => (
  <>
    {leakedAt && (
      <p class="paused">
        Found in public <Time at={leakedAt} />. <a href={`/account/api-keys/${id}/leaked`}>What to do now</a>
      </p>
    )}
    {pausedAt && (
      <p class="paused">
        Paused <Time at={pausedAt} />
      </p>
    )}
  </>
);

/** The expiry of an active key, if it needs attention. */
export function endsSoon({ createdAt, expiresAt, state }: ApiKey, now: number): string | null {
  if (state !== "active" || expiresAt === null) return null;
  const end = Date.parse(expiresAt);
  return end - now <= warnedMs(Date.parse(createdAt), end) ? expiresAt : null;
}

export const EndsSoon = ({ apiKey }: Props) => {
  const at = endsSoon(apiKey, useFrame().now);
  return (
    at && (
      <p class="paused">
        Expires <Time at={at} />
      </p>
    )
  );
};

export const KeyFacts = ({ apiKey }: Props) => {
  const { expiresAt, allowedAddresses, previous } = apiKey;
  return (
    <dl>
      <Fact name="Last used">{apiKey.lastUsedAt ? <Time at={apiKey.lastUsedAt} /> : "Never"}</Fact>
      <Fact name="Created">
        <Time at={apiKey.createdAt} />
        {apiKey.createdBy && ` by ${apiKey.createdBy}`}
      </Fact>
      <Fact name="Limit">{rateInWords(apiKey.limit, apiKey.windowSeconds)}</Fact>
      <Fact name="Region">{regionInWords(apiKey.region)}</Fact>
      <Fact name="Expires">{expiresAt ? <Time at={expiresAt} /> : "Never"}</Fact>
      <Fact name="Scopes">{scopesInWords(apiKey.scopes)}</Fact>
      {allowedAddresses && <Fact name="Allowed addresses">{addressesInWords(allowedAddresses)}</Fact>}
      {previous && (
        <Fact name="Old secret">
          Stops <Time at={previous.expiresAt} />
          {previous.lastUsedAt ? ", last used " : ", not used since you rotated it"}
          {previous.lastUsedAt && <Time at={previous.lastUsedAt} />}
        </Fact>
      )}
    </dl>
  );
};
