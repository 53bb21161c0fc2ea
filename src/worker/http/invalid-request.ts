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

/** What is wrong with a field that the schema does not have; undefined if there is no more to say than that. */
type ExplainField = (path: readonly PropertyKey[]) => string | undefined;

/** The value as the schema parses it. Throws `invalid-request`. */
export function parseOrThrow<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  explain: ExplainField = () => undefined,
): z.output<Schema> {
  const parsed = z.safeParse(schema, value, { error: ruleOf });
  if (parsed.success) return parsed.data;
  throw invalid(onceEach(parsed.error.issues.flatMap((issue) => toFieldErrors(issue, explain))));
}

/** Each fault once: a value of another type also breaks the rules about its length, and one rule can have several checks. */
function onceEach(errors: readonly (FieldError & { readonly isType: boolean })[]): FieldError[] {
  const ofType = new Set(errors.flatMap(({ path, isType }) => (isType ? [path] : [])));
  const faults = errors.filter(({ path, isType }) => isType || !ofType.has(path));
  return [...new Map(faults.map(({ path, message }) => [`${path}\n${message}`, { path, message }])).values()];
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

export const UNKNOWN_FIELD = "is not a known field or parameter";

const toFieldErrors = (issue: z.core.$ZodIssue, explain: ExplainField) =>
  issue.code === "unrecognized_keys"
    ? issue.keys.map((key) => {
        const path = [...issue.path, key];
        return { path: path.join("."), message: explain(path) ?? UNKNOWN_FIELD, isType: false };
      })
    : [{ path: issue.path.join("."), message: issue.message, isType: issue.code === "invalid_type" }];
