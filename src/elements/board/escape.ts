/** Escape closes only the innermost part with the focus: neither an idea around a form, nor a panel around the board. */
export function onEscape(element: HTMLElement, leave: () => void): void {
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    leave();
  });
}
