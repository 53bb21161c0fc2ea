/** The problem `invalid-request`. It names all fields that break their rules at once. */
import * as z from "zod/mini";
import { Problem } from "../problem.ts";

/** `path` is the field's path, its names joined by dots; empty for the whole input. */
export type FieldError = { readonly path: string; readonly message: string };

/** Names at most this many, because a body of 64 KiB can break rules in thousands of places. */
const MAX_ERRORS = 20;
/** The shown length of a path that the client has made up. */
const SHOWN_PATH = 100;

/** `detail` repeats the first, because many clients log nothing else. */
export function invalid(errors: readonly FieldError[]): Problem {
  const [{ path, message } = { path: "", message: "breaks a rule" }, ...others] = errors;
  const subject = path === "" ? "The request body" : `\`${path.slice(0, SHOWN_PATH)}\``;
  const more = others.length === 0 ? "" : ` \`errors\` names ${Math.min(others.length, MAX_ERRORS - 1)} more.`;
  return new Problem("invalid-request", {
    detail: `${subject} ${message}.${more}`,
    extensions: { errors: errors.slice(0, MAX_ERRORS) },
  });
}

/** The value as the schema parses it. Throws `invalid-request`. */
export function parseOrThrow<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = z.safeParse(schema, value, { error: ruleOf });
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error.issues.flatMap(toFieldErrors));
}

const TYPES: Readonly<Record<string, string>> = {
  array: "must be a list",
  boolean: "must be true or false",
  int: "must be an integer",
  number: "must be a number",
  object: "must be an object",
  string: "must be a string",
};

/** The rule, for a schema that does not say it itself. */
function ruleOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is required" : TYPES[issue.expected];
    case "too_big":
      return `must have at most ${issue.maximum} ${issue.origin === "array" ? "items" : "characters"}`;
    case "too_small":
      return `must have at least ${issue.minimum} ${issue.origin === "array" ? "item" : "character"}${issue.minimum === 1 ? "" : "s"}`;
    default:
      return undefined;
  }
}

const toFieldErrors = (issue: z.core.$ZodIssue): FieldError[] =>
  issue.code === "unrecognized_keys"
    ? issue.keys.map((key) => ({ path: [...issue.path, key].join("."), message: "is not a known field or parameter" }))
    : [{ path: issue.path.join("."), message: issue.message }];
