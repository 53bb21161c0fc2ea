/** The buttons of a survey. */
import { h } from "../shared/h.ts";

export const button = (label: string, onclick: () => void, look: "" | "primary" | "danger" = ""): HTMLButtonElement => {
  const isPrimary = look === "primary";
  const part = isPrimary ? "button button-primary" : "button";
  return h("button", { type: "button", class: `button ${look}`, part, onclick }, label);
};

/** One that looks like a link. */
export const quietButton = (label: string, onclick: () => void): HTMLButtonElement =>
  h("button", { type: "button", class: "link quiet", onclick }, label);
