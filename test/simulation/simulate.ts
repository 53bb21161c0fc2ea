/** `npm run simulate`: random histories of the whole application, judged by oracles. */
import { defineCommand } from "../../src/commands/command-line/command.ts";
import { main } from "../../src/commands/command-line/main.ts";

const simulate = defineCommand({
  name: "simulate",
  summary: ["Plays random histories of the whole application in virtual time, and judges them by the promises."],
  options: {
    histories: { type: "string", value: "<number>", help: "How many of each profile. Default 100." },
    minutes: { type: "string", value: "<number>", help: "For how long, in place of how many." },
    seed: { type: "string", value: "<number>", help: "That one history; with --histories, the first seed." },
    profile: {
      type: "string",
      value: "<name>",
      help: "One of gates, panel, replicas, outage, changes, all. Default all.",
    },
    only: { type: "string", value: "<oracle>", help: "Judges by this oracle alone." },
    scenario: { type: "string", value: "<name>", help: "Prints the table of a situation: readers or steady-use." },
    incidents: {
      type: "boolean",
      default: false,
      help: "Plays failures of D1 that were reported, and writes docs/incidents.md.",
    },
    trace: { type: "boolean", default: false, help: "Prints the trace of every history." },
    keep: {
      type: "boolean",
      default: false,
      help: "Adds the shortest plan of each broken promise to seeds.json, as known.",
    },
    list: { type: "boolean", default: false, help: "Lists what was found, and shrinks nothing." },
  },
  run: async ({ values }) => {
    // Not before: what it imports takes a while, and Node warns of its SQLite.
    const { runHistories } = await import("./run-histories.ts");
    await runHistories(values);
  },
});

if (import.meta.main) await main(simulate);
