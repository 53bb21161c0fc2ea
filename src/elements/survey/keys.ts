/** What a key means inside a survey (pure). */

/** The fields of a `KeyboardEvent` that count. */
type Pressed = { readonly key: string; readonly keyCode: number } & Readonly<
  Record<"isComposing" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey", boolean>
>;
/** Where the focus is: a text of one line, of several lines, an option, or anything else. */
export type Focused = "line" | "lines" | "radio" | "checkbox" | "button";

/** `enter` chooses the option at the focus, or goes on. */
type KeyAction =
  | { readonly do: "move"; readonly by: 1 | -1 }
  | { readonly do: "digit"; readonly digit: string }
  | { readonly do: "enter" };

const ARROWS: Readonly<Record<string, 1 | -1>> = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -1, ArrowRight: 1 };

/** Whether the key is part of the input of a character, as in Japanese. Safari only says so by its code, 229. */
const isComposed = ({ isComposing, keyCode }: Pressed): boolean => isComposing || keyCode === 229;

/** Undefined where the browser, or the field, has its own use of the key. */
export function keyAction(pressed: Pressed, focused: Focused, isRightToLeft: boolean): KeyAction | undefined {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = pressed;
  if (isComposed(pressed) || altKey) return undefined;
  if (key === "Enter" && !shiftKey) {
    const isPlain = !ctrlKey && !metaKey;
    return focused !== "button" && (focused !== "lines" || !isPlain) ? { do: "enter" } : undefined;
  }
  if (ctrlKey || metaKey || focused === "line" || focused === "lines") return undefined;
  const by = ARROWS[key];
  if (by !== undefined) {
    if (focused === "button" || shiftKey) return undefined;
    const isAgainst = isRightToLeft && (key === "ArrowLeft" || key === "ArrowRight");
    return { do: "move", by: isAgainst ? (-by as 1 | -1) : by };
  }
  return /^\d$/.test(key) ? { do: "digit", digit: key } : undefined;
}

/** A page's shortcut must not take it: it was pressed inside. Escape and Tab are the page's, and so is everything with Ctrl or Cmd. */
export const staysInside = ({ key, ctrlKey, metaKey }: Pressed): boolean =>
  !ctrlKey && !metaKey && key !== "Escape" && key !== "Tab";

/** So many points have a key each; on a longer scale the digits of a point are typed. */
export const KEYS = 9;

/** The digits typed so far, with one more. One that leads to no point begins anew. */
export function typeDigit(typed: string, digit: string, points: readonly number[]): string {
  const leads = (text: string) => points.some((point) => String(point).startsWith(text));
  return [typed + digit, digit].find(leads) ?? "";
}
