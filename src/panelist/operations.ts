/** Every operation of the panelist API. The compound token names the idea bank, so no path does. */
import { compoundToken, describeOperations, type Operations } from "../http/operation.ts";
import { Changelog } from "../model/changelog.ts";
import { IdeaBankAccess } from "../model/idea-bank.ts";

export const PANELIST_OPERATIONS = {
  getChangelog: {
    method: "GET",
    path: "/public/ideabank/changelog",
    credential: compoundToken("canViewChangelog"),
  },
  getCapabilities: { method: "GET", path: "/ideabank", credential: compoundToken(null) },
} as const satisfies Operations;

if (!import.meta.deployed) {
  const tag = { name: "Panelist API", description: "What a panelist's client does with its compound token." };
  describeOperations(tag, PANELIST_OPERATIONS, {
    getChangelog: {
      summary: "Read the idea bank's changelog",
      description:
        "The implemented proposals, newest first by last activity, at most the idea bank's configured maximum. The list is not " +
        "paginated: `cursor` and `limit` are ignored. A closed changelog returns the same 404 as an idea bank that does not exist.",
      answer: Changelog,
      conditional: true,
      problems: ["idea-bank-not-found"],
    },
    getCapabilities: {
      summary: "Read what the idea bank allows",
      answer: IdeaBankAccess,
      problems: ["idea-bank-not-found"],
    },
  });
}
