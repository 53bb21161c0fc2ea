/** Links into what an element shows: a comment, an entry. Their addresses are the page's own with parameters of ours. */
import type { Attributes } from "./h.ts";

/**
 * With these parameters in the place of those before; all others, and the hash, stay as the page has written them. The second stands
 * behind the first: elsewhere, one of its name is the page's.
 */
export function withParameters(page: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const address = new URL(page);
  const parts = address.search ? address.search.slice(1).split("&") : [];
  const names = Object.keys(parameters);
  let isOwn = false;
  const others = parts.filter((part) => {
    const at = names.indexOf(part.replace(/=.*/, ""));
    isOwn = at === 0 || (at > 0 && isOwn);
    return !isOwn;
  });
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
  place.scrollIntoView({ block: place.offsetHeight * 2 > window.innerHeight ? "start" : "center" });
  const root = place.getRootNode();
  if (root instanceof ShadowRoot && mayFocus(root.host)) place.focus({ preventScroll: true });
}

/** The focus is not taken from a field of the page. */
export function mayFocus(element: Element): boolean {
  // An `<img name="activeElement">` in the page hides the document's own property.
  const focused = Reflect.get(Document.prototype, "activeElement", document);
  return (
    focused === null || focused.localName === "body" || focused.contains(element) || element.matches(":focus-within")
  );
}
