/** `invalid-request`, naming the fields that break their rules, all at once. */
import * as z from "zod/mini";
import { Problem } from "../problem.ts";

/** `path` is the field's path, its names joined by dots; empty for the whole input. */
export type FieldError = { readonly path: string; readonly message: string };

/** A body of 64 KiB can break rules in thousands of places: this many are named. */
const MAX_ERRORS = 20;

export const invalid = (errors: readonly FieldError[]): Problem =>
  new Problem("invalid-request", { extensions: { errors: errors.slice(0, MAX_ERRORS) } });

/** The value as the schema parses it. Throws `invalid-request`. */
export function parseOrThrow<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = z.safeParse(schema, value);
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error.issues.flatMap(toFieldErrors));
}

function toFieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: [...issue.path, key].join("."), message: "is not a known field" }));
  }
  const notAnObject = issue.code === "invalid_type" && issue.expected === "object";
  return [{ path: issue.path.join("."), message: notAnObject ? "must be an object" : issue.message }];
}
