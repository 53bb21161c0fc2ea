/** Makes `docs/embed-reference.md`: the settings, events and style hooks of the elements, by the names that their sources use. */
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { BOARD_LABELS } from "../../elements/board/labels.ts";
import { CHANGELOG_LABELS } from "../../elements/changelog/labels.ts";
import { LAUNCHER_LABELS } from "../../elements/launcher/labels.ts";
import { REFERENCE } from "../../elements/reference.ts";
import { ROADMAP_LABELS } from "../../elements/roadmap/labels.ts";
import type { Labels } from "../../elements/shared/labels.ts";
import { SURVEY_LABELS } from "../../elements/survey/labels.ts";

export const REFERENCE_PAGE = "docs/embed-reference.md";

export const LABELS: Readonly<Record<string, Labels>> = {
  "idea-bank-changelog": CHANGELOG_LABELS,
  "idea-bank-board": BOARD_LABELS,
  "idea-bank-roadmap": { ...BOARD_LABELS, ...ROADMAP_LABELS },
  "idea-bank-launcher": LAUNCHER_LABELS,
  "idea-bank-survey": SURVEY_LABELS,
};

type Kind = keyof typeof REFERENCE;
type Names = Readonly<Record<Kind, ReadonlySet<string>>>;

/** Every group of every match. */
const find = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].flatMap((match) => match.slice(1)).filter((found) => found !== undefined);

/** The texts between double quotes or backticks; `status-${name}` is any status. */
const quoted = (text: string): string[] =>
  find(text, /["`]([^"`]*)["`]/g).flatMap((words) => words.replaceAll(/\$\{\w+\}/g, "…").split(" "));

/** The names that these sources use. */
function namesIn(scripts: string, styles: string): Names {
  return {
    attributes: new Set([
      ...find(scripts, /(?:observedAttributes(?:: readonly string\[\])? = |attributeFilter: )\[(.*?)\]/gs).flatMap(
        quoted,
      ),
      ...find(scripts, /(class [^{]+ extends \w+Element.*?^\})/gms).flatMap((element) =>
        find(element, /^ {2}get (\w+)\(\)/gm),
      ),
      ...find(styles, /:host\((?::not\()?\[([\w-]+)(?:="\w+")?\]/g).filter((name) => name !== "hidden"),
    ]),
    events: new Set(find(scripts, /\bdispatch\("([\w-]+)"/g)),
    slots: new Set(find(scripts, /h\(\s*"slot",\s*\{ name: "([\w-]+)"/g)),
    states: new Set(find(scripts, /type State = (.*?);/gs).flatMap(quoted)),
    parts: new Set(find(scripts, /\bpart(?:: |", )((?:[^,}"`]|"[^"]*"|`[^`]*`)+)/g).flatMap(quoted)),
    customProperties: new Set(find(styles, /(--(?:idea-bank-[\w-]+|launcher-bottom))/g)),
  };
}

/** The names without a description, and the descriptions without a name. */
function faultsOfReference(names: Names): string[] {
  return (Object.keys(REFERENCE) as Kind[]).flatMap((kind) => {
    const described = Object.keys(REFERENCE[kind]);
    const missing = [...names[kind]].filter((name) => !described.includes(name));
    const superfluous = described.filter((name) => !names[kind].has(name));
    return [
      ...missing.map((name) => `src/elements/reference.ts: describe ${name} (${kind}).`),
      ...superfluous.map((name) => `src/elements/reference.ts: nothing is called ${name} (${kind}).`),
    ];
  });
}

export async function readElementSources(): Promise<{ scripts: string; styles: string }> {
  const read = async (pattern: string) =>
    (
      await Promise.all(
        globSync(pattern)
          .toSorted()
          .map((path) => readFile(path, "utf8")),
      )
    ).join("\n");
  return { scripts: await read("src/elements/*/*.ts"), styles: await read("src/elements/*/*.css") };
}

const row = (...cells: readonly string[]) => `| ${cells.join(" | ")} |`;

function table(heading: readonly string[], rows: readonly string[]): string {
  return [row(...heading), row(...heading.map(() => "---")), ...rows].join("\n");
}

const described = (kind: Kind, heading: string) =>
  table(
    [heading, "meaning"],
    Object.entries(REFERENCE[kind]).map(([name, meaning]) => row(`\`${name}\``, meaning)),
  );

/** The page. Rejects when the sources and the descriptions differ. */
export async function buildReference(): Promise<string> {
  const { scripts, styles } = await readElementSources();
  const faults = faultsOfReference(namesIn(scripts, styles));
  if (faults.length > 0) throw new Error(faults.join("\n"));
  const defaults = new Map(
    [...styles.matchAll(/var\((--(?:idea-bank-[\w-]+|launcher-bottom)), ((?:[^()]|\([^()]*\))*)\)/g)].map(
      ([, name, value]) => [name, value],
    ),
  );
  const properties = Object.entries(REFERENCE.customProperties).map(([name, meaning]) =>
    row(`\`${name}\``, meaning, `\`${defaults.get(name) ?? ""}\``),
  );
  const labels = Object.entries(LABELS).map(([element, texts]) => {
    const rows = Object.entries(texts).map(([name, text]) =>
      row(`\`${name}\``, typeof text === "string" ? text : Object.values(text).join(" / ")),
    );
    return `### \`<${element}>\`\n\n${table(["label", "default"], rows)}`;
  });
  return `${[
    "# Reference of the elements",
    "Every name of the elements. [embed.md](embed.md) shows how to use them. `npm run build` makes this page from `src/elements/`.",
    "## Attributes and properties",
    described("attributes", "name"),
    "## Events",
    "All events bubble, and cross shadow roots.",
    described("events", "event"),
    "## Slots",
    described("slots", "slot"),
    "## States",
    "Example: `idea-bank-board:state(closed)`.",
    described("states", "state"),
    "## Parts",
    "Example: `idea-bank-board::part(title)`.",
    described("parts", "part"),
    "## Custom properties",
    table(["custom property", "meaning", "default"], properties),
    "## Labels",
    "A label with a number has a text for each plural category of the language, such as `one` and `other`. An error's label has the name of the API's `error`.",
    ...labels,
  ].join("\n\n")}\n`;
}
