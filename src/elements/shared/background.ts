/** A page that names no `color-scheme` can be dark all the same: the background around an element says so. */
import { h } from "./h.ts";

/** The element around it as it is drawn: through slots and shadow roots. A document has no host. */
const around = (element: Element): Element | null | undefined =>
  element.assignedSlot ?? element.parentElement ?? (element.getRootNode() as Partial<ShadowRoot>).host;

/** Gives `root`, which is in an element's shadow root, the scheme of the background around it, until the signal. */
export function followBackground(root: HTMLElement, signal: AbortSignal): void {
  const follow = () => {
    const probe = root.appendChild(h("i"));
    let each = around(root);
    let isDark = false;
    // The page's own scheme, or the element's, comes first.
    if (each && getComputedStyle(each).colorScheme !== "normal") each = null;
    for (; each; each = around(each)) {
      const { backgroundColor } = getComputedStyle(each);
      // Mixed with itself, every color is written in the same way, the lightness first. What is more transparent shows what is behind it.
      probe.style.color = `color-mix(in oklab, ${backgroundColor}, ${backgroundColor})`;
      const [lightness, , , opacity = 1] = (getComputedStyle(probe).color.match(/[\d.e-]+/g) ?? []).map(Number);
      if (opacity < 0.5) continue;
      isDark = lightness !== undefined && lightness < 0.5;
      break;
    }
    probe.remove();
    root.classList.toggle("dark", isDark);
  };
  follow();
  // A page changes its theme by an attribute of one of them, at once or slowly.
  const changes = new MutationObserver(follow);
  for (let each = around(root); each; each = around(each)) changes.observe(each, { attributes: true });
  signal.addEventListener("abort", () => changes.disconnect());
  window.addEventListener("transitionend", ({ propertyName }) => propertyName === "background-color" && follow(), {
    signal,
  });
}
