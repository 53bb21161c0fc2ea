/**
 * `npm run lint:openapi`: checks `public/openapi.json` by every rule of Redocly's linter that fits, and by three of our own:
 * descriptions of properties, examples of path parameters, and bounds of integers.
 */
import { readFile } from "node:fs/promises";
import { createConfig, isRef, lintFromString } from "@redocly/openapi-core";
import { defineCommand } from "../../../src/commands/command-line/command.ts";
import { Failure } from "../../../src/commands/command-line/failure.ts";
import { main } from "../../../src/commands/command-line/main.ts";

const DOCUMENT = "public/openapi.json";

/** Rules that do not fit, and why. */
const OFF = {
  // OpenAPI 3.1 allows one of `url` and `identifier`.
  "info-license-url": "off",
  // The contract fixes the paths.
  "path-segment-plural": "off",
  // `oneOf` requires one of the two properties that name a panelist. They are declared beside it.
  "no-required-schema-properties-undefined": "off",
  // The pattern sets the length.
  "required-string-property-missing-min-length": "off",
  // Each body has one example for the whole.
  "scalar-property-missing-example": "off",
  // Tags are in reading order.
  "tags-alphabetical": "off",
} as const;

/** Faults that are none, and why. */
const EXEMPT = [
  // Anybody may ask, and a request has nothing that could be wrong.
  ["operation-4xx-response", "#/paths/~1health/get/responses"],
  ["operation-4xx-response", "#/paths/~1version/get/responses"],
  // An identifier has no hyphen: `by-external-id` is none. A pattern in the document says so; the rule does not look at patterns.
  ...["merge", "comments", "votes"].map(
    (below) =>
      ["no-ambiguous-paths", `#/paths/~1tenant~1ideabanks~1{ideaBankId}~1proposals~1{proposalId}~1${below}`] as const,
  ),
] as const;

const config = await createConfig({
  extends: ["all"],
  plugins: [
    {
      id: "ours",
      rules: {
        oas3: {
          "property-description": () => ({
            SchemaProperties(properties, { report, resolve, location }) {
              for (const [name, property] of Object.entries(properties)) {
                const { node } = isRef(property) ? resolve<{ description?: string }>(property) : { node: property };
                if (property.description || node?.description) continue;
                report({ message: `The property ${name} has no description.`, location: location.child(name) });
              }
            },
          }),
          "path-parameter-example": () => ({
            Parameter({ in: place, example, examples }, { report }) {
              if (place === "path" && example === undefined && examples === undefined) {
                report({ message: "A path parameter must have an example." });
              }
            },
          }),
          // zod writes the bounds of JavaScript's integers where a schema has none.
          "integer-bounds": () => ({
            Schema({ type, enum: values, minimum, maximum = 0 }, { report }) {
              if (Math.max(Math.abs(minimum ?? 0), Math.abs(maximum)) >= Number.MAX_SAFE_INTEGER) {
                report({ message: "The integer has JavaScript's bound, not its own." });
              }
              if (type === "integer" && values === undefined && minimum === undefined) {
                report({ message: "The integer has no bounds." });
              }
            },
          }),
        },
      },
    },
  ],
  rules: {
    ...OFF,
    "request-mime-type": { severity: "error", allowedValues: ["application/json"] },
    "response-mime-type": {
      severity: "error",
      // The changelog is a feed, too.
      allowedValues: [
        "application/json",
        "application/problem+json",
        "application/atom+xml",
        "application/feed+json",
        "text/csv",
      ],
    },
    "ours/property-description": "error",
    "ours/path-parameter-example": "error",
    "ours/integer-bounds": "error",
  },
});

/** The faults of an OpenAPI document, one line each: the rule, the place, the message. */
export async function lintOpenApi(source: string): Promise<string[]> {
  const problems = await lintFromString({ source, config, absoluteRef: DOCUMENT });
  const isExempt = (rule: string, pointer = "") => EXEMPT.some(([name, place]) => name === rule && place === pointer);
  const faults = problems.filter(({ ruleId, location }) => !isExempt(ruleId, location[0]?.pointer));
  return faults.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer ?? ""}: ${message}`);
}

const command = defineCommand({
  name: "lint:openapi",
  summary: [`Checks ${DOCUMENT} by Redocly's rules and three of our own. It writes nothing.`],
  options: {},
  run: async (_, context) => {
    const faults = await lintOpenApi(await readFile(DOCUMENT, "utf8"));
    if (faults.length > 0) throw new Failure([...faults, `${DOCUMENT}: ${faults.length} faults`].join("\n"));
    context.print(`${DOCUMENT}: 0 faults`);
  },
});

if (import.meta.main) await main(command);
