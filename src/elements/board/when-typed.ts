/** Runs a request while somebody types: after a pause, and only for the last text. */

const PAUSE_MS = 400;

/** `ask` is called with the text, and a signal that ends when something else was typed, or `signal` does. */
export function whenTyped(
  input: HTMLInputElement,
  signal: AbortSignal,
  ask: (text: string, asking: AbortSignal) => Promise<void>,
): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking = new AbortController();
  /** The last text that was asked for, unless its request was ended. */
  let asked: string | undefined = "";
  const settle = () => {
    const text = input.value.trim();
    clearTimeout(timer);
    if (text === asked) return;
    asking.abort();
    asked = undefined;
    asking = new AbortController();
    const { signal: own } = asking;
    timer = setTimeout(
      () => {
        if (signal.aborted) return;
        asked = text;
        void ask(text, AbortSignal.any([signal, own]));
      },
      text === "" ? 0 : PAUSE_MS,
    );
  };
  input.addEventListener("input", settle);
  settle();
}
