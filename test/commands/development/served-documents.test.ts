/** What `npm run build` makes for programs that read: the documents, llms.txt, and the OpenAPI document as YAML. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { toYaml } from "../../../src/commands/development/build.ts";
import { buildServedDocuments, toServed } from "../../../src/commands/development/served-documents.ts";

const files = await buildServedDocuments();
const linksOf = (markdown: string) =>
  [...markdown.replaceAll(/^ *```[\s\S]*?^ *```$/gm, "").matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);

describe("a link of a served document", () => {
  it.each([
    ["to one that is served stays", "[a](clients.md#retries)", "[a](clients.md#retries)"],
    ["to a place in it stays", "[a](#errors)", "[a](#errors)"],
    ["to another host stays", "[a](https://example.com/b.md)", "[a](https://example.com/b.md)"],
    ["to a program to copy stays", "[a](examples/sync.mjs)", "[a](examples/sync.mjs)"],
    ["to what is served elsewhere leads there", "[`a`](../public/openapi.json)", "[`a`](/openapi.json)"],
    ["to a file that is not served is its text", "see [a test](../test/a.test.ts), and", "see a test, and"],
    ["to another place's file of the same name is its text", "[a](decisions/api.md)", "a"],
    ["that is a picture is its description", "![A board](board.png)", "A board"],
    ["in code is code", "```md\n[a](b.md)\n```", "```md\n[a](b.md)\n```"],
  ])("%s", (_, markdown, served) => expect(toServed(markdown)).toBe(served));
});

it("llms.txt names every document, and every document's links have targets", () => {
  const documents = [...files.keys()].filter((path) => path.endsWith(".md"));
  expect(documents.length).toBeGreaterThan(5);
  const listed = linksOf(files.get("llms.txt") ?? "");
  expect(listed.filter((link) => link.startsWith("/docs/"))).toEqual(documents.map((path) => `/${path}`));
  for (const path of documents) {
    const inside = linksOf(files.get(path) ?? "").filter((link) => !/^(https?:|#)/.test(link));
    for (const link of inside)
      expect([...files.keys(), "/openapi.json"], path).toContain(
        link.startsWith("/") ? link : `docs/${link.replace(/#.*/, "")}`,
      );
  }
});

it("the document as YAML is the one in JSON, for parsers of YAML 1.1, too", { tags: "slow" }, () => {
  const document = JSON.parse(readFileSync("public/openapi.json", "utf8"));
  const yaml = toYaml(document);
  expect(parse(yaml)).toEqual(document);
  expect(parse(yaml, { version: "1.1" })).toEqual(document);
});
