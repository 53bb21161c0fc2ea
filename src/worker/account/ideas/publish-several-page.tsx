/** `/account/ideas/publish`: what several entries of the changelog will say, before they are published together. */
import type { Context } from "hono";
import { listIdeaBanks, loadIdeaBank } from "../../database/idea-banks/idea-banks.ts";
import { BANKS_AT_MOST, loadQueued, type QueuedIdea } from "../../database/proposals/queue.ts";
import { readForm } from "../../http/read-body.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import { firstLine } from "../../model/light-formatting.ts";
import { openOwn } from "../account-databases.ts";
import { Done, type JustDone } from "../frame/done.tsx";
import { Layout } from "../frame/layout.tsx";
import { page } from "../frame/page.tsx";
import { loadJustDone } from "../frame/undo.tsx";
import { backTo, ownPage, readVisit, withParameter } from "../frame/visit.ts";
import { counted, entries } from "../frame/words.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { type Chosen, chosenIn } from "./chosen.ts";
import { Hidden, Named } from "./confirm-several-page.tsx";
import { changeIdeas } from "./decide.ts";
import { IDEAS } from "./opened-idea.ts";
import { carrying, countToldOf, TellBox, tellsIn, tellsStatus } from "./tell-people.tsx";

export const PUBLISH_SEVERAL_PAGE = page({
  path: `${IDEAS}/publish`,
  load,
  view: (props) => <PublishSeveralPage {...props} />,

  act: async (c) => {
    const fields = await readForm(c);
    const back = ownPage(fields.get("back"), IDEAS);
    const { event } = await changeIdeas(
      c,
      chosenIn(fields, undefined),
      () => ({ status: "implemented" }),
      tellsIn(fields),
    );
    return c.redirect(event === undefined ? back : withParameter(back, "undo", event), 303);
  },
});

/** What is not published yet: one can be published alone, which leads back here. When nothing is left, it leads back to the list. */
async function load(c: Context<OwnerEnv>): Promise<Props | Response> {
  const visit = readVisit(c);
  const back = visit.back ?? IDEAS;
  const here = backTo(visit.here, back);
  const chosen = chosenIn(new URL(c.req.url).searchParams, undefined);
  const [{ publications, others }, toldCount, done] = await Promise.all([
    loadPublications(c, chosen),
    countToldOf(
      c,
      chosen.map(({ id }) => id),
    ),
    openOwn(c).then((own) => loadJustDone(own, { ...visit, here }, Date.now())),
  ]);
  if (publications.length === 0)
    return c.redirect(visit.undo === undefined ? back : withParameter(back, "undo", visit.undo), 303);
  return { publications, others, toldCount, isTold: tellsStatus(c, new URLSearchParams()), back, here, done };
}

/** A board, and the ideas whose entries appear in its changelog when they become Done. */
type Publication = { readonly board: IdeaBank; readonly ideas: readonly QueuedIdea[] };

/** What setting the status Done publishes, board by board; `others` become Done without an entry. */
export async function loadPublications(
  c: Context<OwnerEnv>,
  chosen: readonly Chosen[],
): Promise<{ readonly publications: readonly Publication[]; readonly others: readonly QueuedIdea[] }> {
  const { session, accountId } = await openOwn(c);
  const [queued, newest] = await Promise.all([
    loadQueued(session, { accountId, ids: chosen.map(({ id }) => id) }),
    listIdeaBanks(session, { accountId, request: { limit: BANKS_AT_MOST, after: undefined } }),
  ]);
  const ideas = queued.filter(({ status }) => status !== "implemented");
  const ideaBankIds = [...new Set(ideas.map(({ ideaBankId }) => ideaBankId))];
  // A board that is not among the newest is read by itself.
  const boards = await Promise.all(
    ideaBankIds.map((one) => newest.items.find(({ id }) => id === one) ?? loadIdeaBank(session, accountId, one)),
  );
  const publications = boards
    .filter((board) => board !== null)
    .filter(({ changelogEnabled }) => changelogEnabled)
    .map((board) => ({
      board,
      ideas: ideas.filter(({ ideaBankId, visibility }) => ideaBankId === board.id && visibility === "public"),
    }))
    .filter((publication) => publication.ideas.length > 0);
  const published = new Set(publications.flatMap((each) => each.ideas));
  return { publications, others: ideas.filter((idea) => !published.has(idea)) };
}

type Props = {
  readonly publications: readonly Publication[];
  /** They become Done without an entry. */
  readonly others: readonly QueuedIdea[];
  /** How many people are told by e-mail, and whether they are to be told. */
  readonly toldCount: number;
  readonly isTold: boolean;
  readonly back: string;
  /** This page, as a link. */
  readonly here: string;
  readonly done: JustDone | undefined;
};

const PublishSeveralPage = ({ publications, others, toldCount, isTold, back, here, done }: Props) => {
  const ideas = publications.flatMap((each) => each.ideas);
  return (
    <Layout title={`Publish ${entries(ideas.length)}?`} current="ideas">
      <Done done={done} boards={publications.map(({ board }) => board)} />
      {publications.map(({ board, ideas }) => (
        <>
          <p class="lead">
            {`Publishes ${ideas.length} changelog ${ideas.length === 1 ? "entry" : "entries"} on `}
            <bdi>{board.name}</bdi>, with the title and text of each idea as they are:
          </p>
          <ul>
            {ideas.map((idea) => (
              <li>
                <Named idea={idea} />{" "}
                <a
                  href={`/account/idea-banks/${board.id}/ideas/${idea.id}/publish?${new URLSearchParams([["back", here], ...carrying({ status: isTold, response: undefined })])}`}
                  aria-label={`Edit and publish on its own: “${idea.title}”`}
                >
                  Edit and publish on its own
                </a>
                {idea.beginning && (
                  <p class="beginning" dir="auto">
                    {firstLine(idea.beginning)}
                  </p>
                )}
              </li>
            ))}
          </ul>
        </>
      ))}
      {others.length > 0 && (
        <p class="hint">
          {`${counted(others.length, "other idea")} will be set to Done without an entry: not public, or on a board without a changelog.`}
        </p>
      )}
      <form method="post" action="/account/ideas/publish">
        <Hidden ideas={[...ideas, ...others]} back={back} />
        <TellBox name="tellStatus" count={toldCount} isTicked={isTold} />
        <div class="buttons">
          <button type="submit" class="primary">
            {`Publish ${entries(ideas.length)}`}
          </button>
          <a href={back}>Cancel</a>
        </div>
      </form>
    </Layout>
  );
};
