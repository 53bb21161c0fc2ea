/** The table of settings in `docs/operations.md`: the comments of `[vars]` and `[secrets]` in `wrangler.toml`, where operators change them. */

const sectionOf = (toml: string, header: string): readonly string[] =>
  toml
    .split(`\n[${header}]\n`)[1]
    ?.split(/\n\n|^\[/m)[0]
    ?.split("\n") ?? [];

const row = (name: string, kind: string, text: string) => `| \`${name}\` (${kind}) | ${text} |`;

/** A variable's comment stands above it. */
function variablesOf(toml: string): readonly string[] {
  const rows: string[] = [];
  let comment: string[] = [];
  for (const line of sectionOf(toml, "vars")) {
    const [, name] = /^(\w+) =/.exec(line) ?? [];
    if (name === undefined) comment.push(line.replace(/^# ?/, ""));
    else {
      rows.push(row(name, "variable", comment.join(" ")));
      comment = [];
    }
  }
  return rows;
}

/** A secret has no line of its own: its comment begins with its name, and goes on in lines that are indented. */
const secretsOf = (toml: string): readonly string[] =>
  [
    ...sectionOf(toml, "secrets")
      .join("\n")
      .replaceAll("\n#   ", " ")
      .matchAll(/^# (\w+): (.*)$/gm),
  ].map(([, name = "", text = ""]) => row(name, "secret", text));

/** Without the values: an operator's file has others, and the documents stay as they are. */
export const settingsTable = (toml: string): string =>
  ["| setting | meaning |", "|---|---|", ...secretsOf(toml), ...variablesOf(toml)].join("\n");
