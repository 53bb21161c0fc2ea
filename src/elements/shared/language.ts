/** The language that the page names for an element: its own `lang`, or the nearest one around it, through shadow roots. */
export function languageOf(element: Element): string {
  const root = element.getRootNode();
  const named = element.closest("[lang]");
  if (!named && root instanceof ShadowRoot) return languageOf(root.host);
  try {
    // `en_US` is no language tag, but pages say it.
    const [language] = Intl.getCanonicalLocales(named?.getAttribute("lang")?.replaceAll("_", "-"));
    return language ?? navigator.language;
  } catch {
    return navigator.language;
  }
}
