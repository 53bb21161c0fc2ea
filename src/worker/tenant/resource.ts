/** The operations of a plain resource of the tenant (database/resource.ts): list, create, read, change, delete. */
import type * as z from "zod/mini";
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId } from "../credentials/id.ts";
import type { CreationSchema, Fields, Sent } from "../database/columns.ts";
import type { Creation, storedResource } from "../database/resource.ts";
import { defineVersion, respondVersion } from "../http/etag.ts";
import { respondCreated } from "../http/idempotency-key.ts";
import type { ListQuery, Tag } from "../http/operation.ts";
import { respondPage } from "../http/pagination.ts";
import type { Page, PageRequest } from "../model/pagination.ts";
import type { Scope } from "../model/scope.ts";
import type { Stored } from "../model/stored-state.ts";
import type { ProblemCode } from "../problem.ts";
import type { Session } from "../store/session.ts";
import { tenantOperations } from "./operation.ts";
import { owned, respondDeleted } from "./refuse-foreign.ts";

type StoredRows<Input extends Fields> = ReturnType<typeof storedResource<Input>>;
type ReadRows<Input extends Fields> = Pick<StoredRows<Input>, "load" | "loadStored"> & {
  list(
    session: Session,
    query: { readonly accountId: string; readonly request: PageRequest },
  ): Promise<Page<Stored["resource"]>>;
};

type ReadDescription<Input extends Fields> = {
  readonly tag: Tag;
  /** `/tenant/surveys` and `surveyId` make `/tenant/surveys/{surveyId}`. */
  readonly path: `/${string}`;
  readonly id: string;
  /** "a survey", "surveys". */
  readonly names: readonly [one: string, several: string];
  readonly scopes: { readonly read: Scope };
  readonly schemas: { readonly resource: z.ZodMiniObject; readonly changes: z.ZodMiniObject };
  /** The parameters of a list. Those that are fields of the resource are its filters. */
  readonly query: ListQuery;
  readonly rows: ReadRows<Input>;
};

/** `New` is what a creation sends: a field may be missing whose default depends on others. */
type Description<Input extends Fields, New extends Fields> = ReadDescription<Input> & {
  readonly scopes: { readonly write: Scope };
  readonly schemas: { readonly created: CreationSchema<New>; readonly changes: z.ZodMiniType<Sent<Input>> };
  readonly rows: Pick<StoredRows<Input>, "update" | "delete"> & {
    create(session: Session, creation: Creation<New>): ReturnType<StoredRows<Input>["create"]>;
  };
  /** Those of creating and changing it. */
  readonly problems?: readonly ProblemCode[];
  /** What the reference says of an operation in addition to its summary. */
  readonly words?: Readonly<Partial<Record<"create" | "update" | "delete", string>>>;
};

/** For a resource whose changes do more than to change its row: its operations that read, and its version for those that write. */
export function readOperations<Input extends Fields>({
  tag,
  path,
  id: name,
  names: [one, several],
  scopes: { read },
  schemas: { resource, changes },
  query,
  rows,
}: ReadDescription<Input>) {
  const operation = tenantOperations(tag);
  const ITEM: `/${string}/{${string}}` = `${path}/{${name}}`;
  const idOf = ({ [name]: id = "" }: Readonly<Record<string, string>>) => id;
  const version = defineVersion(resource, changes, (session, accountId, ids) =>
    rows.loadStored(session, accountId, idOf(ids)),
  );
  return {
    ...{ operation, ITEM, idOf, version },
    list: operation({
      method: "GET",
      effect: "reads",
      path,
      scope: read,
      query,
      answer: resource,
      summary: `List ${several}`,
      description: "Newest first.",
      handle: async (c, { session, accountId, query: sent, page }) =>
        respondPage(c, await rows.list(session, { ...sent, accountId, request: page })),
    }),
    get: operation({
      method: "GET",
      effect: "reads",
      path: ITEM,
      scope: read,
      answer: resource,
      version,
      summary: `Read ${one}`,
      handle: async (c, { session, accountId, ids }) =>
        respondVersion(c, version, owned(await rows.load(session, accountId, idOf(ids)))),
    }),
  };
}

export function resourceOperations<Input extends Fields, New extends Fields = Input>(
  description: Description<Input, New>,
) {
  const {
    path,
    names: [one],
    scopes: { write },
    schemas: { resource, created, changes },
    rows,
    problems = [],
    words: { create, update, delete: end } = {},
  } = description;
  const { operation, ITEM, idOf, version, list, get } = readOperations(description);
  return {
    list,
    create: operation({
      method: "POST",
      effect: "adds",
      path,
      scope: write,
      body: created,
      answer: resource,
      version,
      problems,
      summary: `Create ${one}`,
      ...(create && { description: create }),
      handle: async (c, { session, accountId, body, now, idempotencyKey }) => {
        const id = createId(accountId, secureRandomBytes);
        const result = await rows.create(session, { accountId, id, input: body, now, idempotencyKey });
        return respondCreated(c, { result, toBody: (made) => made, version });
      },
    }),
    get,
    update: operation({
      method: "PATCH",
      effect: "overwrites",
      path: ITEM,
      scope: write,
      body: changes,
      answer: resource,
      version,
      problems,
      summary: `Change ${one}`,
      description: ["Fields that are not sent stay as they are.", update].filter(Boolean).join(" "),
      handle: async (c, { session, accountId, ids, body, now, precondition }) => {
        const { seen } = precondition;
        const changed = await rows.update(session, { accountId, id: idOf(ids), changes: body, now, seen });
        return respondVersion(c, version, owned(changed, precondition));
      },
    }),
    delete: operation({
      method: "DELETE",
      effect: "ends",
      path: ITEM,
      scope: write,
      version,
      summary: `Delete ${one}`,
      ...(end && { description: end }),
      handle: async (c, { session, accountId, ids, idempotencyKey, precondition }) => {
        const { seen } = precondition;
        const deleted = await rows.delete(session, { accountId, id: idOf(ids), seen, idempotencyKey });
        return respondDeleted(c, deleted, precondition);
      },
    }),
  };
}
