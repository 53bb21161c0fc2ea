/** The parameters of a request: those of its path, and those of its query. */
import type { Context } from "hono";
import * as z from "zod/mini";
import { SEVERAL } from "../model/text.ts";
import type { AppEnv } from "./app-env.ts";
import { type FieldError, invalid, UNKNOWN_FIELD } from "./invalid-request.ts";
import type { Operation } from "./operation.ts";

/** Values by name. A parameter that was given several times is a list. */
export type Parameters = Readonly<Record<string, string | string[]>>;

/** Hono keeps an escape that it cannot decode, so `caf%E9` would be the same text as `caf%25E9`. */
const MALFORMED = "must be UTF-8, with each % written as %25";

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The parameters of the path. Their format is not checked. Throws `invalid-request` for an escape that is not UTF-8. */
export function readIds<E extends AppEnv>(c: Context<E>, { path }: Operation): Readonly<Record<string, string>> {
  if (c.req.path.includes("%")) {
    const sent = new URL(c.req.url).pathname.split("/");
    const faults = path
      .split("/")
      .filter((part, index) => part.startsWith("{") && !isDecodable(sent[index] ?? ""))
      .map((part) => ({ path: part.slice(1, -1), message: MALFORMED }));
    if (faults.length > 0) throw invalid(faults);
  }
  return c.req.param();
}

/**
 * The parameters of the query. Throws `invalid-request` for one that is given twice or cannot be decoded. One that the schema does not know is
 * left out if `ignoresUnknown`; otherwise the schema refuses it, and without a schema it is refused here.
 */
export function readParameters<E extends AppEnv>(
  c: Context<E>,
  schema: z.ZodMiniType | undefined,
  ignoresUnknown: boolean,
): Parameters {
  if (!c.req.url.includes("?")) return {};
  const known = schema instanceof z.ZodMiniObject ? schema.shape : {};
  const isRead = (name: string) => !ignoresUnknown || Object.hasOwn(known, name);
  const given = Object.entries(c.req.queries()).filter(([name]) => isRead(name));
  const faults: FieldError[] = [
    ...given
      .filter(([name, values]) => values.length > 1 && !takesSeveral(known[name]))
      .map(([path]) => ({ path, message: "must be given once" })),
    ...malformedNames(c.req.url)
      .filter(isRead)
      .map((path) => ({ path, message: MALFORMED })),
    ...given.filter(() => schema === undefined).map(([path]) => ({ path, message: UNKNOWN_FIELD })),
  ];
  if (faults.length > 0) throw invalid(faults);
  return Object.fromEntries(
    given.map(([name, [first = "", ...more]]) => [name, more.length > 0 ? [first, ...more] : first]),
  );
}

const takesSeveral = (field: z.core.$ZodType | undefined): boolean =>
  field instanceof z.ZodMiniOptional && SEVERAL.has(field.def.innerType);

/** The names of the parameters with an escape that is not UTF-8. */
function malformedNames(url: string): string[] {
  const at = url.indexOf("?");
  if (at === -1 || !url.includes("%", at)) return [];
  const pairs = url.slice(at + 1).split("&");
  return pairs
    .filter((pair) => !isDecodable(pair))
    .map((pair) => pair.replace(/=.*$/s, ""))
    .map((name) => (isDecodable(name) ? decodeURIComponent(name) : name));
}

/** The query as one text: the same for parameters in another order, or escaped in another way. */
export const canonicalQuery = (parameters: Parameters): string =>
  String(
    new URLSearchParams(
      Object.entries(parameters)
        .map(([name, values]) => [name, [values].flat().join()])
        .toSorted(([left = ""], [right = ""]) => (left < right ? -1 : 1)),
    ),
  );
