/** Every operation of the Worker. */
import { ACCOUNT_OPERATIONS } from "../../worker/account/api.ts";
import type { Operation, Operations } from "../../worker/http/operation.ts";
import { LEAK_OPERATIONS } from "../../worker/leaks/routes.ts";
import { OPERATOR_OPERATIONS } from "../../worker/operator/routes.ts";
import { PANELIST_OPERATIONS } from "../../worker/panelist/routes.ts";
import { TENANT_OPERATIONS } from "../../worker/tenant/routes.ts";

/** `name` is its operation id. */
export type NamedOperation = Operation & { readonly name: string };

const SURFACES: readonly Operations[] = [
  TENANT_OPERATIONS,
  PANELIST_OPERATIONS,
  ACCOUNT_OPERATIONS,
  OPERATOR_OPERATIONS,
  LEAK_OPERATIONS,
];

export const OPERATIONS: readonly NamedOperation[] = SURFACES.flatMap((operations) =>
  Object.entries(operations).map(([name, operation]) => ({ name, ...operation })),
);
