/**
 * `ETag`, `If-Match` and `If-None-Match: *`: nobody overwrites what they have not seen.
 *
 * SQL cannot compute the hash of an ETag. So a request with `If-Match` reads the resource first, and the statement that writes compares
 * the row with what was read. Of two writers with the same ETag, the second finds another row and writes nothing.
 */
import type { Context } from "hono";
import type * as z from "zod/mini";
import type { Seen, Stored } from "../model/stored-state.ts";
import { Problem } from "../problem.ts";
import type { Session } from "../store/session.ts";
import { hashOf } from "./hash-of.ts";
import { invalid } from "./invalid-request.ts";
import { type Operation, takesIfMatch } from "./operation.ts";

type Ids = Readonly<Record<string, string>>;

/** The ETag of a resource is of the `fields` that its owner can change, so that nobody else's vote or comment is another version. */
export type Version = {
  readonly fields: readonly string[];
  load(session: Session, accountId: string, ids: Ids): Promise<Stored | null>;
};

/** An operation on a resource that may have versions. */
export type Versioned = Operation & { readonly version?: Version };

/** `changes` is the schema of what a change can set. `minor` is about the change, so the resource does not have it. */
export const defineVersion = (resource: z.ZodMiniObject, changes: z.ZodMiniObject, load: Version["load"]): Version => ({
  fields: ["id", ...Object.keys(changes.shape).filter((name) => name in resource.shape)],
  load,
});

/** An ETag needs no more characters of a hash: 132 bits. */
const CHARACTERS = 22;

const entityTagOf = async (resource: Stored["resource"], { fields }: Version): Promise<string> =>
  `"${(await hashOf(JSON.stringify(fields.map((name) => resource[name])))).slice(0, CHARACTERS)}"`;

/** The resource, with its ETag. */
export async function respondVersion(c: Context, version: Version, resource: Stored["resource"]): Promise<Response> {
  c.header("ETag", await entityTagOf(resource, version));
  return c.json(resource);
}

/** 201 with what is new: a resource has an address beneath `collection`. */
export async function respondNew(
  c: Context,
  {
    collection,
    body,
    version,
  }: { readonly collection: string; readonly body: Stored["resource"]; readonly version?: Version | undefined },
): Promise<Response> {
  if (version !== undefined) c.header("ETag", await entityTagOf(body, version));
  if ("id" in body) c.header("Location", `${collection}/${body.id}`);
  return c.json(body, 201);
}

/**
 * What a write must find. `wasThere`: the resource was, a moment before, so a write that finds nothing has found another state of it.
 * `only`: what a PUT may do, if not both.
 */
export type Precondition = Seen & { readonly wasThere?: boolean; readonly only?: "change" | "create" };

/** No row is in this state. */
const NO_STATE = "";

/** Cloudflare marks an ETag as weak (`W/`) where it compresses the answer, and a client sends it back so. */
const ENTITY_TAGS = /^(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*$/;

/** Throws `invalid-request`. */
export async function readPrecondition(
  c: Context,
  operation: Versioned,
  load: (version: Version) => Promise<Stored | null>,
): Promise<Precondition> {
  const { version, creates } = operation;
  if (version === undefined || !takesIfMatch(operation)) {
    for (const name of ["If-Match", "If-None-Match"])
      if (c.req.header(name) !== undefined)
        throw invalid([{ path: name, message: "does not work with this operation. Leave it out" }]);
    return {};
  }
  const match = c.req.header("If-Match")?.trim();
  const noneMatch = c.req.header("If-None-Match")?.trim();
  if (noneMatch !== undefined) {
    // Without it, what the sender wants to be left alone would be overwritten.
    if (!creates) throw invalid([{ path: "If-None-Match", message: "is only for creating under your own id" }]);
    if (noneMatch !== "*") throw invalid([{ path: "If-None-Match", message: "must be *" }]);
    if (match !== undefined) throw invalid([{ path: "If-None-Match", message: "does not go with If-Match" }]);
    return { only: "create" };
  }
  if (match === undefined) return {};
  const only = creates ? ({ only: "change" } as const) : {};
  if (match === "*") return only;
  if (!ENTITY_TAGS.test(match))
    throw invalid([{ path: "If-Match", message: 'must be the ETag of an answer, in its quotes: "…"' }]);
  const stored = await load(version);
  const isSeen = stored !== null && match.includes(await entityTagOf(stored.resource, version));
  return { ...only, seen: isSeen ? stored.state : NO_STATE, wasThere: stored !== null };
}

/** `exists`: what `If-None-Match` forbids. */
export const notAsSeen = (exists: boolean): Problem =>
  new Problem(
    "precondition-failed",
    exists ? { detail: "The resource already exists, and `If-None-Match: *` allows only creating it." } : {},
  );
