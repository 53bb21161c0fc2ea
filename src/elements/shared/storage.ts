/** The browser's storage. Where there is none (a sandboxed page, a strict visitor), and where it is full, memory keeps it until the page is left. */

/** For good, or for the tab. */
type Place = "localStorage" | "sessionStorage";

/** The values that the browser's storage refused. */
const memory: Record<string, string | undefined> = {};

export function recall(key: string, place: Place = "localStorage"): string | null {
  try {
    return memory[key] ?? window[place].getItem(key);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string, place: Place = "localStorage"): void {
  try {
    window[place].setItem(key, value);
    memory[key] = undefined;
  } catch {
    // Full, or forbidden.
    memory[key] = value;
  }
}

/** The keys that begin with this, in either place. */
export function keysWith(beginning: string): readonly string[] {
  const keys = Object.keys(memory);
  try {
    keys.push(...Object.keys(window.sessionStorage), ...Object.keys(window.localStorage));
  } catch {
    // Forbidden: nothing is there.
  }
  return [...new Set(keys)].filter((key) => key.startsWith(beginning));
}

export function forget(key: string, place: Place = "localStorage"): void {
  memory[key] = undefined;
  try {
    window[place].removeItem(key);
  } catch {
    // Forbidden: nothing is there.
  }
}
