/** Every operation, as tests ask for it. */
import { OPERATIONS } from "../../src/commands/openapi/operations.ts";
import { type Credential, type Operation, successStatus } from "../../src/worker/http/operation.ts";
import { descriptionOf } from "../../src/worker/model/describe.ts";

export type OperationCase = {
  readonly name: string;
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  /** Of the successful answer. */
  readonly status: number;
  /** The names of the path's identifiers. `{externalId}` names no row. */
  readonly parameters: readonly string[];
};

/** The operations that take a kind of credential. */
export const operationsOf = (kind: Credential["kind"]): OperationCase[] =>
  OPERATIONS.filter(({ credential }) => credential.kind === kind).map(({ name, ...operation }) => ({
    name,
    operation,
    status: successStatus(operation),
    method: operation.method,
    path: operation.path,
    parameters: [...operation.path.matchAll(/\{(\w+)\}/g)]
      .map(([, parameter = ""]) => parameter)
      .filter((parameter) => parameter !== "externalId"),
  }));

/**
 * A valid body, or undefined for an operation that takes none: the example of its schema. `ids` are those that a body can name.
 */
export function bodyOf(
  { body }: Operation,
  ids: { otherProposalId?: string; panelistId?: string; ideaBankId?: string } = {},
): object | undefined {
  if (body === undefined) return undefined;
  const example = descriptionOf(body)?.example;
  if (typeof example !== "object" || example === null) throw new Error("a body's schema has no example");
  if ("panelistId" in example && ids.panelistId !== undefined) return { ...example, panelistId: ids.panelistId };
  if ("questions" in example && ids.ideaBankId !== undefined) return { ...example, ideaBankId: ids.ideaBankId };
  if ("voters" in example && ids.panelistId !== undefined) return { voters: [{ panelistId: ids.panelistId }] };
  return "into" in example ? { into: ids.otherProposalId ?? example.into } : { ...example };
}

/** The path of the list, of the path of one. */
export const collectionOf = (path: string): string => path.replace(/\/[^/]*$/, "");

/** `/tenant/surveys/{surveyId}` with its identifiers filled in. */
export const fillPath = (path: string, ids: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name);

/** The same, with the query that is required. */
export const addressOf = (path: string, ids: Readonly<Record<string, string>>): string =>
  fillPath(path, ids) +
  (path.endsWith("/similar") ? "?title=A+proposal" : path.endsWith("/texts") ? "?question=why" : "");
