/** What tells of API keys that were found in public. */
import { describeOperations, none, type Operations } from "../http/operation.ts";
import { LeakReports, LeakVerdicts } from "../model/leak.ts";

export const LEAK_OPERATIONS = {
  reportLeaks: { method: "POST", path: "/leaks/github", credential: none, body: LeakReports },
} as const satisfies Operations;

if (!import.meta.deployed) {
  describeOperations({ name: "Leaks", description: "For GitHub's secret scanning." }, LEAK_OPERATIONS, {
    reportLeaks: {
      summary: "Report API keys that were found in public",
      description:
        "The endpoint of GitHub's secret scanning partner programme. The request is signed: `Github-Public-Key-Identifier` names one " +
        "of the published keys, `Github-Public-Key-Signature` is the ECDSA signature (P-256, SHA-256) of the body. After the answer each " +
        "reported key that still worked is ended, or only marked, as its owner has chosen. Reporting it again changes nothing. " +
        "At most 1,000 reports and 1 MiB at once.",
      answer: LeakVerdicts,
      status: 200,
      problems: ["unauthorized", "not-found"],
    },
  });
}
