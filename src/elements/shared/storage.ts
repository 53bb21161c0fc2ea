/** The browser's local storage, where there is one: a sandboxed page or a strict visitor has none, and loses only what it remembers. */

export function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** null forgets. */
export function remember(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Full, or forbidden.
  }
}
