/** The demo idea bank with everything that its panelists have done in it, as statements of one batch. */
import { secureRandomBytes } from "../../worker/credentials/base62.ts";
import { createId } from "../../worker/credentials/id.ts";
import { textTerms, titleTerms, titleWords } from "../../worker/model/words.ts";
import { type DemoIdea, PANELISTS, readDemo } from "./demo-ideas.ts";
import { type DemoMember, seedInside } from "./demo-team.ts";

const DAY_MS = 86_400_000;

export type DemoIds = { readonly accountId: string; readonly ideaBankId: string; readonly panelistId: string };

/** `ids.panelistId` becomes the first of the named panelists. `now` is in Unix milliseconds. */
export function seedIdeaBank(
  database: D1Database,
  ids: DemoIds,
  { team, now }: { readonly team: readonly DemoMember[]; readonly now: number },
): D1PreparedStatement[] {
  const { accountId, ideaBankId } = ids;
  const newId = () => createId(accountId, secureRandomBytes);
  const panelistIds = Array.from({ length: PANELISTS }, (_, index) => (index === 0 ? ids.panelistId : newId()));
  const { ideaBank, names, ideas } = readDemo();
  const panelistOf = (name: string | null | undefined) => panelistIds[names.indexOf(name ?? "")] ?? null;
  const proposals = ideas.map((proposal, index) => ({
    ...proposal,
    id: newId(),
    voters: Array.from({ length: proposal.votes }, (_, vote) => panelistIds[(index * 31 + vote * 101) % PANELISTS]),
    lastActivityAt: Math.round(now - proposal.daysAgo * DAY_MS),
    createdAt: Math.round(now - (proposal.daysAgo + ageInDays(proposal)) * DAY_MS),
  }));
  const idOf = (title: string | undefined) => proposals.find((proposal) => proposal.title === title)?.id ?? null;
  const panelists = panelistIds.map((id, index) => ({
    id,
    externalId: `rider-${index + 1}`,
    name: names[index] ?? null,
  }));
  return [
    database
      .prepare(
        `INSERT INTO panelists (id, account_id, external_id, display_name, created_at)
         SELECT value ->> 'id', ?1, value ->> 'externalId', value ->> 'name', ?2 FROM json_each(?3)`,
      )
      .bind(accountId, now - 400 * DAY_MS, JSON.stringify(panelists)),
    database
      .prepare(
        `INSERT INTO idea_banks (id, account_id, name, status, changelog_enabled, public_page, email_sign_in, created_at)
         VALUES (?1, ?2, ?3, 'OPEN', 1, 1, 1, ?4)`,
      )
      .bind(ideaBankId, accountId, ideaBank, now - 400 * DAY_MS),
    ...proposals.map((proposal) =>
      database
        .prepare(
          `INSERT INTO proposals
             (id, account_id, idea_bank_id, author_id, title, description, status, visibility, response, responded_at,
              created_at, last_activity_at, words, tags, title_terms, text_terms, indexed, assignee, private_tags)
           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, 1, ?17, ?18)`,
        )
        .bind(
          proposal.id,
          accountId,
          ideaBankId,
          panelistOf(proposal.author),
          proposal.title,
          proposal.description,
          proposal.status,
          proposal.visibility,
          proposal.response ?? null,
          proposal.response === undefined ? null : proposal.lastActivityAt,
          proposal.createdAt,
          proposal.lastActivityAt,
          titleWords(proposal.title),
          proposal.tags ? JSON.stringify(proposal.tags) : null,
          titleTerms(proposal.title),
          textTerms(proposal.description),
          team.find(({ name }) => name === proposal.inside?.assignee)?.id ?? null,
          proposal.inside ? JSON.stringify(proposal.inside.privateTags) : null,
        ),
    ),
    ...proposals.flatMap((idea) => seedInside(database, accountId, { idea, team, now })),
    ...proposals
      .filter(({ mergedInto }) => mergedInto !== undefined)
      .map(({ id, mergedInto }) =>
        database.prepare("UPDATE proposals SET duplicate_of = ?2 WHERE id = ?1").bind(id, idOf(mergedInto)),
      ),
    ...proposals
      .filter(({ voters }) => voters.length > 0)
      .map(({ id, voters, createdAt }) =>
        database
          .prepare(
            `INSERT INTO votes (proposal_id, panelist_id, account_id, idea_bank_id, created_at)
             SELECT ?1, value, ?2, ?3, ?4 + key * 60000 FROM json_each(?5)`,
          )
          .bind(id, accountId, ideaBankId, createdAt, JSON.stringify(voters)),
      ),
    ...proposals.flatMap(({ id, comments, createdAt, lastActivityAt }) =>
      comments.map(({ by, text }, index, { length }) =>
        database
          .prepare(
            `INSERT INTO comments (id, account_id, idea_bank_id, proposal_id, panelist_id, body, created_at, by_tenant)
             VALUES (?1, ?2, (SELECT idea_bank_id FROM proposals WHERE id = ?3), ?3, ?4, ?5, ?6, ?7)`,
          )
          .bind(
            newId(),
            accountId,
            id,
            panelistOf(by),
            text,
            Math.round(createdAt + ((lastActivityAt - createdAt) * (index + 1)) / (length + 1)),
            Number(by === "tenant"),
          ),
      ),
    ),
  ];
}

/** A proposal with many votes is older. */
const ageInDays = ({ status, votes }: DemoIdea): number => (status === "submitted" ? 0.5 : 6) + votes / 9;
