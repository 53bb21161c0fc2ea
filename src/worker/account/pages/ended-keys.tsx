/** The keys that no longer work, folded away: the last ones, and how many there are. */
import type { ApiKey } from "../../model/account.ts";
import { number } from "./key-words.ts";
import { Time } from "./times.tsx";

type Props = { readonly keys: readonly ApiKey[]; readonly count: number; readonly now: number };

export const EndedKeys = ({ keys, count, now }: Props) => (
  <details class="ended">
    <summary>
      {count > keys.length
        ? `Show the last ${keys.length} of ${number(count)} revoked and expired keys`
        : `Show ${count} revoked or expired ${count === 1 ? "key" : "keys"}`}
    </summary>
    <ul>
      {keys.map(({ id, name, lastFour, state, expiresAt, revokedAt, leakedAt, lastUsedAt }) => (
        <li class={state}>
          <span>
            <strong dir="auto">{name}</strong> <code>{`ibk_${id}…${lastFour}`}</code>
          </span>
          <span class="hint">
            {leakedAt && "found in public, "}
            {state} <Time at={revokedAt ?? expiresAt ?? ""} now={now} />
            {lastUsedAt ? ", last used " : ", never used"}
            {lastUsedAt && <Time at={lastUsedAt} now={now} />}
          </span>
        </li>
      ))}
    </ul>
  </details>
);
