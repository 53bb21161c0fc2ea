/**
 * The log of failures. Workers Logs and a tail get each line as JSON, in which an error is `{}` or only its message. So an error
 * is written as a text: its message, where it was thrown, and the errors inside it. Credentials and addresses are left out, because
 * an error's message can hold anything.
 */

import { hiddenBeginning, hideCredentials } from "./credentials/hide-credentials.ts";

/** Workers keeps 256 KB of log for an invocation, which may log several failures. */
const MAX_LENGTH = 8_000;
const MAX_DEPTH = 5;
/** At most this many of an AggregateError's errors are written. */
const MAX_ERRORS = 5;

export const logWarning = (message: string, error?: unknown, about?: string): void =>
  console.warn(...lineOf(message, error, about));

export const logError = (message: string, error: unknown, about?: string): void =>
  console.error(...lineOf(message, error, about));

const lineOf = (message: string, error?: unknown, about?: string): string[] => [
  message,
  ...(about === undefined ? [] : [about]),
  ...(error === undefined ? [] : [textOfError(error)]),
];

/** An error as a text, with the errors that caused it. */
export const textOfError = (error: unknown): string => describe(error, MAX_DEPTH).slice(0, MAX_LENGTH);

function describe(error: unknown, depth: number): string {
  if (!(error instanceof Error))
    return typeof error === "object" ? Object.prototype.toString.call(error) : shown(String(error));
  const { name, message, stack = "", cause } = error;
  // The stack begins with the message, whose lines are no frames.
  const frames = stack
    .slice(stack.indexOf(message) + message.length)
    .split("\n")
    .filter((line) => /^\s+at /.test(line));
  const inner = [
    ...(error instanceof AggregateError ? error.errors.slice(0, MAX_ERRORS) : []).map(
      (one: unknown) => ["one of its errors", one] as const,
    ),
    ...(cause === undefined ? [] : [["caused by", cause] as const]),
  ];
  return [
    `${name}: ${shown(message)}`,
    ...frames,
    ...(depth === 0 ? [] : inner.map(([relation, one]) => `${relation}: ${describe(one, depth - 1)}`)),
  ].join("\n");
}

/** A word that may be an e-mail address. It is read to its end, whether it is one or not. */
const WORD = /[^\s@<>"(),;:=]+(@[^\s@<>"'(),;:]+)?/g;

/** No log contains these, nor a credential. Another text replaces them. None begins again within what it has read. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\b\d{1,3}(?:\.\d{1,3}){3}\b/g, "(an address)"],
  [/\b[0-9a-f]{1,4}(?::[0-9a-f]{0,4}){2,7}/gi, "(an address)"],
  // V8 quotes the text that is not JSON.
  [/^([^"]*)".*"(\.\.\.)? is not valid JSON/s, '$1"…" is not valid JSON'],
];

const redact = (text: string): string =>
  SECRETS.reduce(
    (left, [pattern, instead]) => left.replace(pattern, instead),
    hideCredentials(text, undefined).replace(WORD, (word, domain: string | undefined) => (domain ? "…@…" : word)),
  );

const shown = (text: string): string => hiddenBeginning(text, { length: MAX_LENGTH, hide: redact });
