/**
 * A test in a browser waits for what it looks at: a slow machine shows it later. The state of a page is asserted by
 * `await expect.poll(() => locator.count())`, or awaited by `locator.waitFor()`; `expect(await locator.count())` sees one moment.
 */
import { globSync, readFileSync } from "node:fs";
import ts from "typescript";
import { describe, expect, it } from "vitest";

/** What a page, or what is in it, says of this moment. */
const READS = [
  ...["allInnerTexts", "allTextContents", "boundingBox", "content", "count", "evaluate", "evaluateAll", "getAttribute"],
  ...["innerHTML", "innerText", "inputValue", "isChecked", "isDisabled", "isEditable", "isEnabled", "isHidden"],
  ...["isVisible", "textContent", "title"],
];

type Source = { readonly path: string; readonly tree: ts.SourceFile };
const read = (path: string): Source => {
  const text = readFileSync(path, "utf8");
  return { path, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) };
};

const everyNode = (node: ts.Node): ts.Node[] => [node, ...node.getChildren().flatMap(everyNode)];

const calls = (node: ts.Node) => everyNode(node).filter(ts.isCallExpression);

const asksAPage = (node: ts.Node, readers: ReadonlySet<string>): boolean =>
  calls(node).some(({ expression }) =>
    ts.isPropertyAccessExpression(expression)
      ? READS.includes(expression.name.text) || expression.getText() === "page.url"
      : ts.isIdentifier(expression) && readers.has(expression.text),
  );

/** The functions of a file that read a page, themselves or by each other. */
function readersIn({ tree }: Source, known: ReadonlySet<string>): ReadonlySet<string> {
  const readers = new Set(known);
  const functions = everyNode(tree).flatMap((node): (readonly [string, ts.Node])[] => {
    const isArrow = ts.isVariableDeclaration(node) && node.initializer && ts.isArrowFunction(node.initializer);
    return (isArrow || ts.isFunctionDeclaration(node)) && node.name ? [[node.name.getText(), node]] : [];
  });
  for (let before = -1; before < readers.size; ) {
    before = readers.size;
    for (const [name, body] of functions) if (asksAPage(body, readers)) readers.add(name);
  }
  return readers;
}

function withoutWaiting({ path, tree }: Source, readers: ReadonlySet<string>): string[] {
  const asserted = calls(tree).filter(({ expression }) => expression.getText() === "expect");
  return asserted
    .filter(({ arguments: [actual] }) => actual !== undefined && asksAPage(actual, readers))
    .map((node) => {
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
      return `${path}:${line + 1}: ${node.getText()} does not wait. Write: await expect.poll(() => …)`;
    });
}

const support = globSync("test/support/node/*.ts").map(read);
const tests = globSync("test/**/*.test.ts", { exclude: ["**/node_modules/**"] })
  .map(read)
  .filter(({ tree }) => tree.text.includes('inject("stage")'));
const shared = support.reduce((known, file) => readersIn(file, known), new Set<string>() as ReadonlySet<string>);

describe("a test in a browser", () => {
  it.each([...tests, ...support])("waits for what it says of a page: $path", (file) => {
    expect(withoutWaiting(file, readersIn(file, shared))).toEqual([]);
  });
});
