/**
 * `npm run import -- --from canny|fider|csv <file> --idea-bank <id> --url <deployment>`: brings the ideas of another service into an idea
 * bank, through the tenant API. Sends the API key in the environment variable API_KEY.
 */
import { createReadStream } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { ENCODINGS } from "../../import/encoding.ts";
import { faultsOf } from "../../import/faults.ts";
import { type Idea, type Import, peopleOf, type Terms } from "../../import/ideas.ts";
import { readCanny } from "../../import/read-canny.ts";
import { isColumn, readCsv } from "../../import/read-csv.ts";
import { readFider } from "../../import/read-fider.ts";
import { statusName } from "../../import/statuses.ts";
import { Unreadable } from "../../import/unreadable.ts";
import { PROPOSAL_STATUSES } from "../../worker/model/proposal.ts";
import { defineCommand, misused } from "../command-line/command.ts";
import { Failure } from "../command-line/failure.ts";
import { fileCodeOf, fileProblemOf } from "../command-line/file-problem.ts";
import { main } from "../command-line/main.ts";
import { createProgress } from "../command-line/progress.ts";
import { secretFrom } from "../command-line/secret.ts";
import { originOf } from "../deployment/ask-deployment.ts";
import { makeClientSource } from "../openapi/client-source.ts";

type Read = (file: AsyncIterable<Uint8Array>, now: number, terms: Terms) => Promise<Import>;
/** A ZIP archive is read whole, CSV row by row, and JSON item by item. */
const READERS: ReadonlyMap<string, Read> = new Map<string, Read>([
  ["canny", readCanny],
  ["fider", async (file, now) => readFider(await buffer(file), now)],
  ["csv", readCsv],
]);

export const importIdeas = defineCommand({
  name: "import",
  summary: [
    "Brings ideas, votes, comments, statuses and tags of another service into an idea bank, through the tenant API. Running it again",
    "writes nothing twice, so an import that was interrupted goes on. It sets title, text, status, tags and response to what the file",
    "says, and adds again what you have deleted here. What is pending, hidden or public here stays so.",
    "Sends an API key with the scopes ideabanks:read, ideabanks:write, panelists:read and panelists:write, from the environment variable API_KEY.",
    "",
    '  canny  The lists of Canny\'s API in one JSON file: {"posts": […], "comments": […], "votes": […], "boards": […]}.',
    "         Posts of private boards are imported as hidden.",
    "  fider  The ZIP archive of Fider: Site Settings, Export, backup. Posts that wait for approval are imported as pending.",
    "  csv    A line of names, with title; and id, description, status, visibility (public, pending or hidden), tags, created_at,",
    "         author_id, author_email, author, voters, votes, response. Without id, an idea is known by its title. Divided by commas, semicolons or tabs.",
    "         Tags and voters are divided by semicolons or commas. voters and author_id are your own ids for people. created_at is a date, such as",
    "         2025-03-01 or 1 March 2025, or a time in ISO 8601 with its offset. A column is a comment only with --column comment=<name>.",
  ],
  positionals: { usage: "<file>", help: [["<file>", "What the other service has exported."]] },
  options: {
    from: { type: "string", value: "<service>", help: "One of canny, fider and csv. Required." },
    "idea-bank": { type: "string", value: "<id>", help: "The idea bank. Required, except with --dry-run." },
    url: {
      type: "string",
      value: "<address>",
      help: "The deployment, such as https://api.example.com. Required, except with --dry-run.",
    },
    status: {
      type: "string",
      multiple: true,
      default: [],
      value: '"<name>=<status>"',
      help: `What a status of the file is here, such as "Shipped=implemented": ${PROPOSAL_STATUSES.join(", ")}. As often as needed.`,
    },
    column: {
      type: "string",
      multiple: true,
      default: [],
      value: "<ours>=<name>",
      help: "Maps one of our fields to a column of the CSV file, such as description=content. As often as needed.",
    },
    encoding: {
      type: "string",
      default: ENCODINGS[0],
      value: "<encoding>",
      help: `Of a CSV file: ${ENCODINGS.join(" or ")}, which a spreadsheet in Western Europe or America may have saved.`,
    },
    "dry-run": { type: "boolean", default: false, help: "Reads the file and says what it would write. Sends nothing." },
  },
  run: async ({ values, positionals }, context) => {
    const [name, ...more] = positionals;
    if (name === undefined) throw misused("Name one file.", importIdeas);
    if (more.length > 0) throw misused(`Name one file: ${positionals.join(", ")} are several.`, importIdeas);
    const read = READERS.get(values.from ?? "");
    if (read === undefined) {
      const unknown = values.from === undefined ? "" : `--from ${values.from} is unknown. `;
      throw misused(`${unknown}Say what the file is: --from canny, fider or csv.`, importIdeas);
    }
    const encoding = ENCODINGS.find((each) => each === values.encoding);
    if (encoding === undefined)
      throw misused(`--encoding ${values.encoding} is unknown. Give ${ENCODINGS.join(" or ")}.`, importIdeas);
    const terms = { ...termsOf(values.status, values.column), encoding };
    if (values.column.length > 0 && values.from !== "csv")
      throw misused("--column is for CSV: the other files have no columns.", importIdeas);
    context.showProgress?.(`Reading ${name}`);
    const { ideas, lost, faulty, statuses } = await readAs(read, {
      name,
      folder: context.folder,
      terms,
      service: values.from,
    });
    const of = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;
    // First: an idea bank without its votes is another one.
    if (lost.votes > 0)
      context.print(
        `${of(lost.votes, "vote")} cannot be imported: the file has their number, and does not name their voters.`,
      );
    context.print(
      `${name}: ${of(ideas.length, "idea")}, ${of(peopleOf(ideas).length, "person").replace("persons", "people")}, ` +
        `${of(
          sum(ideas, ({ voters }) => voters.length),
          "vote",
        )}, ${of(
          sum(ideas, ({ comments }) => comments.length),
          "comment",
        )}.`,
    );
    if (lost.lines().length > 0) context.print(["Without a counterpart:", ...lost.lines()].join("\n"));
    for (const { name: status, isKnown } of statuses)
      if (!isKnown) context.print(`  To say what “${status}” is here: --status "${status}=planned"`);
    const faults = [...faulty, ...faultsOf(ideas)];
    if (faults.length > 0)
      throw new Failure(["Nothing was sent. Correct these first:", ...faults.map((fault) => `  ${fault}`)].join("\n"));
    if (values["dry-run"]) return context.print("A dry run: nothing was sent.");

    const ideaBankId = values["idea-bank"];
    if (ideaBankId === undefined || !/^\w{12}$/.test(ideaBankId))
      throw misused("Say where: --idea-bank, the identifier of an idea bank.", importIdeas);
    if (values.url === undefined) throw misused("Say where: --url, the deployment's address.", importIdeas);
    const origin = originOf(values.url);
    const apiKey = secretFrom(context, "API_KEY", "an API key of the account");

    // Made first: neither can be loaded without it.
    await makeClientSource();
    const { ImportClient } = await import("./import-client.ts");
    const { writeIdeas } = await import("./write.ts");

    const start = Date.now();
    const progress = createProgress(context);
    const stop = new AbortController();
    const interrupt = () => stop.abort();
    process.once("SIGINT", interrupt);
    try {
      const client = new ImportClient({ url: origin, apiKey, signal: stop.signal, complain: context.complain });
      const written = await writeIdeas(client, {
        ideaBankId,
        ideas,
        progress: (done) => progress(progressOf(done, ideas.length, Date.now() - start)),
        progressOfPeople: (done, all) => progress(`${done} of ${all} people`),
      });
      context.print(
        `Written: ${of(written.ideas, "new idea")}, ${of(written.panelists, "new panelist")}, ${of(written.votes, "vote")}, ` +
          `${of(written.comments, "comment")}, ${of(written.merges, "merge")}. Already there: ${of(written.changed, "idea")}.`,
      );
    } catch (error) {
      if (stop.signal.aborted)
        throw new Failure("Interrupted. What was written stays: run the same command again to go on.");
      throw error;
    } finally {
      process.off("SIGINT", interrupt);
    }
  },
});

