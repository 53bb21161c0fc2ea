/** The browser's storage, where there is one: a sandboxed page and a strict visitor have none, and nothing is remembered there. */

/** For good, or for the tab. */
type Place = "localStorage" | "sessionStorage";

export function recall(key: string, place: Place = "localStorage"): string | null {
  try {
    return window[place].getItem(key);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string, place: Place = "localStorage"): void {
  try {
    window[place].setItem(key, value);
  } catch {
    // Full, or forbidden.
  }
}

export function forget(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // Forbidden: nothing is there.
  }
}
