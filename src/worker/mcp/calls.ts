/** A call of a tool becomes a request of its operation. Here is how, and how its answer is shown to an agent. */
import * as z from "zod/mini";
import { invalid } from "../http/invalid-request.ts";
import { JSON_TYPE } from "../http/read-body.ts";
import { IDEMPOTENCY_KEY, parametersOf, SHOWN_CHARACTERS, type Tool, WHOLE_TEXTS } from "./tools.ts";

type Arguments = Readonly<Record<string, unknown>>;

/**
 * The request that a call of a tool becomes. What is no parameter of the path is the query or the body, whose rules the operation
 * checks. Throws `invalid-request`. `headers` are those of the caller.
 */
export function toRequest(
  tool: Tool,
  {
    given: { [IDEMPOTENCY_KEY]: idempotencyKey, ...given },
    origin,
    headers,
  }: { readonly given: Arguments; readonly origin: string; readonly headers: Headers },
): Request {
  const { method, path, body, query, fields } = tool;
  const parameters = parametersOf(path);
  const url = new URL(
    path.replace(/\{(\w+)\}/g, (_, name: string) => toSegment(name, given[name])),
    origin,
  );
  const isInput = (name: string) => !parameters.includes(name) && !(query && name === WHOLE_TEXTS);
  const shape = tool.effect === "adds" && body instanceof z.ZodMiniObject ? body.shape : {};
  const rest = Object.entries(given)
    .filter(([name, value]) => isInput(name) && !isUnset(shape, name, value))
    .map(([name, value]) => [name, withoutUnset(shape[name], value)] as const);
  const unknown = rest.filter(([name]) => fields !== undefined && !fields.includes(name));
  if (unknown.length > 0) throw invalid(unknown.map(([path]) => ({ path, message: "is not for agents" })));
  if (idempotencyKey !== undefined && idempotencyKey !== null) headers.set("Idempotency-Key", toHeader(idempotencyKey));
  if (body !== undefined) {
    headers.set("Content-Type", JSON_TYPE);
    return new Request(url, { method, headers, body: JSON.stringify(Object.fromEntries(rest)) });
  }
  // Not those of the URL: each change to them rewrites the whole URL.
  const parametersOfQuery = new URLSearchParams();
  for (const [name, value] of rest)
    for (const each of [value].flat())
      if (each !== null) parametersOfQuery.append(name, typeof each === "string" ? each : JSON.stringify(each));
  url.search = parametersOfQuery.toString();
  return new Request(url, { method, headers });
}

type Shape = Readonly<Record<string, z.core.$ZodType>>;

/**
 * Many clients send null for an argument that they leave out. In a creation it can mean nothing else, where the field takes no null. In
 * a change it could be meant to clear the field, so there the operation refuses it.
 */
function isUnset(shape: Shape, name: string, value: unknown): boolean {
  const field = shape[name];
  return value === null && field !== undefined && !z.safeParse(field, null).success;
}

/** The same for the items of a batch. */
function withoutUnset(field: z.core.$ZodType | undefined, value: unknown): unknown {
  if (!(field instanceof z.ZodMiniArray && field.def.element instanceof z.ZodMiniObject && Array.isArray(value)))
    return value;
  const { shape } = field.def.element;
  return value.map((item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).filter(([name, each]) => !isUnset(shape, name, each)))
      : item,
  );
}

/** One part of a path, whatever is in it. A URL cannot hold an empty one, and takes dots for the way up. */
function toSegment(name: string, value: unknown): string {
  if (typeof value !== "string" || /^\.{0,2}$/.test(value))
    throw invalid([{ path: name, message: "must be a string, not empty and not of dots alone" }]);
  return encodeURIComponent(value.toWellFormed());
}

/** A value that no header can hold becomes an empty one, which is refused. */
const toHeader = (value: unknown): string => (typeof value === "string" && /^[ -~]*$/.test(value) ? value : "");

/** The answer as an agent gets it: in a list long texts are cut, because clients refuse an answer of many tokens. */
export const toShown = ({ query }: Tool, { [WHOLE_TEXTS]: whole }: Arguments, answer: string): string =>
  query === undefined || whole === true
    ? answer
    : JSON.stringify(JSON.parse(answer), (name, value: unknown) =>
        typeof value === "string" && value.length > SHOWN_CHARACTERS && name !== "nextCursor" ? cut(value) : value,
      );

/** Counted in Unicode characters, as the API counts. */
function cut(text: string): string {
  const characters = [...text];
  const shown = characters.slice(0, SHOWN_CHARACTERS).join("");
  return characters.length > SHOWN_CHARACTERS
    ? `${shown}… (the first ${SHOWN_CHARACTERS} of ${characters.length} characters)`
    : text;
}
