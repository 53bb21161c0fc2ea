/** `/b/<id>/sign-in`: the ways to sign in that the board has. */
import type { Context } from "hono";
import { secureRandomBytes } from "../../credentials/base62.ts";
import { createHandle, signOpened } from "../../credentials/page-sign-in.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { keepAsking, readAsking } from "./cookies.ts";
import { described, Field, Notice, respondWithPage } from "./frame.tsx";
import type { SignInBoard } from "./sign-in-board.ts";
import type { Label, Say } from "./words.ts";

/** What a form has sent, and what was wrong with it. */
type Typed = {
  readonly email: string;
  readonly name: string;
  readonly notice?: Label | undefined;
  readonly faults?: { readonly email?: Label | undefined; readonly name?: Label | undefined };
};

/** A field that no person sees, and that programs fill in. No browser knows its name. */
export const TRAP = "homepage_2";

const Trap = () => (
  <p aria-hidden="true" hidden>
    <label for={TRAP}>—</label>
    <input id={TRAP} name={TRAP} type="text" tabindex={-1} autocomplete="off" />
  </p>
);

type FormProps = {
  readonly opened: string;
  readonly to: string;
};

/** What each form has that sends a code: the time at which it was opened, where to come back to, and the trap. */
export const SendsCode = ({ opened, to }: FormProps) => (
  <>
    <input type="hidden" name="opened" value={opened} />
    <input type="hidden" name="return" value={to} />
    <Trap />
  </>
);

type NameProps = { readonly value: string; readonly message: string | undefined; readonly say: Say };

export const NameField = ({ value, message, say }: NameProps) => (
  <Field name="name" label={say("name")} hint={say("nameHint")} message={message}>
    <input type="text" {...described("name", { hint: true, message })} value={value} autocomplete="nickname" />
  </Field>
);

export const openedNow = (c: Context<AppEnv>, board: Pick<SignInBoard, "id">): Promise<string> =>
  signOpened(Date.now(), board.id, c.get("settings").signingKeys);

export async function respondWithSignIn(
  c: Context<AppEnv>,
  board: SignInBoard,
  { email, name, notice, faults = {} }: Typed,
): Promise<Response> {
  const { voice, to } = board;
  const { say, path } = voice;
  // Known before the form is sent: a form that is sent twice comes from one browser.
  if (board.byEmail && readAsking(c, board.id) === undefined)
    keepAsking(c, board.id, { handle: createHandle(secureRandomBytes), proof: "", name: "" });
  const [emailFault, nameFault] = [faults.email && say(faults.email), faults.name && say(faults.name)];
  return respondWithPage(c, {
    voice,
    title: say("signInTo", { board: board.name }),
    children: (
      <>
        <p>{say("lead")}</p>
        <Notice text={notice && say(notice)} />
        {board.byEmail && (
          <form class="fields" method="post" action={path("/sign-in")}>
            <Field name="email" label={say("email")} message={emailFault}>
              <input
                type="email"
                {...described("email", { message: emailFault })}
                value={email}
                autocomplete="email"
                inputmode="email"
                autocapitalize="none"
                spellcheck={false}
                required
              />
            </Field>
            <NameField value={name} message={nameFault} say={say} />
            <SendsCode opened={await openedNow(c, board)} to={to} />
            <p>
              <button type="submit" class="page-button primary">
                {say("sendCode")}
              </button>
            </p>
          </form>
        )}
        {board.byEmail && board.elsewhere && <p class="or">{say("or")}</p>}
        {board.elsewhere && (
          <p>
            <a
              class={board.byEmail ? "page-button" : "page-button primary"}
              rel="nofollow"
              href={path("/sign-in/elsewhere", { return: to })}
            >
              {say("elsewhere")}
            </a>
          </p>
        )}
        <p>
          <a href={to}>{say("back", { board: board.name })}</a>
        </p>
      </>
    ),
  });
}
