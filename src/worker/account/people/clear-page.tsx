/**
 * `/account/people/{id}/clear`: asks before everything that somebody has written is deleted, with what others lose by it. With `?with=person`
 * the person is deleted, too. The form is the person's page's.
 *
 * An idea goes with its votes, its comments and the ideas that were merged into it, whoever made them. Who wants to keep one blocks the
 * person instead, and deletes single ideas.
 */
import { type Clearing, COUNTED_AT_MOST, countClearing, type Missed } from "../../database/panelists/clearing.ts";
import { loadPanelist } from "../../database/panelists/panelists.ts";
import { openOwn } from "../account-databases.ts";
import { ConfirmForm } from "../frame/confirm.tsx";
import { idsOf, orNotFound } from "../frame/decide.ts";
import { Layout } from "../frame/layout.tsx";
import { filledIn } from "../frame/own-link.ts";
import { page } from "../frame/page.tsx";
import { backTo, readVisit } from "../frame/visit.ts";
import { counted, nameOf, number } from "../frame/words.ts";
import { PEOPLE } from "./people-page.tsx";

export const CLEAR_PAGE = page({
  path: `${PEOPLE}/:panelistId/clear`,
  needs: "member",

  load: async (c) => {
    const { panelistId } = idsOf(c.req.param());
    const withPerson = filledIn(c).get("with") === "person";
    const { back } = readVisit(c);
    const { session, accountId } = await openOwn(c);
    const [panelist, clearing] = await Promise.all([
      loadPanelist(session, accountId, panelistId),
      countClearing(session, accountId, panelistId),
    ]);
    return {
      panelist: orNotFound(panelist),
      clearing,
      withPerson,
      here: backTo(`${PEOPLE}/${panelistId}`, back),
      back,
    };
  },

  view: ({ panelist, clearing, withPerson, here, back }) => {
    const name = nameOf(panelist);
    const [title, stays, label] = withPerson
      ? [
          `Delete ${name} and what they wrote?`,
          `${panelist.active ? "They" : "This lifts the block: they"} can come back as a new person.`,
          "Delete person, ideas and comments",
        ]
      : [
          panelist.active ? `Block ${name} and delete what they wrote?` : `Delete what ${name} wrote?`,
          "They can’t sign in again, neither from your site nor by email.",
          panelist.active ? "Block and delete what they wrote" : "Delete what they wrote, keep them blocked",
        ];
    return (
      <Layout title={title} current="people">
        <p>
          {"This deletes "}
          <strong>{inWords(clearing)}</strong>, and their survey responses and follows. Responses to closed anonymous
          surveys stay. You can’t undo this.
        </p>
        <p>{stays}</p>
        {clearing.missed.length > 0 && <Missing {...clearing} />}
        {panelist.active && !withPerson && (
          <form method="post" action={here}>
            <button type="submit" name="do" value="block" aria-describedby="only-block">
              Only block them
            </button>{" "}
            <span class="hint" id="only-block">
              What they wrote stays. You can undo this.
            </span>
          </form>
        )}
        <ConfirmForm
          action={here}
          does={withPerson ? "delete-all" : "clear"}
          label={label}
          cancel={withPerson || back === undefined ? here : back}
        />
      </Layout>
    );
  },
});

const upTo = (count: number, noun: string): string =>
  count >= COUNTED_AT_MOST ? `${number(count)}+ ${noun}s` : counted(count, noun);

/** "3 ideas, 1 comment and 14 votes". */
const inWords = ({ ideas, comments, votes }: Clearing): string =>
  `${upTo(ideas, "idea")}, ${upTo(comments, "comment")} and ${upTo(votes, "vote")}`;

const Missing = ({ missed, allMissed }: Clearing) => (
  <section aria-labelledby="missed">
    <h2 id="missed">Others lose these, too</h2>
    <ul>
      {missed.map((idea) => (
        <li>
          <a href={`/account/idea-banks/${idea.ideaBankId}/ideas/${idea.id}`}>
            <bdi>{idea.title}</bdi>
          </a>
          <span class="hint">{` ${partsOf(idea).join(" · ")}`}</span>
        </li>
      ))}
    </ul>
    {allMissed > missed.length && <p>{`And ${counted(allMissed - missed.length, "more idea")}.`}</p>}
    <p class="hint">To keep one of them, block the person instead, and delete single ideas on their page.</p>
  </section>
);

const partsOf = ({ votes, comments, merged }: Missed): readonly string[] =>
  [
    votes > 0 && `${counted(votes, "vote")} of others`,
    comments > 0 && counted(comments, "comment"),
    merged > 0 && `${counted(merged, "idea")} merged into it, deleted with it`,
  ].filter((part) => part !== false);
