/** The file of all that is stored of one person; every table that names a person is in it, or is left out for a reason. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { LEFT_OUT, SECTIONS } from "../../../src/worker/database/panelists/stored-of-person.ts";
import { createDesk } from "../../support/desk.ts";
import { createFilledDesk } from "../../support/filled-desk.ts";

/** Columns that name a panelist, or have somebody's address. */
const NAMES_A_PERSON = /^(panelist_id|author_id|respondent|mailbox|text|word)$/;

it("has every table that names a panelist, or says why not", async () => {
  const { results } = await env.DB.prepare(
    `SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema t CROSS JOIN pragma_table_info(t.name) c
     WHERE t.type = 'table' AND t.name NOT GLOB '_cf_*' AND t.name NOT GLOB 'sqlite_*'`,
  ).all<{ table: string; column: string }>();
  const references = await env.DB.prepare(
    "SELECT name AS \"table\" FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%REFERENCES panelists%'",
  ).all<{ table: string }>();
  const naming = [...results.filter(({ column }) => NAMES_A_PERSON.test(column)), ...references.results].map(
    ({ table }) => table,
  );
  const known = new Set<string>([...Object.values(SECTIONS).map(({ table }) => table), ...Object.keys(LEFT_OUT)]);
  expect([...new Set(naming)].filter((table) => !known.has(table))).toEqual([]);
});

it("is readable, has what the person has done and answered, and nothing of others", { tags: "slow" }, async () => {
  const { owner, ids } = await createFilledDesk({ name: "robin" });
  const answer = await owner.submit(`/people/${ids.panelistId}/stored`, {});
  expect(answer.headers.get("Content-Disposition")).toBe(`attachment; filename="person-${ids.panelistId}.json"`);
  const text = await answer.text();
  const stored: Record<string, Record<string, unknown>[]> = JSON.parse(text);
  expect(Object.keys(stored)).toEqual(Object.keys(SECTIONS));
  expect(stored.profile).toMatchObject([{ id: ids.panelistId, blocked: false, emailVerified: false }]);
  expect(stored.profile?.[0]?.firstSeenAt).toMatch(/Z$/);
  expect(stored.ideas).toMatchObject([{ id: ids.pendingProposalId, visibility: "pending" }]);
  expect(stored.votes?.map(({ ideaId }) => ideaId)).toContain(ids.proposalId);
  expect(stored.comments).toMatchObject([{ id: ids.commentId, ideaId: ids.proposalId }]);
  expect(stored.surveyResponses).toMatchObject([
    {
      surveyId: ids.surveyId,
      answers: [
        { answer: 4 },
        {
          answer: [
            "A long title that goes on and on, so that a line of a narrow screen has no room for it by any means",
            expect.stringContaining("robin"),
          ],
        },
        {},
      ],
    },
  ]);
  // The team's words.
  expect(text).not.toContain("is on it.");
  const [event] = (await owner.events()).filter(({ event }) => event === "exported");
  expect(event?.changes?.after).toEqual({ exported: "person", rows: 1, panelistId: ids.panelistId });
  const theirs = await createFilledDesk({ name: "theirs" });
  expect((await theirs.owner.submit(`/people/${ids.panelistId}/stored`, {})).status).toBe(404);
});

it("has the team’s notes about the person, and not those on ideas", async () => {
  const { owner, panel, bank } = await createDesk();
  const bo = await panel.panelist("Bo");
  const idea = await bo.submit("Night buses");
  await owner.submit(`/people/${bo.id}`, { do: "add-note", note: "About Bo" });
  await owner.submit(`${bank}/ideas/${idea}`, { do: "add-note", note: "About buses" });
  const text = await (await owner.submit(`/people/${bo.id}/stored`, {})).text();
  expect(JSON.parse(text).notesOfTheTeam).toMatchObject([{ text: "About Bo" }]);
  expect(text).not.toContain("About buses");
});
