/**
 * An owner's actions on an active key. The form opens over the page, without JavaScript: the page does not move, and Tab stays in
 * the form. A browser without the attribute `command` opens it as a popover.
 */
import { parseOrThrow } from "../../http/invalid-request.ts";
import { readForm } from "../../http/read-body.ts";
import { type ApiKey, GRACE_PERIODS, Rotation } from "../../model/account-key.ts";
import { action } from "../frame/page.tsx";
import { renderPage } from "../frame/render-page.tsx";
import { API_KEYS, rotateKey } from "./actions.ts";
import { ShownKeyPage } from "./shown-key-page.tsx";

export const KeyActions = ({ apiKey: { id, name, lastFour, previous } }: { apiKey: ApiKey }) => (
  <div class="actions">
    <button
      type="button"
      {...{ command: "show-modal", commandfor: `rotate-${id}` }}
      popovertarget={`rotate-${id}`}
      aria-label={`Rotate ${name}`}
    >
      Rotate
    </button>
    <a class="button" href={`${API_KEYS}/${id}/change`} aria-label={`Edit ${name}`}>
      Edit
    </a>
    <a class="button" href={`${API_KEYS}/${id}/leaked`} aria-label={`Report a leak: ${name}`}>
      Report a leak
    </a>
    <a class="button danger" href={`${API_KEYS}/${id}/revoke`} aria-label={`Revoke ${name}`}>
      Revoke
    </a>
    <dialog popover="auto" {...{ closedby: "any" }} id={`rotate-${id}`} class="dialog" aria-label={`Rotate ${name}`}>
      <form method="post" action={`${API_KEYS}/${id}/rotate`}>
        <h3 dir="auto">{`Rotate “${name}”`}</h3>
        <p>The key keeps its ID and gets a new secret. You’ll see it once.</p>
        {previous && (
          <p>
            If the current secret has been used, the previous secret stops working now. If not, the current secret is
            replaced and the previous one keeps working.
          </p>
        )}
        <input type="hidden" name="lastFour" value={lastFour} />
        <div class="field">
          <label for={`grace-${id}`}>The old secret</label>
          <select id={`grace-${id}`} name="graceSeconds" autofocus>
            {Object.entries(GRACE_PERIODS).map(([seconds, words]) => (
              <option value={seconds} selected={seconds === "86400"}>
                {words === "none" ? "Stops now" : `Works for ${words}`}
              </option>
            ))}
          </select>
        </div>
        <Buttons closes={`rotate-${id}`} label="Rotate now" />
      </form>
    </dialog>
  </div>
);

const Buttons = ({ closes, label }: { closes: string; label: string }) => (
  <div class="buttons">
    <button type="submit" class="primary">
      {label}
    </button>
    <button
      type="button"
      {...{ command: "close", commandfor: closes }}
      popovertarget={closes}
      popovertargetaction="hide"
    >
      Cancel
    </button>
  </div>
);

export const ROTATE_KEY = action(
  `${API_KEYS}/:apiKeyId/rotate`,
  async (c) => {
    const fields = await readForm(c);
    const graceSeconds = Number(fields.get("graceSeconds") || Number.NaN);
    const rotation = parseOrThrow(Rotation, { graceSeconds, lastFour: fields.get("lastFour") ?? undefined });
    const shown = await rotateKey(c, { id: c.req.param("apiKeyId"), rotation });
    const origin = new URL(c.req.url).origin;
    return renderPage(c, <ShownKeyPage shown={shown} rotated origin={origin} />, 201);
  },
  "admin",
);
