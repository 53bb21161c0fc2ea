/**
 * `npm run build:client`: the package `@edge-access-api/client`, from `src/client` into `dist/client`, which is not committed. Its
 * methods and types, `src/client/tenant-api.ts`, are generated from the OpenAPI document and committed: `--check` fails when they are stale.
 */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { build } from "esbuild";
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import { defineCommand } from "../command-line/command.ts";
import { main } from "../command-line/main.ts";
import { keep } from "./build.ts";
import { runEach } from "./check.ts";
import { COMPILER } from "./typecheck.ts";

const SOURCE = "src/client";
const METHODS = `${SOURCE}/tenant-api.ts`;
const PACKAGE = "dist/client";

type Schema = { readonly [name: string]: unknown };
type Parameter = {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
};
type Content = { readonly content?: { readonly "application/json": { readonly schema: { readonly $ref: string } } } };
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

/** The types that a webhook delivers, which no tenant operation names. */
const BESIDES = ["Change"];

const capitalized = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
const nameOf = ({ $ref }: { readonly $ref: string }) => $ref.slice($ref.lastIndexOf("/") + 1);
const contentOf = (part: Content | undefined) => part?.content?.["application/json"].schema;

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

/** The name of the schema of what a success has; undefined for a 204. */
function answerOf({ responses }: Operation): string | undefined {
  const schema = contentOf(Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1]);
  return schema && nameOf(schema);
}

/** A list has pages. The changes have no end: `followChanges` is written by hand. */
const isList = ({ parameters = [] }: Operation) => parameters.some(({ name }) => name === "cursor");

function methodOf(path: string, method: string, operation: Operation): string {
  const { operationId, summary, description, parameters = [], requestBody } = operation;
  const taken = argumentsOf(operation);
  const answered = answerOf(operation) ?? "void";
  const query = parameters.filter((each) => each.in === "query").map(({ name }) => name);
  const isOptional =
    taken?.allOf === undefined && !parameters.some(({ required }) => required) && !requestBody?.required;
  const endpoint = {
    method: method.toUpperCase(),
    path,
    ...(query.length > 0 && { query }),
    ...(requestBody !== undefined && { hasBody: true }),
    ...(parameters.some(({ name }) => name === "Idempotency-Key") && { takesKey: true }),
  };
  const inputs = `given: ${taken === undefined ? "NoArguments" : `${capitalized(operationId)}Arguments`}${isOptional ? " = {}" : ""}, options?: CallOptions`;
  const [returns, call] = isList(operation)
    ? [`AsyncGenerator<${answered}["items"][number]>`, "list"]
    : [`Promise<${answered}>`, "send"];
  const words = `${summary}. ${description?.replace(`${summary}.`, "") ?? ""}`;
  return [
    `  /** ${words.replaceAll(/\s+/g, " ").trim()} */`,
    `  ${operationId}(${inputs}): ${returns} {`,
    `    return this.${call}(${JSON.stringify(endpoint)}, given, options);`,
    "  }",
  ].join("\n");
}

/** The schemas that these name, and those that they name in turn, without the examples. */
function schemasFor(
  { taken, answers }: { readonly taken: Readonly<Record<string, Schema>>; readonly answers: readonly string[] },
  all: Document["components"]["schemas"],
) {
  const found = new Map<string, unknown>();
  const take = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(take);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, part]) => {
        if (key === "example" || key === "examples") return [];
        if (key === "$ref") add(nameOf({ $ref: String(part) }));
        return [[key, take(part)]];
      }),
    );
  };
  const add = (name: string) => {
    if (found.has(name)) return;
    found.set(name, undefined);
    found.set(name, take(all[name]));
  };
  for (const [name, schema] of Object.entries(taken)) found.set(name, take(schema));
  for (const name of [...answers, ...BESIDES]) add(name);
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The types, and a class with a method for each operation of the tenant API. */
export async function writeMethods({ paths, components }: Document): Promise<string> {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    path.startsWith("/tenant/")
      ? Object.entries(methods).map(([method, operation]) => ({ path, method, operation }))
      : [],
  );
  const taken = operations.flatMap(({ operation }) => {
    const schema = argumentsOf(operation);
    return schema === undefined ? [] : [[`${capitalized(operation.operationId)}Arguments`, schema] as const];
  });
  const answers = operations.flatMap(({ operation }) => answerOf(operation) ?? []);
  const types = await openapiTS(
    {
      openapi: "3.1.0",
      info: { title: "", version: "" },
      paths: {},
      components: { schemas: schemasFor({ taken: Object.fromEntries(taken), answers }, components.schemas) },
    } as OpenAPI3,
    { defaultNonNullable: false, rootTypes: true, rootTypesNoSchemaPrefix: true },
  );
  const lines = astToString(types)
    .replaceAll(/^export (?:type (?:paths|webhooks|\$defs|operations) = .*;|interface \w+ \{\s*\})\n/gm, "")
    .replace(/^ {4}(?:responses|parameters|requestBodies|headers|pathItems): never;\n/gm, "");
  return [
    "/** Made by `npm run build:client` of public/openapi.json. */",
    'import type { CallOptions, Endpoint, NoArguments } from "./call.ts";\n',
    lines,
    "/** A method for each operation of the tenant API. Its arguments are the names in its path, its query and its body, side by side. */",
    "export abstract class TenantApi {",
    "  protected abstract send<Answer>(endpoint: Endpoint, given: object, options?: CallOptions): Promise<Answer>;",
    "  protected abstract list<Item>(endpoint: Endpoint, given: object, options?: CallOptions): AsyncGenerator<Item>;\n",
    operations.map(({ path, method, operation }) => methodOf(path, method, operation)).join("\n\n"),
    "}",
    "",
  ].join("\n");
}

const buildClient = defineCommand({
  name: "build:client",
  summary: [`Builds the package @edge-access-api/client into ${PACKAGE}: ES modules and types.`],
  options: {
    check: { type: "boolean", default: false, help: `Fails when ${METHODS} is stale, and builds nothing.` },
  },
  run: async ({ values: { check } }, { folder }) => {
    const document: Document = JSON.parse(await readFile("public/openapi.json", "utf8"));
    await keep(METHODS, await writeMethods(document), check, "build:client");
    if (check) return;
    await rm(PACKAGE, { recursive: true, force: true });
    await mkdir(PACKAGE, { recursive: true });
    await build({
      entryPoints: [`${SOURCE}/index.ts`],
      outdir: PACKAGE,
      bundle: true,
      format: "esm",
      target: "es2022",
    });
    runEach([["node", COMPILER, "-p", SOURCE]], folder);
    const { version, license, engines } = JSON.parse(await readFile("package.json", "utf8"));
    const manifest = {
      name: "@edge-access-api/client",
      version,
      license,
      type: "module",
      exports: { ".": { types: "./index.d.ts", default: "./index.js" } },
      sideEffects: false,
      engines,
    };
    await writeFile(`${PACKAGE}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
  },
});

if (import.meta.main) await main(buildClient);
