/** Opens the launcher around an element, if it is in one: a link leads into the panel. The launcher's script may run later. */
export async function openLauncher(inside: Element): Promise<void> {
  const launcher = inside.closest<HTMLElement & { open(): void }>("idea-bank-launcher");
  if (!launcher) return;
  await customElements.whenDefined(launcher.localName);
  launcher.open();
}
