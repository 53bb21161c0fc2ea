/** The tables of operations and of errors in `docs/api.md`, out of the definitions. */
import type { Credential } from "../../worker/http/operation.ts";
import { PROBLEM_CODES, problemStatus, problemText } from "../../worker/problem.ts";
import { type NamedOperation, OPERATIONS } from "./operations.ts";

const table = (heading: readonly string[], rows: readonly (readonly string[])[]) =>
  [heading, heading.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

const methodsOf = (operations: readonly NamedOperation[]) =>
  operations
    .map(({ method, summary }) => `\`${method}\`: ${summary.charAt(0).toLowerCase()}${summary.slice(1)}`)
    .join("; ");

/** The scope without its ending where reading needs `:read` and everything else `:write`, otherwise each scope in full. */
function scopesOf(operations: readonly NamedOperation[]): string {
  const scopes = operations.map(({ method, credential }) => ({
    method,
    scope: credential.kind === "apiKey" ? credential.scope : null,
  }));
  const nouns = new Set(scopes.map(({ scope }) => scope?.replace(/:.*/, "")));
  const isRegular = scopes.every(({ method, scope }) => scope?.endsWith(method === "GET" ? ":read" : ":write"));
  const shown = isRegular && nouns.size === 1 ? nouns : new Set(scopes.map(({ scope }) => scope ?? undefined));
  return [...shown].map((scope) => (scope === undefined ? "none" : `\`${scope}\``)).join(", ");
}

/** Markdown: a row for each path that takes this credential, in their order, with its methods, and an API key's scope. */
export function operationTable(kind: Credential["kind"]): string {
  const paths = Map.groupBy(
    OPERATIONS.filter(({ credential }) => credential.kind === kind).toSorted((one, other) =>
      one.path < other.path ? -1 : Number(one.path > other.path),
    ),
    ({ path }) => path,
  );
  const hasScopes = kind === "apiKey";
  return table(
    ["path", "methods", ...(hasScopes ? ["scope"] : [])],
    [...paths].map(([path, operations]) => [
      `\`${path}\``,
      methodsOf(operations),
      ...(hasScopes ? [scopesOf(operations)] : []),
    ]),
  );
}

/** Markdown: a row for each error, by status, with the sentence that its `detail` has by default. */
export const errorTable = (): string =>
  table(
    ["status", "`error`", "`detail`"],
    PROBLEM_CODES.toSorted((one, other) => problemStatus(one) - problemStatus(other)).map((code) => [
      String(problemStatus(code)),
      `\`${code}\``,
      problemText(code),
    ]),
  );
