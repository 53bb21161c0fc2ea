/** Asking a visitor to sign in. */
import { h } from "../shared/h.ts";
import type { BoardContext } from "./board-context.ts";

export const primaryButton = (text: string, onclick: () => void): HTMLElement =>
  h("button", { type: "button", class: "button primary", part: "button button-primary", onclick }, text);

/** The question, before a form. */
export const signInAsk = (words: BoardContext["words"], signIn: () => void): HTMLElement =>
  h(
    "div",
    { class: "aside ask" },
    h("p", {}, words.say("sign-in-required")),
    primaryButton(words.say("signIn"), signIn),
  );
