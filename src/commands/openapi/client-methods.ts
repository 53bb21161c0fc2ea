/**
 * The methods of the package `@edge-access-api/client`: `src/client/tenant-api.ts`, with one for each operation of the tenant API.
 * Making them needs no package: `npm run import` calls them where only what runs has been installed.
 */

export type Schema = { readonly [name: string]: unknown };
type Parameter = {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
};
type Content = { readonly content?: { readonly "application/json"?: { readonly schema: { readonly $ref: string } } } };
type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Content>>;
};
export type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

export const nameOf = ({ $ref }: { readonly $ref: string }) => $ref.slice($ref.lastIndexOf("/") + 1);
const contentOf = (part: Content | undefined) => part?.content?.["application/json"]?.schema;

/** The arguments of an operation: the parameters of its path, of its query and the fields of its body, side by side. */
function argumentsOf({ parameters = [], requestBody }: Operation): Schema | undefined {
  const named = parameters.filter((each) => each.in !== "header");
  const body = contentOf(requestBody);
  const own: Schema = {
    type: "object",
    properties: Object.fromEntries(
      named.map(({ name, description, schema: { default: _, ...schema } }) => [name, { ...schema, description }]),
    ),
    required: named.filter(({ required }) => required).map(({ name }) => name),
  };
  if (body === undefined) return named.length === 0 ? undefined : own;
  return named.length === 0 ? body : { allOf: [own, body] };
}

const successOf = ({ responses }: Operation) =>
  Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];

/** The name of the schema of what a success has; undefined for a 204. */
function answerOf(operation: Operation): string | undefined {
  const schema = contentOf(successOf(operation));
  return schema && nameOf(schema);
}

/** A file is saved as it comes, by what downloads files. */
const isFile = (operation: Operation): boolean =>
  successOf(operation)?.content !== undefined && answerOf(operation) === undefined;

/** The operations of the tenant API, but for those that answer with a file. `takes` is what its arguments are, under a name of their own. */
export const tenantOperations = ({ paths }: Document) =>
  Object.entries(paths)
    .filter(([path]) => path.startsWith("/tenant/"))
    .flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => !isFile(operation))
        .map(([method, operation]) => {
          const { operationId } = operation;
          const schema = argumentsOf(operation);
          const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Arguments`;
          return { path, method, operation, takes: schema && { name, schema }, answer: answerOf(operation) };
        }),
    );

type TenantOperation = ReturnType<typeof tenantOperations>[number];

/** A list has pages. The changes have no end: `followChanges` is written by hand. */
const isList = ({ parameters = [] }: Operation) => parameters.some(({ name }) => name === "cursor");

function methodOf({ path, method, operation, takes, answer = "void" }: TenantOperation): string {
  const { operationId, summary, description, parameters = [], requestBody } = operation;
  const query = parameters.filter((each) => each.in === "query").map(({ name }) => name);
  const isOptional =
    takes?.schema.allOf === undefined && !parameters.some(({ required }) => required) && !requestBody?.required;
  const endpoint = {
    method: method.toUpperCase(),
    path,
    ...(query.length > 0 && { query }),
    ...(requestBody !== undefined && { hasBody: true }),
    ...(parameters.some(({ name }) => name === "Idempotency-Key") && { takesKey: true }),
  };
  const given = takes === undefined ? "NoArguments" : `types.${takes.name}`;
  const answered = answer === "void" ? answer : `types.${answer}`;
  const [returns, call] = isList(operation)
    ? [`AsyncGenerator<${answered}["items"][number]>`, "list"]
    : [`Promise<${answered}>`, "send"];
  const words = `${summary}. ${description?.replace(`${summary}.`, "") ?? ""}`;
  return [
    `  /** ${words.replaceAll(/\s+/g, " ").trim()} */`,
    `  ${operationId}(given: ${given}${isOptional ? " = {}" : ""}, options?: CallOptions): ${returns} {`,
    `    return this.${call}(${JSON.stringify(endpoint)}, given, options);`,
    "  }",
  ].join("\n");
}

/** The class that `Client` is made of. */
export const writeMethods = (document: Document): string =>
  [
    'import type { CallOptions, Endpoint, NoArguments } from "./call.ts";',
    'import type * as types from "./tenant-types.ts";\n',
    "/** A method for each operation of the tenant API. Its arguments are the names in its path, its query and its body, side by side. */",
    "export abstract class TenantApi {",
    "  protected abstract send<Answer>(endpoint: Endpoint, given: object, options?: CallOptions): Promise<Answer>;",
    "  protected abstract list<Item>(endpoint: Endpoint, given: object, options?: CallOptions): AsyncGenerator<Item>;\n",
    tenantOperations(document).map(methodOf).join("\n\n"),
    "}",
    "",
  ].join("\n");
