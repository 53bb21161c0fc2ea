/** `/b/<id>/sign-in/code`: where the code from the e-mail is entered. It stands by itself, so a phone may drop it and load it again. */
import type { Context } from "hono";
import type { SentCode } from "../../database/pages/sign-in-codes.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { described, Field, Notice, respondWithPage } from "./frame.tsx";
import type { SignInBoard } from "./sign-in-board.ts";
import { NameField, openedNow, SendsCode } from "./sign-in-page.tsx";
import type { Label } from "./words.ts";

type Shown = {
  /** The newest code of this browser, while it is waited for; undefined while the database does not answer. */
  readonly sent: Pick<SentCode, "email" | "createdAt"> | undefined;
  /** As the person has typed it. */
  readonly name: string;
  /** What was typed, where another press may do. */
  readonly code?: string | undefined;
  readonly status?: 503;
  readonly notice?: Label | undefined;
  /** About the code that was entered. */
  readonly fault?: Label | undefined;
  /** About the name: then another can be typed beside the code. */
  readonly nameFault?: Label | undefined;
};

export async function respondWithCode(
  c: Context<AppEnv>,
  board: SignInBoard,
  { sent, name, code, status, notice, fault, nameFault }: Shown,
): Promise<Response> {
  const { voice, to } = board;
  const { say, path } = voice;
  const time = sent ? voice.time(sent.createdAt) : "";
  const message = fault && say(fault, { time });
  const nameMessage = nameFault && say(nameFault);
  const email = sent?.email;
  return respondWithPage(c, {
    voice,
    title: say("checkEmail"),
    ...(status && { status }),
    children: (
      <>
        {email && <p>{say("sentTo", { email })}</p>}
        {sent && <p>{say("newestAt", { time })}</p>}
        <Notice text={notice && say(notice)} />
        <form class="fields" method="post" action={path("/sign-in/code")}>
          <input type="hidden" name="return" value={to} />
          {email && <input type="hidden" name="email" value={email} />}
          {nameMessage ? (
            <NameField value={name} message={nameMessage} say={say} />
          ) : (
            <input type="hidden" name="name" value={name} />
          )}
          <Field name="code" label={say("code")} hint={say("codeHint")} message={message}>
            <input
              type="text"
              class="code"
              {...described("code", { hint: true, message })}
              value={code}
              autocomplete="one-time-code"
              inputmode="numeric"
              autocapitalize="none"
              spellcheck={false}
              autofocus={!nameMessage}
              required
            />
          </Field>
          <p>
            <button type="submit" class="page-button primary">
              {say("signIn")}
            </button>
          </p>
        </form>
        <p>{say("spam")}</p>
        {email && (
          <form method="post" action={path("/sign-in")}>
            <input type="hidden" name="email" value={email} />
            <input type="hidden" name="name" value={name} />
            <SendsCode opened={await openedNow(c, board)} to={to} />
            <p>
              <button type="submit" class="page-button">
                {say("newCode")}
              </button>
            </p>
          </form>
        )}
        <p>
          <a href={path("/sign-in", { return: to })}>{say("otherAddress")}</a>
        </p>
      </>
    ),
  });
}
