/** `/account/idea-banks/{id}/ideas/{id}`: one idea: its text, response and comments, and beside them the decisions about it. */
import type { Context } from "hono";
import { listComments, listMergedComments } from "../../database/comments/comments.ts";
import { listToldOfIdea } from "../../database/mails/outbox.ts";
import { loadPanelists } from "../../database/panelists/panelists.ts";
import { listSteps } from "../../database/proposals/history.ts";
import { listMerged, listProposals, loadProposal } from "../../database/proposals/proposals.ts";
import { listOwnTags } from "../../database/proposals/tags.ts";
import { listVoters } from "../../database/votes/voters.ts";
import { nextCursor, readPage } from "../../http/pagination.ts";
import { readForm } from "../../http/read-body.ts";
import { pagesOriginOf } from "../../model/pages-origin.ts";
import { PageQuery } from "../../model/pagination.ts";
import { openOwn } from "../account-databases.ts";
import { ClearPerson } from "../frame/clear-person.tsx";
import { Confirm } from "../frame/confirm.tsx";
import { orNotFound } from "../frame/decide.ts";
import { Done, Outcome } from "../frame/done.tsx";
import { inWords } from "../frame/errors-in-words.ts";
import { ErrorSummary } from "../frame/field.tsx";
import { Formatted } from "../frame/formatted.tsx";
import { useMay } from "../frame/frame.ts";
import { Layout } from "../frame/layout.tsx";
import { page, type SentForm } from "../frame/page.tsx";
import { Time } from "../frame/times.tsx";
import { loadJustDone } from "../frame/undo.tsx";
import { backTo, readVisit, tellAt, withParameter, withParameters } from "../frame/visit.ts";
import { counted, nameOf } from "../frame/words.ts";
import { IDEA_BANKS } from "../idea-banks/own-bank.tsx";
import type { OwnerEnv } from "../owner-env.ts";
import { APPROVALS, isUndecided, WAITING } from "./approval.tsx";
import { AsSubmitted } from "./as-submitted.tsx";
import { Author, Comments, changeComments, isOfComments } from "./comments.tsx";
import { changeIdea, deleteIdea, type IdeaPath, mergeIdea } from "./decide.ts";
import { DecidedFacts } from "./decided-facts.tsx";
import { History, STEPS_SHOWN } from "./history.tsx";
import { Decision, EditText, LABELS, Response, Similar } from "./idea-decision.tsx";
import { Facts, type IdeaProps } from "./idea-facts.tsx";
import { Merged } from "./merged.tsx";
import { NOTE_SCRIPTS, takeNotesPage } from "./notes.tsx";
import {
  addressOf,
  becomesDone,
  formsOf,
  IDEA,
  isCarried,
  loadIdea,
  pathOfIdea,
  requireUnmerged,
  saveIdea,
  textOf,
  toChanges,
  waitedIn,
  withPresent,
} from "./opened-idea.ts";
import { renderPublish } from "./publish-page.tsx";
import { changeForTeam, isOfTeam, loadTeam, TeamBoxes, TeamNotes } from "./team-boxes.tsx";
import { carrying, countToldOf, tellsIn } from "./tell-people.tsx";
import { MAX_TEXT_FORM_BYTES } from "./text-fields.tsx";
import { loadWriting, WRITING_SCRIPTS } from "./writing.tsx";

const FIRST_VOTERS = { limit: 20, after: undefined };
const FIRST_SIMILAR = { limit: 5, after: undefined };

/** After these, one goes on with the list. */
const LEADS_BACK = [...Object.keys(APPROVALS), "merge", "delete"];

