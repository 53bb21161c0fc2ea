/**
 * `npm run lint:openapi`: holds `public/openapi.json` against every rule of Redocly's linter that fits, and three of our own:
 * a client developer finds a description and an example wherever one is looked for.
 */
import { readFile } from "node:fs/promises";
import { createConfig, isRef, lintFromString } from "@redocly/openapi-core";

const DOCUMENT = "public/openapi.json";

/** Rules that do not fit, and why. */
const OFF = {
  // Who runs a deployment is not known here.
  "info-contact": "off",
  // OpenAPI 3.1 allows one of `url` and `identifier`.
  "info-license-url": "off",
  // The contract fixes the paths.
  "path-segment-plural": "off",
  // The two names of a panelist stand beside the `oneOf` that requires one of them.
  "no-required-schema-properties-undefined": "off",
  // A pattern says it.
  "required-string-property-missing-min-length": "off",
  // Each body has an example as a whole.
  "scalar-property-missing-example": "off",
  // Tags are in the order in which a reader meets them.
  "tags-alphabetical": "off",
} as const;

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
                report({ message: "A path parameter has an example." });
              }
            },
          }),
          // zod writes the bounds of JavaScript's integers where a schema has none of its own.
          "integer-bounds": () => ({
            Schema({ minimum = 0, maximum = 0 }, { report }) {
              if (Math.max(Math.abs(minimum), Math.abs(maximum)) >= Number.MAX_SAFE_INTEGER) {
                report({ message: "The bound of an integer is JavaScript's, not its own." });
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
    "response-mime-type": { severity: "error", allowedValues: ["application/json", "application/problem+json"] },
    "ours/property-description": "error",
    "ours/path-parameter-example": "error",
    "ours/integer-bounds": "error",
  },
});

/** What is wrong with an OpenAPI document, a line each: the rule, the place, the fault. */
export async function lintOpenApi(source: string): Promise<string[]> {
  const problems = await lintFromString({ source, config, absoluteRef: DOCUMENT });
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer ?? ""}: ${message}`);
}

if (import.meta.main) {
  const faults = await lintOpenApi(await readFile(DOCUMENT, "utf8"));
  for (const fault of faults) console.error(fault);
  console.log(`${DOCUMENT}: ${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
