/** The request samples of the reference page. */
import { expect, it } from "vitest";
import { buildDocument } from "../../../src/commands/openapi/document.ts";
import type { OpenApi } from "../../../src/commands/openapi/reference/document-types.ts";
import { samplesOf } from "../../../src/commands/openapi/reference/samples.ts";

const document: OpenApi = JSON.parse(JSON.stringify(buildDocument()));
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

it("have a query where the operation does not answer without one, in quotation marks for the shell", () => {
  const withQuery = operations.flatMap(({ path, method, operation }) =>
    samplesOf(path, method, operation).flatMap(({ source }) => source.match(/\S*https:\S+\?\S+/) ?? []),
  );
  expect(withQuery).toEqual([
    "'https://api.example.com/tenant/surveys/Q7rTz0LmX2cV/texts?question=why'",
    'fetch("https://api.example.com/tenant/surveys/Q7rTz0LmX2cV/texts?question=why",',
    "'https://api.example.com/ideabank/proposals/similar?title=Night+buses'",
    'fetch("https://api.example.com/ideabank/proposals/similar?title=Night+buses",',
  ]);
});
