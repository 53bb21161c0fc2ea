/** A form that keeps its draft, sends once, and shows errors beside the fields. */
import { h } from "../shared/h.ts";
import { isRequestFailure, requestFailure } from "../shared/request-failure.ts";
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
  /** The present text, when it is edited. */
  readonly value?: string;
};

type FormOptions = {
  readonly fields: readonly Field[];
  readonly submit: string;
  /** The name of the draft. */
  readonly draft: string;
  /** For a form that edits: reads the present text again, and shows it. */
  readonly reread?: () => Promise<Fields>;
  /** Goes on after a visitor's sign-in. */
  readonly begun?: Begun;
  /** `fields` are all; with `reread` those that the visitor has changed. */
  readonly send: (fields: Fields, idempotencyKey: string) => Promise<void>;
  readonly cancel?: () => void;
};

/** So many characters before the limit, the visitor is told how many are left. */
const NEAR = 50;

let forms = 0;

/** A visitor is asked to sign in before writing. What is written all the same is kept until then. */
export function form(
  options: FormOptions,
  { ideaBank, words, signal, announce, report, signIn }: BoardContext,
): HTMLFormElement {
  const { begun = {}, fields, reread, cancel } = options;
  const draft = new Draft(ideaBank, options.draft);
  const { kept } = draft;
  /** What the visitor's changes are changes of. */
  let base: Record<string, string> = { ...kept.base };
  const number = ++forms;
  const inputs = fields.map(({ name, label, hint, maxLength, rows, optional, value = "" }) => {
    const id = `field-${number}-${name}`;
    const noteId = `${id}-note`;
    const attributes = {
      id,
      name,
      placeholder: hint,
      part: "field",
      dir: "auto",
      class: "field",
      "aria-describedby": noteId,
    };
    const input = rows ? h("textarea", { ...attributes, rows }) : h("input", { ...attributes, autocomplete: "off" });
    base[name] ??= value;
    const text = kept.fields[name] ?? value;
    // A field that the visitor had not changed is shown as it is now.
    input.value = text === base[name] ? value : text;
    const note = h("p", { id: noteId });
    /** Notes what is wrong, or how many characters are left near the limit: what is too long is not cut. Returns whether it can be sent. */
    const check = (isSent = false) => {
      // As the API counts.
      const length = [...input.value.trim()].length;
      const left = maxLength - length;
      const missing = isSent && !optional && length === 0;
      const isWrong = missing || left < 0;
      note.textContent = missing
        ? words.say("required")
        : left > NEAR
          ? ""
          : words.say(isWrong ? "tooLong" : "charactersLeft", { count: Math.abs(left) });
      note.hidden = note.textContent === "";
      note.className = isWrong ? "error" : "formats";
      input.ariaInvalid = String(isWrong);
      return !isWrong;
    };
    if (!optional) input.setAttribute("aria-required", "true");
    input.addEventListener("input", () => {
      check();
      draft.write(read(), base);
    });
    check();
    const refusePictures = (event: Event) => {
      const isPaste = event instanceof ClipboardEvent;
      const data = isPaste ? event.clipboardData : event instanceof DragEvent && event.dataTransfer;
      if (!data || data.files.length === 0 || data.types.includes("text/plain")) return;
      // A browser would open a file that is dropped, in place of the page.
      event.preventDefault();
      note.textContent = words.say("noPictures");
      note.hidden = false;
      announce(note.textContent);
    };
    input.addEventListener("paste", refusePictures);
    input.addEventListener("drop", refusePictures);
    const mark = optional && h("span", { class: "mark" }, words.say("optionalField"));
    const formats = rows !== undefined && h("p", { class: "formats" }, words.say("formats"));
    const row = h("div", { class: "row" }, h("label", { for: id }, label, mark), input, formats, note);
    return { name, input, row, check };
  });
  const read = (): Fields => Object.fromEntries(inputs.map(({ name, input }) => [name, input.value]));

  const submit = h(
    "button",
    { type: "button", class: "button primary", part: "button button-primary", onclick: () => void send() },
    options.submit,
  );
  const button = (label: "cancel" | "discard", onclick: () => void) =>
    h("button", { type: "button", class: "button", part: "button", onclick }, words.say(label));
  let sending = false;

  /**
   * The fields that the visitor has changed. Throws once when one of them was changed meanwhile: then the visitor knows, and
   * decides. A change after `now` was read goes unseen.
   */
  function changesFrom(now: Fields): Fields {
    const changed = inputs.filter(({ name, input }) => input.value !== base[name]);
    const isConflict = changed.some(({ name, input }) => now[name] !== base[name] && now[name] !== input.value);
    for (const { name, input } of inputs) if (input.value === base[name]) input.value = now[name] ?? "";
    base = now;
    draft.write(read(), base);
    if (isConflict) throw requestFailure("changed");
    return Object.fromEntries(changed.map(({ name, input }) => [name, input.value]));
  }

  async function send(): Promise<void> {
    const wrong = inputs.filter(({ check }) => !check(true));
    wrong[0]?.input.focus();
    if (wrong.length > 0 || sending) return;
    if (ideaBank.isVisitor) {
      goSignIn();
      return;
    }
    sending = true;
    // `disabled` would lose the focus.
    submit.setAttribute("aria-disabled", "true");
    try {
      const now = await reread?.();
      const changes = now && changesFrom(now);
      const sent = read();
      // A text that was only filled in is a draft from now on.
      if (draft.kept === kept && !isRestored) draft.write(sent, base);
      await options.send(changes ?? sent, draft.kept.idempotencyKey);
      // Text that was typed meanwhile has not been sent, so it stays.
      if (now) base = sent;
      else for (const { name, input } of inputs) if (input.value === sent[name]) input.value = "";
      draft.write(read(), base);
    } catch (error) {
      // Another text would be another idea, or another comment.
      const isUnsure = !reread && isRequestFailure(error) && error.code === "offline";
      if (!signal.aborted) report(isUnsure ? requestFailure("unanswered") : error);
    } finally {
      sending = false;
      submit.removeAttribute("aria-disabled");
    }
  }

  const discard = () => {
    draft.write(base, base);
    cancel?.();
  };
  const goSignIn = () => {
    // The text is as young as the sign-in.
    draft.write(draft.kept.fields, base);
    signIn(begun);
  };
  const isRestored = Object.values(kept.fields).some(Boolean);
  const isDropped = reread !== undefined || ideaBank.isVisitor;
  const element = h(
    "form",
    { class: "form", part: "form", novalidate: true },
    ideaBank.isVisitor && signInAsk(words, goSignIn),
    ...inputs.map(({ row }) => row),
    h(
      "div",
      { class: "buttons" },
      submit,
      // A panelist's new text is kept; a visitor's ends here. What is edited is still there as it was; a draft of it is named as such.
      cancel && button(isDropped && isRestored ? "discard" : "cancel", isDropped ? discard : cancel),
      cancel && !isDropped && isRestored && button("discard", discard),
    ),
  );
  // In a sandbox without `allow-forms` no form is submitted, and Enter in a title decides nothing: so none ever is.
  element.addEventListener("submit", (event) => event.preventDefault());
  element.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing) void send();
  });
  if (cancel) onEscape(element, cancel);
  return element;
}