/** The file must have the shape that the service documents, otherwise it is refused. No row is guessed. */
async function readAs(
  read: Read,
  {
    name,
    folder,
    terms,
    service,
  }: { readonly [key in "name" | "folder"]: string } & {
    readonly terms: Terms;
    readonly service: string | undefined;
  },
): Promise<Import> {
  try {
    return await read(createReadStream(resolve(folder, name)), Date.now(), terms);
  } catch (error) {
    const unread = unreadOf(error, name, folder);
    if (unread !== undefined) throw new Failure(unread);
    if (error instanceof Unreadable) throw new Failure(error.message);
    if (error instanceof TypeError || error instanceof SyntaxError)
      throw new Failure(`The file is not as ${service} gives it: ${error.message}. See npm run import -- --help.`);
    throw error;
  }
}

/** npm runs a script in the project's folder, so a name from elsewhere is not found: the folder is named. */
export function unreadOf(error: unknown, name: string, folder: string): string | undefined {
  switch (fileCodeOf(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return `There is no file ${name}${isAbsolute(name) ? "" : ` in ${folder}`}.`;
    case "EISDIR":
      return `${name} is a folder. Name a file.`;
    case "EACCES":
    case "EPERM":
      return `You have no permission to read ${name}.`;
    default:
      return fileProblemOf(error);
  }
}

/** The time left is as long for each idea as it has been. */
export function progressOf(done: number, all: number, milliseconds: number): string {
  const minutes = Math.ceil(((milliseconds / done) * (all - done)) / 60_000);
  const left = minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
  return `${done} of ${all} ideas (${Math.floor((100 * done) / all)} %), ${left} left`;
}

/** Throws a Failure for an unknown status or column. */
function termsOf(statuses: readonly string[], columns: readonly string[]): Terms {
  const divide = (text: string, at: number) => [text.slice(0, at), text.slice(at + 1).trim()] as const;
  return {
    statuses: new Map(
      statuses.map((text) => {
        const [name, given] = divide(text, text.lastIndexOf("="));
        const status = PROPOSAL_STATUSES.find((each) => each === given);
        if (statusName(name) !== "" && status !== undefined) return [statusName(name), status];
        throw misused(
          `--status "${text}": "<name>=<status>", with one of ${PROPOSAL_STATUSES.join(", ")}.`,
          importIdeas,
        );
      }),
    ),
    columns: new Map(
      columns.map((text) => {
        const [column, name] = divide(text, text.indexOf("="));
        if (isColumn(column) && name !== "") return [column, name];
        throw misused(`--column ${text}: <ours>=<name>, such as description=content.`, importIdeas);
      }),
    ),
  };
}

const sum = (ideas: readonly Idea[], count: (idea: Idea) => number) =>
  ideas.reduce((all, idea) => all + count(idea), 0);

if (import.meta.main) await main(importIdeas);
