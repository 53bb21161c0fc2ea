/**
 * `/b/mail/<person>/<board>/<idea>/<tag>`: the page behind "Unsubscribe". A scanner that opens links changes nothing: only its button does, and
 * the request of a mail program (RFC 8058). It needs no cookie and no sign-in, and works any number of times, on every host of the deployment.
 */
import type { Context } from "hono";
import type { IdeaBankMemory } from "../access/open-idea-bank.ts";
import { isMailLink } from "../credentials/mail-link.ts";
import {
  loadMuting,
  MUTE_SCOPES,
  type MuteLink,
  type MuteScope,
  type Muting,
  mute,
  unmute,
} from "../database/mails/mutes.ts";
import type { AppEnv } from "../http/app-env.ts";
import { readForm } from "../http/read-body.ts";
import { wordsOf } from "../mails/words.ts";
import { isId } from "../model/id.ts";
import { languageOf } from "../model/language.ts";
import { oneLine } from "../model/unlinked.ts";
import { spokenIn } from "./frame.ts";
import { respondNothing } from "./respond.tsx";
import { limitSender } from "./sign-in/by-email.ts";
import { respondWithPage, voiceOf } from "./sign-in/frame.tsx";

type C = Context<AppEnv>;

const MAX_BYTES = 4 * 1024;
/** What a mail program's own button ends. */
const ONE_CLICK: MuteScope = "board";

const LABELS = {
  idea: { choose: "scopeIdea", off: "offIdea" },
  board: { choose: "scopeBoard", off: "offBoard" },
  all: { choose: "scopeAll", off: "offAll" },
} as const satisfies Record<MuteScope, object>;

function linkOf(c: C): (MuteLink & { readonly tag: string }) | undefined {
  const [panelistId = "", ideaBankId = "", proposalId = "", tag = ""] = ["person", "board", "idea", "tag"].map((name) =>
    c.req.param(name),
  );
  return [panelistId, ideaBankId, proposalId].every(isId) ? { panelistId, ideaBankId, proposalId, tag } : undefined;
}

export function createUnsubscribe(memory: IdeaBankMemory) {
  async function open(c: C) {
    const link = linkOf(c);
    const database = link && memory.databases.of(c, link.panelistId);
    if (link === undefined || database === undefined) return undefined;
    await limitSender(c);
    const { session } = database.primary();
    const muting = await loadMuting(session, link);
    // Whoever is gone gets no e-mails; a link that we have not made says nothing else.
    const isOurs = muting !== null && (await isMailLink(link, link.tag, muting.mailKey));
    return { link, session, muting: isOurs && muting.email !== null ? muting : undefined };
  }

  async function show(c: C): Promise<Response> {
    const opened = await open(c);
    if (opened === undefined) return respondNothing(c);
    return respond(c, opened.muting, c.req.query("again") !== undefined);
  }

  async function change(c: C): Promise<Response> {
    const opened = await open(c);
    if (opened === undefined) return respondNothing(c);
    const { link, session, muting } = opened;
    if (muting === undefined) return respond(c, undefined, false);
    const form = await readForm(c, { maxBytes: MAX_BYTES });
    const isOneClick = form.get("List-Unsubscribe") === "One-Click";
    if (form.get("do") === "again") {
      await unmute(session, { muting, link });
      return respond(c, { ...muting, muted: [] }, true);
    }
    const chosen = isOneClick ? ONE_CLICK : MUTE_SCOPES.find((scope) => scope === form.get("scope"));
    const scope = chosen ?? ONE_CLICK;
    await mute(session, { muting, scope, link, now: Date.now() });
    return respond(c, { ...muting, muted: [...new Set([...muting.muted, scope])] }, false);
  }

  return { show, change };
}

/** `isOn`: it was just switched on again. */
function respond(c: C, muting: Muting | undefined, isOn: boolean): Promise<Response> {
  const spoken = spokenIn(c);
  const language = spoken.named ? spoken.language : (languageOf(muting?.language ?? undefined) ?? spoken.language);
  const say = wordsOf(language);
  const brand = c.get("settings").brand.name;
  const voice = { ...voiceOf(c, ""), language, path: () => "/" };
  const names = { idea: oneLine(muting?.names.idea ?? ""), board: oneLine(muting?.names.board ?? "") };
  const title = say("title", { board: names.board || brand });
  if (muting === undefined) return respondWithPage(c, { voice, title, children: <p>{say("gone")}</p> });
  const scopes = MUTE_SCOPES.filter((scope) => scope === "all" || names[scope] !== "");
  const [widest] = MUTE_SCOPES.filter((scope) => muting.muted.includes(scope) && scopes.includes(scope)).toReversed();
  const { pathname } = new URL(c.req.url);
  return respondWithPage(c, {
    voice,
    title,
    children: (
      <>
        {isOn && widest === undefined && <p role="status">{say("on")}</p>}
        {widest !== undefined && <p role="status">{say(LABELS[widest].off, names)}</p>}
        <form method="post" action={pathname} class="fields">
          {widest === undefined ? (
            <fieldset class="choices">
              <legend>{say("choose")}</legend>
              {scopes.map((scope) => (
                <label>
                  <input
                    type="radio"
                    name="scope"
                    value={scope}
                    checked={scope === (scopes.includes("board") ? "board" : "all")}
                  />{" "}
                  <span dir="auto">{say(LABELS[scope].choose, names)}</span>
                </label>
              ))}
            </fieldset>
          ) : null}
          <p>
            {widest === undefined ? (
              <button type="submit" class="page-button primary">
                {say("stop")}
              </button>
            ) : (
              <button type="submit" name="do" value="again" class="page-button">
                {say("again")}
              </button>
            )}
          </p>
        </form>
        <p>
          <small>{say("codes")}</small>
        </p>
      </>
    ),
  });
}
