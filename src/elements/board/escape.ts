/** Escape leaves what the focus is in, and nothing around it: neither an idea around a form, nor a panel around the board. */
export function onEscape(element: HTMLElement, leave: () => void): void {
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    leave();
  });
}
