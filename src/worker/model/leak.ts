/** Reports of API keys that were found in public, in the shape of GitHub's secret scanning partner programme. */
import * as z from "zod/mini";
import { describe } from "./describe.ts";
import { oneOf } from "./text.ts";

const EXAMPLE_TOKEN = "ibk_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMP";
const EXAMPLE_TYPE = "edge_access_api_key";
const EXAMPLE_URL = "https://git.example/a/b/blob/main/.env";
const EXAMPLE_VERDICT = { token_raw: EXAMPLE_TOKEN, token_type: EXAMPLE_TYPE, label: "true_positive" as const };

/** Not strict, because GitHub may add members. */
const LeakReport = describe(
  z.looseObject({
    token: z.string(),
    type: z.string(),
    url: z.optional(z.nullable(z.string())),
    source: z.optional(z.nullable(z.string())),
  }),
  {
    name: "LeakReport",
    fields: {
      token: "What was found.",
      type: "The name of its kind, as it was enrolled.",
      url: "Where it was found. Its owner sees it.",
      source: "In what: `content`, `commit`, `issue_comment` and so on.",
    },
  },
);
export const LeakReports = describe(z.array(LeakReport), {
  name: "LeakReports",
  example: [{ token: EXAMPLE_TOKEN, type: EXAMPLE_TYPE, url: EXAMPLE_URL, source: "content" }],
  fields: {},
});

/** An item of a report in any form: a member that is not text becomes empty. */
export function toReport(item: unknown): Record<"token" | "type" | "url" | "source", string> {
  const given = z.looseObject({}).safeParse(item).data ?? {};
  const textOf = (name: string) => (typeof given[name] === "string" ? given[name] : "");
  return { token: textOf("token"), type: textOf("type"), url: textOf("url"), source: textOf("source") };
}

const LeakVerdict = describe(
  z.object({
    token_raw: z.string(),
    token_type: z.string(),
    label: oneOf(["true_positive", "false_positive"]),
  }),
  {
    name: "LeakVerdict",
    fields: {
      token_raw: "What was found.",
      token_type: "The `type` of the report.",
      label: "`true_positive` for a key that this deployment has signed, whether it still works or not.",
    },
  },
);
export const LeakVerdicts = describe(z.array(LeakVerdict), {
  name: "LeakVerdicts",
  example: [EXAMPLE_VERDICT],
  fields: {},
});
export type LeakVerdicts = z.infer<typeof LeakVerdicts>;
