/** The language that the page names for an element: its own `lang`, or the nearest one around it, through shadow roots. */
export function languageOf(element: Element): string {
  const root = element.getRootNode();
  const named = element.closest("[lang]");
  if (!named && root instanceof ShadowRoot) return languageOf(root.host);
  // `en_US` is no language tag, but pages say it.
  return canonical(named?.getAttribute("lang")?.replaceAll("_", "-")) ?? canonical(navigator.language) ?? "en";
}

/** Calls `changed` when a `lang` changes, of the element or around it, until it is disconnected. */
export function observeLanguage(
  element: Element,
  changed: () => void,
  observer = new MutationObserver(changed),
): MutationObserver {
  const root = element.getRootNode();
  observer.observe(root, { attributeFilter: ["lang"], subtree: true });
  return root instanceof ShadowRoot ? observeLanguage(root.host, changed, observer) : observer;
}

/** Undefined for a text that is not a language, because `Intl` throws on it. */
function canonical(language: string | undefined): string | undefined {
  try {
    return Intl.getCanonicalLocales(language)[0];
  } catch {
    return undefined;
  }
}
