/** Links into what an element shows: a comment, an entry. Their addresses are the page's own with parameters of ours. */
import type { Attributes } from "./h.ts";

/** With these parameters in the place of those before; all others, and the hash, stay as the page has written them. */
export function withParameters(page: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const address = new URL(page);
  const parts = address.search ? address.search.slice(1).split("&") : [];
  const others = parts.filter((part) => !Object.hasOwn(parameters, part.replace(/=.*/, "")));
  const own = Object.entries(parameters).flatMap(([name, value]) =>
    value ? `${name}=${encodeURIComponent(value)}` : [],
  );
  address.search = [...others, ...own].join("&");
  return address.href;
}

/** Of the page's own address. */
export const parameter = (name: string): string | undefined =>
  new URLSearchParams(location.search).get(name) || undefined;

/** A click that shall follow a link here, and not in another tab or window. */
export const isPlain = (event: Event): boolean =>
  !(event instanceof MouseEvent && (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey));

/** Of a link to what stands around it: a plain click marks that, and the page's address is its own from then on. */
export const linkHere = (href: string | undefined, place: () => HTMLElement): Attributes => ({
  href,
  onclick: (event) => {
    const { currentTarget: link } = event;
    if (!isPlain(event) || !(link instanceof HTMLAnchorElement) || !link.href) return;
    event.preventDefault();
    mark(place());
    try {
      // A router finds its own state in each entry.
      history.replaceState(history.state, "", link.href);
    } catch {
      // Browsers limit how often.
    }
  },
});

/** As what an address names: the only marked one of its element, in view, and where the keyboard goes on. */
export function mark(place: HTMLElement): void {
  place.closest(".root")?.querySelector(".target")?.classList.remove("target");
  place.classList.add("target");
  place.tabIndex = -1;
  place.scrollIntoView({ block: "center" });
  place.focus({ preventScroll: true });
}
