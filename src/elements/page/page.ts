/**
 * The script of a board's own page: who is signed in, and what goes with them. The elements have their token from here, so that it is asked
 * for once; without this script they ask the same address themselves. `[data-signed-in]` and `[data-signed-out]` are the parts of the page
 * for either, `[data-name]` is the place of the name, `form[data-sign-out]` signs out.
 */
import { requestFailure } from "../shared/request-failure.ts";
import { ownerOf } from "../shared/token-owner.ts";
import { forgetToken, nextToken, provide } from "../shared/tokens.ts";

/** In the answer with a person's token: the name as in an address. Empty for a person without one. */
const SIGNED_IN = "Signed-In-As";
const ELEMENTS = "idea-bank-board, idea-bank-roadmap, idea-bank-changelog, idea-bank-survey";

const all = (selector: string) => document.querySelectorAll<HTMLElement>(selector);

/** Null: nobody is signed in. */
function show(name: string | null): void {
  for (const part of all("[data-signed-in]")) part.hidden = name === null;
  for (const part of all("[data-signed-out]")) part.hidden = name !== null;
  for (const place of all("[data-name]")) {
    // The page's own word for a person without a name.
    place.dataset.name ||= place.textContent;
    place.textContent = (name && decodeURIComponent(name)) || place.dataset.name;
  }
}

/** What the elements keep on this device. The next person at it may be another. */
function forgetPerson(): void {
  for (const place of ["localStorage", "sessionStorage"] as const) {
    try {
      for (const key of Object.keys(window[place])) if (key.startsWith("idea-bank-")) window[place].removeItem(key);
    } catch {
      // Forbidden: nothing is there.
    }
  }
}

/** Of the last token; empty for a visitor. */
let person = "";

/** What else the page says of what is shown: its title, and the ways that lead back to it. */
function follow(title: string | null): void {
  // Not by `dataset`: short names of properties are not those of attributes.
  const [list, board] = ["data-list", "data-board"].map((name) => document.body.getAttribute(name) ?? "");
  document.title = title === null ? (list ?? "") : `${title} · ${board}`;
  for (const link of document.querySelectorAll<HTMLAnchorElement>("a[hreflang]")) link.pathname = location.pathname;
  for (const link of document.querySelectorAll<HTMLAnchorElement>("a[data-signed-out]")) {
    const address = new URL(link.href);
    address.searchParams.set("return", location.pathname);
    link.href = address.href;
  }
  for (const link of document.querySelectorAll<HTMLLinkElement>("link[rel=canonical]")) {
    const address = new URL(link.href);
    address.pathname = location.pathname;
    link.href = address.href;
  }
}

/** Of the idea that is shown; null for the list. */
let shown: string | null = null;
document.addEventListener("idea-shown", (event) => {
  const { title } = (event as CustomEvent<{ title: string | null }>).detail;
  shown = title;
  follow(shown);
});
// Going back takes a moment after the list is shown.
window.addEventListener("popstate", () => setTimeout(() => follow(shown)));

function begin(address: string): void {
  const ask = async () => {
    const answer = await fetch(address, { cache: "no-store" });
    if (answer.status >= 500) throw requestFailure("failed");
    const token = answer.ok ? await answer.text() : "";
    const name = answer.headers.get(SIGNED_IN);
    const now = name === null ? "" : ownerOf(token).panelist;
    if (person && now !== person) forgetPerson();
    tabs.postMessage(now);
    person = now;
    show(name);
    return token;
  };
  provide(address, ask);
  // Another tab of this browser may be somebody else's by now.
  const tabs = new BroadcastChannel(`signed in: ${address}`);
  tabs.onmessage = ({ data }) => data !== person && again();
  const read = () => nextToken(ask, undefined, "not-signed-in").catch(() => {});
  /** Nothing of the person before is shown until it is known who is here now. */
  const again = () => {
    show(null);
    forgetToken(ask);
    for (const element of all(ELEMENTS))
      if ("restart" in element && element.restart instanceof Function) element.restart();
    void read();
  };
  void read();
  // The browser has kept the page as it was: somebody may have signed out since.
  window.addEventListener("pageshow", ({ persisted }) => persisted && again());
  for (const form of all("form[data-sign-out]")) form.addEventListener("submit", forgetPerson);
}

const address = document.querySelector("[token-url]")?.getAttribute("token-url");
if (address) begin(address);
