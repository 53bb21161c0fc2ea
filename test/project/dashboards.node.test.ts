/** Every query of the documents and of the dashboard reads columns that a data point has, by the name that the column has. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { COLUMNS } from "../../src/worker/http/observe.ts";

const read = (path: string) => readFileSync(path, "utf8");
const README = "docs/dashboards/README.md";
const dashboard = JSON.parse(read("docs/dashboards/requests.json"));
const [, dataset] = /^# dataset = "(\w+)"$/m.exec(read("wrangler.toml")) ?? [];

const columns: Readonly<Record<string, string>> = Object.fromEntries([
  ...COLUMNS.blobs.map((name, index) => [`blob${index + 1}`, name]),
  ...COLUMNS.doubles.map((name, index) => [`double${index + 1}`, name]),
]);

type Query = readonly [where: string, sql: string];
const inDocument = (path: string): Query[] =>
  [...read(path).matchAll(/```sql\n(.*?)```/gs)].map(([, sql = ""], index) => [`${path} ${index + 1}`, sql]);
const queries: Query[] = [
  ...inDocument(README),
  ...dashboard.panels.flatMap(({ title, targets }: { title: string; targets: { query: string }[] }) =>
    targets.map(({ query }): Query => [`the panel “${title}”`, query]),
  ),
];

/** Names that a query may give to a column. */
const NAMES: Readonly<Record<string, string>> = { api_key: "apiKey" };

it("there are queries of each kind", () => {
  expect(queries.length).toBeGreaterThan(12);
});

describe.each(queries)("the query of %s", (_, sql) => {
  it("reads this deployment's dataset, and only columns that a data point has", () => {
    expect(sql).toMatch(new RegExp(`\\bFROM ${dataset}\\b`));
    for (const [column] of sql.matchAll(/\b(?:blob|double|index)\d+\b/g))
      expect(Object.keys(columns)).toContain(column);
  });

  it("gives a column that it groups by the column's own name", () => {
    for (const [, column = "", name = ""] of sql.matchAll(
      /(?:SELECT|,) (?:toString\()?((?:blob|double)\d+)\)? AS (\w+)/g,
    ))
      expect(NAMES[name] ?? name, column).toBe(columns[column]);
  });

  it("counts requests with the sampling", () => {
    expect(sql).toContain("_sample_interval");
    expect(sql).not.toMatch(/count\(/i);
  });
});

it("the table of columns is that of the code", () => {
  const rows = [...read(README).matchAll(/^\| `((?:blob|double)\d+)` \| (\w+)/gm)].map(([, column, name]) => [
    column,
    name,
  ]);
  expect(Object.fromEntries(rows)).toEqual(columns);
});

it("each alert says what to do", () => {
  const alerts = read(README).split("## Alerts")[1]?.split(/^### /m).slice(1) ?? [];
  expect(alerts.length).toBeGreaterThan(4);
  for (const alert of alerts) expect(alert.split("```").at(-1)?.trim().length, alert).toBeGreaterThan(40);
});

it("the dashboard can be imported: its data source is asked for, and its panels have places and identifiers of their own", () => {
  const inputs = dashboard.__inputs.map(({ name }: { name: string }) => `\${${name}}`);
  const uids = dashboard.panels.flatMap(
    (panel: { datasource: { uid: string }; targets: { datasource: { uid: string } }[] }) =>
      [panel, ...panel.targets].map(({ datasource }) => datasource.uid),
  );
  expect(new Set(uids)).toEqual(new Set(inputs));
  // Grafana's grid has 24 columns. No two panels share a cell of it.
  const cells = dashboard.panels.flatMap(
    ({ gridPos: { x, y, w, h } }: { gridPos: Record<"x" | "y" | "w" | "h", number> }) => {
      expect([x >= 0, y >= 0, w > 0, h > 0, x + w <= 24]).not.toContain(false);
      return Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`);
    },
  );
  expect(new Set(cells).size).toBe(cells.length);
  for (const { type } of dashboard.panels) expect(["timeseries", "table"]).toContain(type);
  expect(new Set(dashboard.panels.map(({ id }: { id: number }) => id)).size).toBe(dashboard.panels.length);
});
