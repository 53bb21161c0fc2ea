/** A form that keeps its draft, sends once, and shows errors beside the fields. */
import { h } from "../shared/h.ts";
import type { Begun } from "./begun.ts";
import type { BoardContext } from "./board-context.ts";
import { Draft, type Fields } from "./draft.ts";
import { onEscape } from "./escape.ts";
import { signInAsk } from "./sign-in.ts";

type Field = {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly maxLength: number;
  /** More than one line. */
  readonly rows?: number;
  /** It may stay empty. */
  readonly optional?: true;
  /** Replaces the draft. */
  readonly value?: string;
};

export type FormOptions = {
  readonly fields: readonly Field[];
  readonly submit: string;
  /** The owner of the draft; undefined for a form that keeps none. */
  readonly draft?: string;
  /** Goes on after a visitor's sign-in. */
  readonly begun?: Begun;
  readonly send: (fields: Fields, idempotencyKey: string) => Promise<void>;
  readonly cancel?: () => void;
};

let forms = 0;

/** A visitor is asked to sign in before writing. What is written all the same is kept until then. */
export function form(options: FormOptions, { ideaBank, words, signal, report, signIn }: BoardContext): HTMLFormElement {
  const { begun = {} } = options;
  const draft = options.draft === undefined ? undefined : new Draft(ideaBank.who, ideaBank.bank, options.draft);
  const number = ++forms;
  const inputs = options.fields.map(({ name, label, hint, maxLength, rows, optional, value }) => {
    const id = `field-${number}-${name}`;
    const attributes = {
      id,
      name,
      maxlength: maxLength,
      placeholder: hint,
      part: "field",
      dir: "auto",
      class: "field",
    };
    const input = rows ? h("textarea", { ...attributes, rows }) : h("input", { ...attributes, autocomplete: "off" });
    input.value = value ?? draft?.fields[name] ?? "";
    const error = h("p", { id: `${id}-error`, class: "error", hidden: true }, words.say("required"));
    const complain = (missing: boolean) => {
      error.hidden = !missing;
      input.setAttribute("aria-invalid", String(missing));
      if (missing) input.setAttribute("aria-describedby", error.id);
      else input.removeAttribute("aria-describedby");
    };
    if (!optional) input.setAttribute("aria-required", "true");
    input.addEventListener("input", () => {
      complain(false);
      draft?.write(read());
    });
    const mark = optional && h("span", { class: "mark" }, words.say("optionalField"));
    const formats = rows !== undefined && h("p", { class: "formats" }, words.say("formats"));
    const row = h("div", { class: "row" }, h("label", { for: id }, label, mark), input, formats, error);
    return { name, input, row, complain, optional };
  });
  const read = (): Fields => Object.fromEntries(inputs.map(({ name, input }) => [name, input.value]));

  const submit = h(
    "button",
    { type: "submit", class: "button primary", part: "button button-primary" },
    options.submit,
  );
  const cancel =
    options.cancel &&
    h("button", { type: "button", class: "button", part: "button", onclick: options.cancel }, words.say("cancel"));
  let sending = false;

  async function send(): Promise<void> {
    const missing = inputs.filter(({ input, complain, optional }) => {
      const isMissing = !optional && input.value.trim() === "";
      complain(isMissing);
      return isMissing;
    });
    missing[0]?.input.focus();
    if (missing.length > 0 || sending) return;
    if (ideaBank.isVisitor) {
      signIn(begun);
      return;
    }
    sending = true;
    // `disabled` would lose the focus.
    submit.setAttribute("aria-disabled", "true");
    try {
      const sent = read();
      await options.send(sent, draft?.idempotencyKey ?? "");
      // Text that was typed meanwhile has not been sent, so it stays.
      for (const { name, input } of inputs) if (input.value === sent[name]) input.value = "";
      draft?.write(read());
    } catch (error) {
      if (!signal.aborted) report(error);
    } finally {
      sending = false;
      submit.removeAttribute("aria-disabled");
    }
  }

  const element = h(
    "form",
    { class: "form", part: "form", novalidate: true },
    ideaBank.isVisitor && signInAsk(words, () => signIn(begun)),
    ...inputs.map(({ row }) => row),
    h("div", { class: "buttons" }, submit, cancel),
  );
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    void send();
  });
  if (options.cancel) onEscape(element, options.cancel);
  return element;
}
