/** `/account/api-keys`: every active key, the form for another while there is room, the ended keys, and the storage. */
import type { ApiKeyOverview } from "../../database/account-api-keys.ts";
import { type ApiKey, MAX_ACTIVE_KEYS, type Storage } from "../../model/account.ts";
import { type Frame, Layout } from "../frame/layout.tsx";
import { OpenedWith } from "../frame/opened-form.tsx";
import { relativeTime, Time } from "../frame/times.tsx";
import { counted, number } from "../frame/words.ts";
import { KeyActions } from "./key-actions.tsx";
import { EndsSoon, endsSoon, KeyFacts, PausedSince } from "./key-facts.tsx";
import { bytesInWords } from "./key-words.ts";
import { UsageChart } from "./usage-chart.tsx";

/** The last action on a key. The list opens with a sentence about it. */
export type Done = { readonly what: string | undefined; readonly apiKeyId: string | undefined };

type Props = {
  readonly frame: Frame;
  readonly overview: ApiKeyOverview;
  readonly now: number;
  readonly done: Done;
};

export const ApiKeysPage = ({ frame, overview: { keys, ended, leakedKeys, storage }, now, done }: Props) => {
  const active = keys.filter(({ state }) => state === "active");
  const hasRoom = active.length < MAX_ACTIVE_KEYS;
  const sentence = doneInWords(done, keys, now);
  const createLink = hasRoom && (
    <a class="button primary" href="/account/api-keys/new">
      Create key
    </a>
  );
  return (
    <Layout title="API keys" current="api-keys" aside={createLink} {...frame}>
      {sentence && (
        <p class="notice good" role="status" tabindex={-1} autofocus data-done>
          {sentence}
        </p>
      )}
      {active.length > 0 && (
        <p class="lead">
          {`${counted(active.length, "active key")}${hasRoom ? `. You can have up to ${MAX_ACTIVE_KEYS}.` : ", the maximum. Revoke one to create another."}`}
        </p>
      )}
      {active.length === 0 && (
        <p class="notice">
          No active keys. <a href="/account/api-keys/new">Create your first one</a>
        </p>
      )}
      {active.length > 0 && (
        <ul class="cards">
          {active.map((apiKey) => (
            <KeyCard apiKey={apiKey} now={now} />
          ))}
        </ul>
      )}
      {ended > 0 && <EndedKeys keys={keys.slice(active.length)} count={ended} now={now} />}
      <StorageBar storage={storage} />
      <form method="post" action="/account/settings">
        <OpenedWith fields={new URLSearchParams(leakedKeys === "mark" ? { mark: "on" } : {})} />
        <h2>When a key is found in public</h2>
        <label class="choice">
          <input type="checkbox" name="mark" checked={leakedKeys === "mark"} />
          <span>
            Warn me, don’t revoke it
            <span class="hint">By default, it is revoked at once.</span>
          </span>
        </label>
        <button type="submit">Save</button>
      </form>
      <h2>When a signing secret has leaked</h2>
      <p>
        Tokens signed with it keep working until you end them. If an API key leaked, press “Report a leak” beside it.
      </p>
      <a class="button danger" href="/account/tokens/end">
        End all tokens
      </a>
    </Layout>
  );
};

/**
 * The sentence about the last action. It appears only if the list confirms the action, because anybody can write a link with
 * `?done=`.
 */
function doneInWords({ what, apiKeyId }: Done, keys: readonly ApiKey[], now: number): string | undefined {
  const apiKey = keys.find(({ id }) => id === apiKeyId);
  if (what === "settings") return "Settings saved.";
  if (apiKey?.state === "active" && what === "changed") {
    const paused = apiKey.pausedAt ? " It’s paused: requests with it are refused." : "";
    const at = endsSoon(apiKey, now);
    return `“${apiKey.name}” updated.${paused}${at ? ` It expires ${relativeTime(at, now)}.` : ""}`;
  }
  if (apiKey?.state === "revoked" && what === "revoked") {
    return `“${apiKey.name}” revoked. Requests with it are refused from now on.`;
  }
  return undefined;
}

type EndedProps = { readonly keys: readonly ApiKey[]; readonly count: number; readonly now: number };

/** The ended keys, folded: the last ones, and the number of all. */
const EndedKeys = ({ keys, count, now }: EndedProps) => (
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
            <strong dir="auto">
              <a href={`/account/api-keys/${id}`}>{name}</a>
            </strong>{" "}
            <code>{`ibk_${id}…${lastFour}`}</code>
          </span>
          <span class="hint">
            {leakedAt && "Found in public ("}
            {leakedAt && <a href={`/account/api-keys/${id}/leaked`}>what to do now</a>}
            {leakedAt && "), "}
            {leakedAt ? state : state === "revoked" ? "Revoked" : "Expired"}{" "}
            <Time at={revokedAt ?? expiresAt ?? ""} now={now} />
            {lastUsedAt ? ", last used " : ", never used"}
            {lastUsedAt && <Time at={lastUsedAt} now={now} />}
          </span>
        </li>
      ))}
    </ul>
  </details>
);

type CardProps = { readonly apiKey: ApiKey; readonly now: number };

/** One active API key in the list: its use, its settings, its actions. */
const KeyCard = ({ apiKey, now }: CardProps) => {
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

/** From this share on, the bar changes its colour. */
const NEARLY_FULL = 0.8;

/** The used share of the account's storage. */
const StorageBar = ({ storage: { usedBytes, maxBytes } }: { storage: Storage }) => {
  const words = `${bytesInWords(usedBytes)} of ${bytesInWords(maxBytes)} used`;
  const isFull = usedBytes >= maxBytes;
  return (
    <section aria-labelledby="storage">
      <h2 id="storage">Storage</h2>
      <meter
        aria-labelledby="storage"
        aria-describedby="storage-hint"
        max={maxBytes}
        high={maxBytes * NEARLY_FULL}
        optimum={0}
        value={usedBytes}
      >
        {words}
      </meter>
      <p id="storage-hint" class={isFull ? "error" : "hint"}>
        {`${words}. `}
        {isFull
          ? "Storage is full. New content is refused; reading, deleting and revoking still work."
          : "Boards, ideas, comments, votes, people, surveys and the activity count."}
      </p>
    </section>
  );
};