export const IDEA_PAGE = page({
  path: IDEA,
  allows: "requests",
  load: (c) => load(c, { fields: new URLSearchParams(), errors: [] }),
  view: (props) => <IdeaPage {...props} />,

  act: async (c) => {
    const path = pathOfIdea(c);
    const sent = await readForm(c, { maxBytes: MAX_TEXT_FORM_BYTES });
    const what = whatOf(sent);
    const { here, back } = readVisit(c);
    if (what.startsWith("preview-")) return load(c, { fields: sent, errors: [] });
    if (what === "cancel") return load(c, { fields: asBefore(sent), errors: [] });
    const list = back ?? (what in APPROVALS || what === "merge" ? WAITING : `${IDEA_BANKS}/${path.ideaBankId}`);
    if (isOfTeam(what)) return c.redirect(tellAt(backTo(here, back), await changeForTeam(c, path, sent)), 303);
    if (sent.get("asks") === "publish" && becomesDone(sent) && (what === "decide" || what === "approve"))
      return askToPublish(c, {
        path,
        fields: withApproval(sent, what),
        here: withParameter(here, "back", list),
        list,
      });
    const event = await change(c, path, what, sent);
    const leadsBack = LEADS_BACK.includes(what) || sent.get("then") === "list";
    const to = leadsBack ? list : backTo(here, back);
    return c.redirect(withParameter(to, "undo", event), 303);
  },

  refused: (c, sent) => load(c, inWords(sent)),
});

/** The button that was pressed. Those of 1.1.0 that approved, hid and merged had no name in common. */
function whatOf(fields: URLSearchParams): string {
  const what = fields.get("do");
  if (what !== null || !fields.has("edits")) return what ?? "";
  return fields.has("into") ? "merge" : fields.get("visibility") === "hidden" ? "hide" : "approve";
}

/** The form with the visibility that its button sets. */
function withApproval(sent: URLSearchParams, what: string): URLSearchParams {
  const visibility = APPROVALS[what];
  if (visibility === undefined) return sent;
  const fields = new URLSearchParams(sent);
  fields.set("visibility", visibility);
  return fields;
}

/** The form that was going to publish the idea, with the status that it had. */
function asBefore(sent: URLSearchParams): URLSearchParams {
  const fields = new URLSearchParams(sent);
  const was = new URLSearchParams(sent.get("was") ?? "");
  for (const name of ["status", "visibility"])
    if (was.has(name)) fields.set(name, was.get(name) ?? "");
    else fields.delete(name);
  return fields;
}

type Asked = {
  readonly path: IdeaPath;
  readonly fields: URLSearchParams;
  readonly here: string;
  readonly list: string;
};

/** Done is publishing: a page shows first what the changelog will say. */
function askToPublish(c: Context<OwnerEnv>, { path, fields, here, list }: Asked): Response | Promise<Response> {
  const opener = fields.get("then") === "list" ? list : here;
  const { status: _, ...others } = toChanges(fields);
  if (Object.keys(others).length > 0) return renderPublish(c, fields, opener);
  return c.redirect(
    withParameters(`${addressOf(path)}/publish`, [["back", opener], ...carrying(tellsIn(fields))]),
    303,
  );
}

/** Does what the button says, and returns the event's id. Throws `invalid-request`, and `not-found`. */
async function change(c: Context<OwnerEnv>, path: IdeaPath, what: string, sent: URLSearchParams): Promise<string> {
  if (what === "delete") return deleteIdea(c, path);
  if (what === "comment") await requireUnmerged(c);
  if (isOfComments(what)) return changeComments(c, { path, what, fields: sent });
  const waited = waitedIn(sent);
  if (what === "merge") return mergeIdea(c, path, sent.get("into") ?? "", waited);
  const visibility = APPROVALS[what];
  const tells = tellsIn(sent);
  if (visibility === undefined)
    return saveIdea(path, { fields: sent, load: () => requireUnmerged(c) }, (changes, opened) =>
      changeIdea(c, path, changes, { opened, tells }),
    );
  const fields = withApproval(sent, what);
  // A page of 1.1.0 has one button for a response and for none.
  if (!sent.has("was") && textOf(sent, "response") === "") fields.delete("response");
  const load = async () => (await loadIdea(c)).idea;
  // Whatever its author has made of it, it can be hidden.
  const edits = visibility === "public" ? waited?.edits : undefined;
  return saveIdea(path, { fields, load }, (changes, opened) =>
    changeIdea(c, path, changes, { opened, tells, waited: { edits } }),
  );
}

