/** Reports of API keys that were found in public, in the shape of GitHub's secret scanning partner programme. */
import * as z from "zod/mini";
import { describe } from "./describe.ts";
import { oneOf } from "./text.ts";

/** The maximum in one request. */
export const MAX_REPORTS = 1_000;

const text = (most: number) => z.string().check(z.maxLength(most));

const EXAMPLE_TOKEN = "ibk_XtwvMRbXxcwnx8wSjFTlRnKdhMYZ70VjvVOZGBXRgxPq48A";
const EXAMPLE_TYPE = "edge_access_api_key";
const EXAMPLE_URL = "https://git.example/a/b/blob/main/.env";
const EXAMPLE_VERDICT = { token_raw: EXAMPLE_TOKEN, token_type: EXAMPLE_TYPE, label: "true_positive" as const };

/** Not strict, because GitHub may add members. */
const LeakReport = describe(
  z.looseObject({
    token: text(1_000),
    type: text(255),
    url: z.optional(z.nullable(text(4_000))),
    source: z.optional(z.nullable(text(255))),
  }),
  import.meta.deployed || {
    name: "LeakReport",
    fields: {
      token: "What was found.",
      type: "The name of its kind, as it was enrolled.",
      url: "Where it was found. Its owner sees it.",
      source: "In what: `content`, `commit`, `issue_comment` and so on.",
    },
  },
);
export const LeakReports = describe(
  z.array(LeakReport).check(z.maxLength(MAX_REPORTS)),
  import.meta.deployed || {
    name: "LeakReports",
    example: [{ token: EXAMPLE_TOKEN, type: EXAMPLE_TYPE, url: EXAMPLE_URL, source: "content" }],
    fields: {},
  },
);

const LeakVerdict = describe(
  z.object({
    token_raw: z.string(),
    token_type: z.string(),
    label: oneOf(["true_positive", "false_positive"]),
  }),
  import.meta.deployed || {
    name: "LeakVerdict",
    fields: {
      token_raw: "What was found.",
      token_type: "The `type` of the report.",
      label: "`true_positive` for a key that this deployment has signed, whether it still works or not.",
    },
  },
);
export const LeakVerdicts = describe(
  z.array(LeakVerdict),
  import.meta.deployed || {
    name: "LeakVerdicts",
    example: [EXAMPLE_VERDICT],
    fields: {},
  },
);
export type LeakVerdicts = z.infer<typeof LeakVerdicts>;
