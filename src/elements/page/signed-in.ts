/**
 * The page that a tenant's own sign-in leads back to. The token is in the fragment, which no server sees: it leaves the address before
 * anything else happens, so neither Back nor a copied address has it.
 */
const fragment = new URLSearchParams(location.hash.slice(1));
history.replaceState(null, "", location.pathname + location.search);

const place = document.querySelector<HTMLElement>("[data-session]");

/** `path`: where the visitor wanted to go, as far as it is known. */
function refuse(path: string | null): void {
  place?.querySelector("[data-waiting]")?.remove();
  place?.querySelector("[data-refused]")?.removeAttribute("hidden");
  const again = place?.querySelector<HTMLAnchorElement>("[data-again]");
  if (!again) return;
  const address = new URL(again.href);
  if (path) address.searchParams.set("return", path);
  again.href = address.href;
  again.focus();
}

async function begin(address: string): Promise<void> {
  const answer = await fetch(address, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token: fragment.get("token") ?? "", state: fragment.get("state") ?? "" }),
  });
  const { return: path }: { return?: string | null } = await answer.json();
  if (!answer.ok || !path) return refuse(path ?? null);
  // A board goes on with what was begun where the page before is below its `sign-in-url`.
  history.replaceState(null, "", "sign-in");
  location.replace(path);
}

begin(place?.dataset.session ?? "").catch(() => refuse(null));