async function load(c: Context<OwnerEnv>, { fields: sent, errors }: SentForm): Promise<IdeaProps> {
  const notesAfter = takeNotesPage(c);
  const visit = readVisit(c);
  const { page } = await readPage(c, PageQuery);
  const path = pathOfIdea(c);
  const { session, accountId } = await openOwn(c);
  const [
    { idea, submitted, edits, ideaBank },
    team,
    merged,
    mergedComments,
    voters,
    found,
    tags,
    toldCount,
    told,
    steps,
    writing,
    done,
  ] = await Promise.all([
    loadIdea(c),
    loadTeam(c, path, notesAfter),
    listMerged(session, { accountId, proposalId: path.proposalId }),
    listMergedComments(session, { accountId, proposalId: path.proposalId }),
    listVoters(session, { accountId, path, request: FIRST_VOTERS }),
    listComments(session, { accountId, path, request: page }),
    listOwnTags(session, accountId, [path.ideaBankId]),
    countToldOf(c, [path.proposalId]),
    listToldOfIdea(session, { accountId, proposalId: path.proposalId }),
    listSteps(session, { accountId, proposalId: path.proposalId, most: STEPS_SHOWN + 1 }),
    loadWriting(c),
    loadJustDone({ session, accountId }, { ...visit, here: backTo(visit.here, visit.back) }, Date.now()),
  ]);
  const comments = orNotFound(found);
  const authors = [idea.panelistId, ...comments.items.map(({ panelistId }) => panelistId)].filter((id) => id !== null);
  const target = idea.duplicateOf && { ideaBankId: path.ideaBankId, proposalId: idea.duplicateOf };
  const filter = { q: idea.title, visibility: "public" } as const;
  const [panelists, mergedInto, similar] = await Promise.all([
    loadPanelists(session, accountId, [...new Set(authors)]),
    target ? loadProposal(session, accountId, target) : null,
    isUndecided(idea)
      ? listProposals(session, { accountId, ideaBankId: ideaBank.id, filter, request: FIRST_SIMILAR })
      : null,
  ]);
  const people = new Map(panelists.map((each) => [each.id, each] as const));
  return {
    ...{
      ideaBank,
      idea,
      mergedInto,
      merged,
      mergedComments,
      submitted,
      edits,
      tags,
      toldCount,
      told,
      steps,
      comments: comments.items,
      people,
      sent,
      errors,
      done,
      team,
      writing: writing.filter(({ proposalId }) => proposalId === idea.id),
      outcome: visit.told,
    },
    pagesOrigin: pagesOriginOf(c.env, c.req.url),
    voters: voters?.items ?? [],
    similar: similar?.items ?? [],
    fields: {
      ...formsOf(idea),
      ...(isCarried(sent) && { [sent.has("response") ? "respond" : "decide"]: withPresent(sent, idea) }),
      ...(sent.get("do") === "edit" && { edit: sent }),
    },
    ...{ back: visit.back, more: await nextCursor(c, comments.next) },
  };
}

/** "Its 35 votes, 4 comments and 2 ideas merged into it go" */
const whatGoes = ({ idea: { votes, comments }, merged }: IdeaProps): string =>
  `Its ${counted(votes, "vote")}${merged.length > 0 ? "," : " and"} ${counted(comments, "comment")}${
    merged.length > 0 ? ` and ${counted(merged.length, "idea")} merged into it` : ""
  } go`;

