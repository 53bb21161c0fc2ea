/** Writes the incidents' page and its plots: docs/incidents.md. */
import { writeFile } from "node:fs/promises";
import { plotSeconds } from "../bench/plot.ts";
import { percentile } from "../support/random.ts";
import { INCIDENTS, type Incident, playIncident, type Seen } from "./incidents.ts";

const FOLDER = "docs";

const INTRODUCTION = `# Incidents

What users see when D1 fails in reported ways. \`npm run simulate -- --incidents\` writes this page.
Each row is ten requests a second to four isolates, two near D1's primary and two near a replica, from half a minute before to half a minute
after. The peers are the code that one would write first.

*No store called*: answered from memory. Some other 200s waited for a store first. *Failed*: an error, or no answer within 40 seconds.
*Waits* are in seconds. *Oldest*: for how many seconds at most answers did not show a committed change to the changelog.
`;

const seconds = (milliseconds: number): string => (milliseconds / 1_000).toFixed(milliseconds < 10_000 ? 2 : 0);

function toRow({ subject, seconds: by, waits, oldestMs }: Seen): string {
  const total = (field: "ok" | "memory" | "refused" | "none") => by.reduce((sum, second) => sum + second[field], 0);
  const counts = [total("ok"), total("memory"), total("refused") + total("none")];
  const wait = [0.5, 0.99].map((share) => seconds(percentile(waits, share)));
  const name = subject.isOurs ? `**${subject.name}**` : subject.name;
  const oldest = oldestMs === undefined ? "" : seconds(Math.max(0, oldestMs));
  return `| ${[name, ...counts, ...wait, oldest].join(" | ")} |`;
}

function toSection({ name, title }: Incident, seen: readonly Seen[]): string {
  return `
## ${title}

| | 200 | no store called | failed | wait p50 | wait p99 | oldest |
|---|---:|---:|---:|---:|---:|---:|
${seen.map(toRow).join("\n")}

![Answers by second](incident-${name}.svg)
`;
}

/** What is written, by its name in the folder: the same each time, whatever the machine and the time. `told` gets each section as it is made. */
export async function makeIncidents(told: (section: string) => void = () => {}): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  let page = INTRODUCTION;
  for (const incident of INCIDENTS) {
    const seen = await playIncident(incident);
    const section = toSection(incident, seen);
    page += section;
    const strips = seen.map(({ subject, seconds: by }) => ({ label: subject.name, seconds: by }));
    files.set(`incident-${incident.name}.svg`, plotSeconds(incident.title, strips));
    told(section);
  }
  return files.set("incidents.md", page);
}

export async function reportIncidents(): Promise<void> {
  for (const [name, text] of await makeIncidents(console.log)) await writeFile(`${FOLDER}/${name}`, text);
}
