/** The styles of a page, in one text that stands in it: the first thing that is shown waits for no second answer. */
import { pageStyles } from "#markup";
import type { Brand } from "../model/brand.ts";
import { LAYOUT_STYLES } from "./layout-styles.ts";

export const pageStylesOf = ({ color }: Brand, element: keyof typeof pageStyles | undefined): string =>
  LAYOUT_STYLES + (color === null ? "" : accentOf(color)) + (element === undefined ? "" : pageStyles[element]);

/** Lighter on a dark page. A deployment's color has contrast with white, so its light form has contrast with black. */
export const accentOf = (color: string): string =>
  `:root{--idea-bank-accent:light-dark(${color},oklch(from ${color} 0.82 min(c,0.13) h));--idea-bank-on-accent:light-dark(#fff,#10142a)}`;

const hashes = new Map<string, string>();

/** The source expression for a Content-Security-Policy, such as `'sha256-…'`. A deployment has one for each element. */
export async function styleSourceOf(styles: string): Promise<string> {
  const known = hashes.get(styles);
  if (known !== undefined) return known;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(styles));
  const source = `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
  hashes.set(styles, source);
  return source;
}