const IdeaPage = (props: IdeaProps) => {
  const { ideaBank, idea, mergedInto, submitted, people, comments, more, sent, errors, back, done } = props;
  const bank = `/account/idea-banks/${ideaBank.id}`;
  const path = `${bank}/ideas/${idea.id}`;
  const action = `${path}${back ? `?back=${encodeURIComponent(back)}` : ""}`;
  const author = people.get(idea.panelistId ?? "");
  // A chain of people and ideas would make the link longer and longer.
  const isOfPerson = back?.startsWith("/account/people/");
  const here = backTo(path, isOfPerson ? undefined : back);
  const isMerged = idea.duplicateOf !== null;
  const mayChange = useMay("member");
  const isWaiting = isUndecided(idea);
  const older = more && `${path}?${new URLSearchParams({ ...(back && { back }), cursor: more })}#comments`;
  return (
    <Layout
      title={idea.title}
      current={isWaiting ? "approval" : "ideas"}
      scripts={[...NOTE_SCRIPTS, ...WRITING_SCRIPTS]}
    >
      <p>
        <a href={`${back ?? bank}#idea-${idea.id}`}>{isOfPerson ? "Back to the person" : "Back to the list"}</a>
      </p>
      <Done done={done} boards={[ideaBank]} {...(author && { person: nameOf(author) })} />
      <Outcome told={props.outcome} />
      {errors.length > 0 && <ErrorSummary title="Nothing was changed." errors={errors} labels={LABELS} />}
      {sent.get("do") === "cancel" && (
        <p class="notice" role="status" tabindex={-1} autofocus>
          Nothing was published or saved. What you wrote is still here.
        </p>
      )}
      {mergedInto && (
        <p class="notice">
          Merged into{" "}
          <a href={`${bank}/ideas/${mergedInto.id}`}>
            <bdi>{mergedInto.title}</bdi>
          </a>
          , which has its votes.
        </p>
      )}
      {isWaiting && <p class="notice">Waiting for approval. Only its author and your team can see it.</p>}
      <div class="idea" id="idea">
        <div class="text">
          <Formatted text={idea.description} />
          <p class="hint">
            <Author id={idea.panelistId} people={people} none="Your team" here={here} />
            {" · "}
            <Time at={idea.createdAt} />
          </p>
          {submitted && (submitted.title !== idea.title || submitted.description !== idea.description) && (
            <details>
              <summary>As submitted</summary>
              <AsSubmitted submitted={submitted} />
            </details>
          )}
          <Response {...props} action={action} />
          <Merged {...props} bank={bank} />
        </div>
        <aside aria-label="Details">
          {!isMerged && (mayChange ? <Decision {...props} action={action} /> : <DecidedFacts idea={idea} />)}
          {mayChange && !isMerged && <TeamBoxes {...props} action={action} />}
          <Facts {...props} path={path} here={here} />
        </aside>
        <div class="rest">
          {mayChange && props.similar.length > 0 && <Similar {...props} action={action} />}
          {mayChange && (
            <div class="actions">
              {!isMerged && <EditText {...props} action={action} />}
              {!isMerged && (
                <a class="button" href={action.replace(/\?|$/, (mark) => `/merge${mark}`)}>
                  Merge…
                </a>
              )}
              <Confirm
                action={action}
                says={`${whatGoes(props)} with it. You can’t undo this. To keep it for your team, hide it.`}
                buttons={[["delete", "Delete this idea"]]}
              />
              {idea.panelistId !== null && (
                <ClearPerson panelistId={idea.panelistId} back={back ?? bank} label="Block author…" />
              )}
            </div>
          )}
          <TeamNotes {...props} action={action} />
          <Comments
            count={idea.comments}
            isClosed={isMerged || !mayChange}
            {...{ comments, older, people, sent, errors, action, here }}
            backOf={(panelistId) => (panelistId === idea.panelistId ? (back ?? bank) : here)}
          />
          <History
            {...props}
            ideaBankId={ideaBank.id}
            most={STEPS_SHOWN}
            author={author && nameOf(author)}
            back={isOfPerson ? undefined : back}
          />
        </div>
      </div>
    </Layout>
  );
};
