/** The environment of a command. Its entry file passes the process's; a test passes one that it can inspect. */
import type { RunWrangler } from "./run-wrangler.ts";

export type Context = {
  /** The project's folder. Every path that a command reads or writes is relative to it. */
  readonly folder: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** A line to standard output. */
  print(line: string): void;
  /** A line to standard error. */
  complain(line: string): void;
  /** A line that each call writes over. Undefined where there is no terminal. */
  readonly showProgress?: ((line: string) => void) | undefined;
  /** Asks the person at the terminal. Undefined where there is none. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  readonly runWrangler: RunWrangler;
};
