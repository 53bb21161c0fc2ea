/** `/account/people/{id}/stored`: everything that is stored by and about one person, as a file that the person can read. */
import type { Context } from "hono";
import { loadPanelist } from "../../database/panelists/panelists.ts";
import {
  readStored,
  SECTION_NAMES,
  type StoredPage,
  type StoredRow,
} from "../../database/panelists/stored-of-person.ts";
import { textFile } from "../../http/csv-file.ts";
import { readForm } from "../../http/read-body.ts";
import { labeledAnswers } from "../../model/labeled-answers.ts";
import type { Answers, Questions } from "../../model/survey-answers.ts";
import { openOwn } from "../account-databases.ts";
import { beginExport } from "../frame/begin-export.ts";
import { idsOf, orNotFound } from "../frame/decide.ts";
import { action } from "../frame/page.tsx";
import type { Own, OwnerEnv } from "../owner-env.ts";
import { PEOPLE } from "../people/people-page.tsx";

export const PERSON_FILE = action(
  `${PEOPLE}/:panelistId/stored`,
  async (c: Context<OwnerEnv>) => {
    await readForm(c);
    const { panelistId } = idsOf({ panelistId: c.req.param("panelistId") ?? "" });
    const own = await openOwn(c);
    orNotFound(await loadPanelist(own.session, own.accountId, panelistId));
    await beginExport(c, "person", { filter: "", rows: 1, panelistId });
    const name = `person-${panelistId}.json`;
    const { body, headers } = textFile({
      name,
      type: "application/json",
      beginning: "{\n",
      slices: textsOf(own, panelistId),
    });
    return c.body(body, 200, headers);
  },
  "viewer",
);

/** The parts of one JSON object: a list for each section. */
async function* textsOf({ session, accountId }: Own, panelistId: string): AsyncGenerator<string> {
  for (const [index, name] of SECTION_NAMES.entries()) {
    let after: StoredPage["next"];
    let isFirst = true;
    yield `${index === 0 ? "" : ",\n"}${JSON.stringify(name)}: [`;
    do {
      const { items, next }: StoredPage = await readStored(session, { accountId, panelistId }, { name, after });
      const told = name === "surveyResponses" ? items.map(withLabels) : items;
      const text = told.map((item) => JSON.stringify(item, null, 2)).join(",\n");
      yield text === "" ? "" : `${isFirst ? "\n" : ",\n"}${text}`;
      if (text !== "") isFirst = false;
      after = next;
    } while (after !== undefined);
    yield "]";
  }
  yield "\n}\n";
}

/** The questions and the options in their own words. */
const withLabels = ({ questions, answers, ...response }: StoredRow): StoredRow => ({
  ...response,
  answers: labeledAnswers((questions ?? []) as Questions, (answers ?? {}) as Answers),
});
