/** What an owner can do with a key: disclosed on demand, without JavaScript. */
import { type ApiKey, GRACE_PERIODS } from "../../model/account.ts";

export const KeyActions = ({ apiKey: { id, name, state, lastFour, previous } }: { apiKey: ApiKey }) => (
  <div class="actions">
    {state === "active" && (
      <details>
        <summary aria-label={`Rotate ${name}`}>Rotate</summary>
        <form method="post" action={`/account/api-keys/${id}/rotate`}>
          <input type="hidden" name="lastFour" value={lastFour} />
          {previous && <p class="hint">The secret from before the last rotation ends at once.</p>}
          <label for={`grace-${id}`}>The key keeps its id and gets a new secret. The old one keeps working for</label>
          <select id={`grace-${id}`} name="graceSeconds">
            {Object.entries(GRACE_PERIODS).map(([seconds, words]) => (
              <option value={seconds} selected={seconds === "86400"}>
                {words === "none" ? "no time at all" : words}
              </option>
            ))}
          </select>
          <button type="submit">Rotate now</button>
        </form>
      </details>
    )}
    <details>
      <summary aria-label={`Rename ${name}`}>Rename</summary>
      <form method="post" action={`/account/api-keys/${id}/rename`}>
        <label for={`name-${id}`}>New name</label>
        <input id={`name-${id}`} name="name" value={name} required maxlength={100} autocomplete="off" />
        <button type="submit">Rename</button>
      </form>
    </details>
    <a class="danger" href={`/account/api-keys/${id}/revoke`} aria-label={`Revoke ${name}`}>
      Revoke…
    </a>
  </div>
);
