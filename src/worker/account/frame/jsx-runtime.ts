/**
 * JSX in this project makes text. An element becomes its markup at once; strings and attributes in it are escaped. Hono's own
 * runtime also has streams, contexts and a virtual tree, which would be a twentieth of the bundle, and these pages do not need
 * them.
 */
import type { JSX as HonoJsx } from "hono/jsx";

/** Markup, which is not escaped again. Only this file makes it. */
class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** The possible contents of an element. Null, undefined and booleans render nothing. */
export type Child = Markup | string | number | boolean | null | undefined | readonly Child[];

type Props = Readonly<Record<string, unknown>> & { readonly children?: Child };
type Component = (props: Props) => Child;

export declare namespace JSX {
  type Element = Child;
  type ElementType = keyof IntrinsicElements | ((props: never) => Child);
  type IntrinsicElements = {
    [Name in keyof HonoJsx.IntrinsicElements]: Omit<HonoJsx.IntrinsicElements[Name], "children"> & { children?: Child };
  } & Record<"svg" | "rect", { readonly [attribute: string]: string | number | Child }>;
  interface ElementChildrenAttribute {
    children: Child;
  }
  interface IntrinsicAttributes {
    key?: string | number;
  }
}

/** The elements without an end tag that the pages use: https://html.spec.whatwg.org/#void-elements */
const VOID = new Set(["br", "hr", "img", "input", "link", "meta", "wbr"]);
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escapeText = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

function render(child: Child): string {
  if (child === null || child === undefined || typeof child === "boolean") return "";
  if (child instanceof Markup) return child.toString();
  return Array.isArray(child) ? child.map(render).join("") : escapeText(String(child));
}

/** Nothing for null, undefined and false; an empty value for true. Other values must be texts or numbers. */
function attribute([name, value]: [string, unknown]): string {
  if (value === null || value === undefined || value === false) return "";
  if (value === true) return ` ${name}=""`;
  if (typeof value !== "string" && typeof value !== "number") throw new TypeError(`${name} is no text`);
  return ` ${name}="${escapeText(String(value))}"`;
}

export function jsx(type: string | Component, props: Props): Child {
  if (typeof type === "function") return type(props);
  const { children, ...attributes } = props;
  const start = `<${type}${Object.entries(attributes).map(attribute).join("")}`;
  return new Markup(VOID.has(type) ? `${start}/>` : `${start}>${render(children)}</${type}>`);
}

export const Fragment = ({ children }: Props): Child => new Markup(render(children));

export { jsx as jsxDEV, jsx as jsxs };
