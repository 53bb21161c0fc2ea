/** Asking a visitor to sign in. */
import { h } from "../shared/h.ts";
import type { BoardContext } from "./board-context.ts";

type Words = BoardContext["words"];

export const signInButton = (words: Words, signIn: () => void): HTMLElement =>
  h(
    "button",
    { type: "button", class: "button primary", part: "button button-primary", onclick: signIn },
    words.say("signIn"),
  );

/** The question, before a form. */
export const signInAsk = (words: Words, signIn: () => void): HTMLElement =>
  h("div", { class: "aside ask" }, h("p", {}, words.say("sign-in-required")), signInButton(words, signIn));
