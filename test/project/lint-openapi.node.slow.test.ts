/** The linter of the OpenAPI document finds missing descriptions, examples and bounds. */
import { expect, it } from "vitest";
import { lintOpenApi } from "../support/node/lint-openapi.ts";

const problem = (description: string) => ({
  description,
  content: {
    "application/problem+json": {
      schema: {
        type: "object",
        properties: {
          type: { type: "string", description: "A URI." },
          title: { type: "string", description: "A sentence." },
        },
      },
    },
  },
});

/** A document without a fault, of which a test changes one thing. */
const createDocument = () => ({
  openapi: "3.1.0",
  info: {
    title: "A",
    version: "1.0.0",
    description: "A document.",
    contact: { name: "B" },
    license: { name: "MIT", identifier: "MIT" },
  },
  servers: [{ url: "/" }],
  tags: [{ name: "Things", description: "What there is." }],
  security: [{ key: [] }],
  paths: {
    "/things/{thingId}": {
      get: {
        operationId: "getThing",
        tags: ["Things"],
        summary: "Read a thing",
        description: "Reads one thing.",
        parameters: [
          {
            name: "thingId",
            in: "path",
            required: true,
            description: "Its id.",
            example: "a",
            schema: { type: "string" },
          },
        ],
        responses: {
          200: {
            description: "Done.",
            content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" }, example: { size: 1 } } },
          },
          404: problem("No such thing."),
        },
      },
    },
  },
  components: {
    securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key", description: "A key." } },
    schemas: {
      Thing: {
        type: "object",
        properties: { size: { type: "integer", description: "In metres.", minimum: 0, maximum: 10 } },
        additionalProperties: false,
      },
    },
  },
});

type Document = ReturnType<typeof createDocument>;

const operationOf = (document: Document) => document.paths["/things/{thingId}"].get;

it("finds nothing in a complete document", async () => {
  expect(await lintOpenApi(JSON.stringify(createDocument()))).toEqual([]);
});

it.each<[rule: string, (document: Document) => object]>([
  [
    "ours/property-description",
    ({ components }) => Object.assign(components.schemas.Thing.properties.size, { description: "" }),
  ],
  [
    "ours/path-parameter-example",
    (document) => Object.assign(operationOf(document).parameters[0] ?? {}, { example: undefined }),
  ],
  [
    "ours/integer-bounds",
    ({ components }) => Object.assign(components.schemas.Thing.properties.size, { maximum: Number.MAX_SAFE_INTEGER }),
  ],
  [
    "ours/integer-bounds",
    ({ components }) => Object.assign(components.schemas.Thing.properties.size, { minimum: undefined }),
  ],
  [
    "parameter-description",
    (document) => Object.assign(operationOf(document).parameters[0] ?? {}, { description: "" }),
  ],
  ["operation-description", (document) => Object.assign(operationOf(document), { description: undefined })],
  ["operation-tag-defined", (document) => Object.assign(document, { tags: [] })],
  ["tag-description", (document) => Object.assign(document.tags[0] ?? {}, { description: undefined })],
  ["no-unused-components", ({ components }) => Object.assign(components.schemas, { Unused: { type: "string" } })],
  ["no-unresolved-refs", ({ components }) => Object.assign(components, { schemas: {} })],
  [
    "no-invalid-media-type-examples",
    (document) =>
      Object.assign(operationOf(document).responses[200].content["application/json"], { example: { size: "1" } }),
  ],
  ["struct", (document) => Object.assign(operationOf(document), { surprise: 1 })],
])("finds a fault of the kind %s", async (rule, spoil) => {
  const document = createDocument();
  spoil(document);
  const faults = await lintOpenApi(JSON.stringify(document));
  expect(faults.map((fault) => fault.split(" ")[0])).toEqual([rule]);
});
