/** `/account/api-keys`: every active key, the way to another while there is room, the ended keys, and the storage. */
import { readForm } from "../../http/read-body.ts";
import { type ApiKey, MAX_ACTIVE_KEYS, type Storage } from "../../model/account-key.ts";
import type { NewAccountSettings } from "../../model/api-key-settings.ts";
import { useFrame } from "../frame/frame.ts";
import { Layout } from "../frame/layout.tsx";
import { changedSettings, OpenedWith } from "../frame/opened-form.tsx";
import { page } from "../frame/page.tsx";
import { Success } from "../frame/success.tsx";
import { relativeTime, Time } from "../frame/times.tsx";
import { counted, number } from "../frame/words.ts";
import { API_KEYS, listKeyUse } from "./actions.ts";
import { KeyActions } from "./key-actions.tsx";
import { EndsSoon, endsSoon, KeyFacts, PausedSince } from "./key-facts.tsx";
import { bytesInWords } from "./key-words.ts";
import { changeSettings } from "./settings.ts";
import { UsageChart } from "./usage-chart.tsx";

const SETTINGS = "/account/settings";

/** The last action on a key. The list opens with a sentence about it. */
type Done = { readonly what: string | undefined; readonly apiKeyId: string | undefined };

export const API_KEYS_PAGE = page({
  path: API_KEYS,
  needs: "admin",

  load: async (c) => {
    // The form had this link before it had a page.
    if (c.req.query("create") !== undefined) return c.redirect(`${API_KEYS}/new`, 303) as Response;
    const { keys, ended, leakedKeys, storage } = await listKeyUse(c);
    const done: Done = { what: c.req.query("done"), apiKeyId: c.req.query("key") };
    return { keys, ended, leakedKeys, storage, done };
  },

  view: ({ keys, ended, leakedKeys, storage, done }) => {
    const active = keys.filter(({ state }) => state === "active");
    const hasRoom = active.length < MAX_ACTIVE_KEYS;
    const sentence = doneInWords(done, keys, useFrame().now);
    const createLink = hasRoom && (
      <a class="button primary" href={`${API_KEYS}/new`}>
        Create key
      </a>
    );
    return (
      <Layout title="API keys" current="api-keys" aside={createLink}>
        {sentence && <Success>{sentence}</Success>}
        {active.length > 0 && (
          <p class="lead">
            {`${counted(active.length, "active key")}${hasRoom ? `. You can have up to ${MAX_ACTIVE_KEYS}.` : ", the maximum. Revoke one to create another."}`}
          </p>
        )}
        {active.length === 0 && (
          <p class="notice">
            No active keys. <a href={`${API_KEYS}/new`}>Create your first one</a>
          </p>
        )}
        {active.length > 0 && (
          <ul class="cards">
            {active.map((apiKey) => (
              <KeyCard apiKey={apiKey} />
            ))}
          </ul>
        )}
        {ended > 0 && <EndedKeys keys={keys.slice(active.length)} count={ended} />}
        <StorageBar storage={storage} />
        <form method="post" action={SETTINGS}>
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
  },

  formPath: SETTINGS,

  act: async (c) => {
    const { leakedKeys } = changedSettings(await readForm(c), toSettings);
    if (leakedKeys !== undefined) await changeSettings(c, { leakedKeys });
    return c.redirect(`${API_KEYS}?done=settings`, 303);
  },
});

const toSettings = (fields: URLSearchParams): NewAccountSettings => ({
  leakedKeys: fields.has("mark") ? "mark" : "end",
});

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

type EndedProps = { readonly keys: readonly ApiKey[]; readonly count: number };

/** The ended keys, folded: the last ones, and the number of all. */
const EndedKeys = ({ keys, count }: EndedProps) => (
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
              <a href={`${API_KEYS}/${id}`}>{name}</a>
            </strong>{" "}
            <code>{`ibk_${id}…${lastFour}`}</code>
          </span>
          <span class="hint">
            {leakedAt && "Found in public ("}
            {leakedAt && <a href={`${API_KEYS}/${id}/leaked`}>what to do now</a>}
            {leakedAt && "), "}
            {leakedAt ? state : state === "revoked" ? "Revoked" : "Expired"} <Time at={revokedAt ?? expiresAt ?? ""} />
            {lastUsedAt ? ", last used " : ", never used"}
            {lastUsedAt && <Time at={lastUsedAt} />}
          </span>
        </li>
      ))}
    </ul>
  </details>
);

type CardProps = { readonly apiKey: ApiKey };

/** One active API key in the list: its use, its settings, its actions. */
const KeyCard = ({ apiKey }: CardProps) => {
  const { id, name, lastFour } = apiKey;
  return (
    <li class="card">
      <div class="card-head">
        <div>
          <h2 dir="auto">
            <a href={`${API_KEYS}/${id}`}>{name}</a>
          </h2>
          <PausedSince apiKey={apiKey} />
          <EndsSoon apiKey={apiKey} />
          <code>{`ibk_${id}…${lastFour}`}</code>
        </div>
        <KeyActions apiKey={apiKey} />
      </div>
      <div class="card-body">
        <KeyFacts apiKey={apiKey} />
        <UsageChart apiKey={apiKey} />
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
          : "Boards, ideas, comments, notes, votes, people, surveys and the activity count toward it."}
      </p>
    </section>
  );
};
