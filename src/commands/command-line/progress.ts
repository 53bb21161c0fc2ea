/** How far a long command is, for the person who waits for it. */
import type { Context } from "./context.ts";

/** Where there is no terminal, a line comes at most so often: it stays in the log. */
const EVERY_MS = 30_000;
/** So long nobody wonders whether it hangs. */
const QUIET_SECONDS = 10;

type Teller = Pick<Context, "complain" | "showProgress">;

/** The function tells a state: on a terminal in place of the one before, elsewhere now and then, on standard error. */
export function createProgress({ showProgress, complain }: Teller): (line: string) => void {
  if (showProgress !== undefined) return showProgress;
  let last = Date.now();
  return (line) => {
    if (Date.now() - last < EVERY_MS) return;
    last = Date.now();
    complain(line);
  };
}

/** Tells what the command waits for, until the returned function is called. */
export function tellWhileWaiting(context: Teller, what: string): () => void {
  const tell = createProgress(context);
  const start = Date.now();
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - start) / 1_000);
    if (seconds >= QUIET_SECONDS) tell(`Still waiting for ${what}: ${seconds} s`);
  }, 1_000);
  return () => clearInterval(timer);
}
