/** The demo account's members, and what they alone see of an idea, as statements of one batch. */
import { secureRandomBytes } from "../../worker/credentials/base62.ts";
import { createId } from "../../worker/credentials/id.ts";
import { membersNamedIn } from "../../worker/model/note.ts";
import { type DemoIdea, readDemo } from "./demo-ideas.ts";

const DAY_MS = 86_400_000;

export type DemoMember = { readonly id: string; readonly name: string; readonly email: string };

/** The creator, whose id is the account's, and the others, with addresses like the creator's: `owner1@example.com`, `theo1@example.com`. */
export function demoTeam(accountId: string, email: string): readonly DemoMember[] {
  return readDemo().team.map((name, index) =>
    index === 0
      ? { id: accountId, name, email }
      : { id: createId(accountId, secureRandomBytes), name, email: email.replace("owner", name.toLowerCase()) },
  );
}

/** After the account's row. */
export function seedTeam(
  database: D1Database,
  accountId: string,
  { team, now }: { readonly team: readonly DemoMember[]; readonly now: number },
): D1PreparedStatement[] {
  const [creator, ...others] = team;
  return [
    database.prepare("UPDATE accounts SET owner_name = ?2 WHERE id = ?1").bind(accountId, creator?.name ?? null),
    ...others.map(({ id, name, email }) =>
      database
        .prepare(
          "INSERT INTO members (id, account_id, email, added_by, created_at, name, role) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'member')",
        )
        .bind(id, accountId, email, creator?.email ?? "", now - 300 * DAY_MS, name),
    ),
  ];
}

type Seeded = DemoIdea & { readonly id: string; readonly lastActivityAt: number };

/** The notes and the decisions of an idea, after its row. */
export function seedInside(
  database: D1Database,
  accountId: string,
  { idea, team, now }: { readonly idea: Seeded; readonly team: readonly DemoMember[]; readonly now: number },
): D1PreparedStatement[] {
  const { inside } = idea;
  if (inside === undefined) return [];
  const at = (daysAgo: number) => Math.round(now - daysAgo * DAY_MS);
  const memberOf = (name: string) => team.find((each) => each.name === name);
  const notes = inside.notes.map(({ by, text, daysAgo }) =>
    database
      .prepare(
        "INSERT INTO notes (id, account_id, proposal_id, author_id, body, named, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
      )
      .bind(
        createId(accountId, secureRandomBytes),
        accountId,
        idea.id,
        memberOf(by)?.id ?? null,
        text,
        JSON.stringify(membersNamedIn(text, team)),
        at(daysAgo),
      ),
  );
  const statuses = ["submitted", ...inside.decisions.map(({ status }) => status)];
  const decisions = inside.decisions.map(({ by, daysAgo }, index, { length }) => ({
    ...{ by, at: index === length - 1 ? idea.lastActivityAt : at(daysAgo) },
    changes: {
      status: [statuses[index], statuses[index + 1]],
      ...(index === length - 1 &&
        idea.response !== undefined && {
          response: [null, idea.response],
          respondedAt: [null, idea.lastActivityAt],
        }),
    },
  }));
  return [
    ...notes,
    ...decisions.map(({ by, at, changes }, index) =>
      database
        .prepare(
          "INSERT INTO proposal_steps (proposal_id, number, account_id, made_at, changes, member_id, actor) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )
        .bind(
          ...[idea.id, index + 1, accountId, at, JSON.stringify(changes)],
          ...[memberOf(by)?.id ?? null, memberOf(by)?.email ?? null],
        ),
    ),
  ];
}
