/** Comments are read once: they name their subject first (CONTRIBUTING, Rules). */
import { expect, it } from "vitest";

const sources = import.meta.glob<string>("../../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });

/** A comment that begins so has no subject before its verb. */
const BEGINNING = /^\s*(?:\/\*\*|\/\/) (?:What|Who|Whoever|Whose|Whom|That which) .*$/gm;

it("no comment begins with What or Who: say the subject and the verb", () => {
  const lines = Object.entries(sources).flatMap(([path, text]) =>
    [...text.matchAll(BEGINNING)].map(([line]) => `${path.replace("../../", "")}: ${line.trim()}`),
  );
  expect(Object.keys(sources).length).toBeGreaterThan(300);
  expect(lines).toEqual([]);
});
