/** `…/ideas/{id}/voters`: who votes for an idea, and a form that adds the vote of a person. */
import type { FieldError } from "../../http/invalid-request.ts";
import type { Panelist } from "../../model/panelist.ts";
import type { Proposal } from "../../model/proposal.ts";
import type { Voter } from "../../model/voter.ts";
import { Done, type JustDone } from "../frame/done.tsx";
import { ErrorSummary } from "../frame/field.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import { Time } from "../frame/times.tsx";
import { backTo } from "../frame/visit.ts";
import { counted, nameOf } from "../frame/words.ts";
import { NAMELESS } from "./comments.tsx";
import type { UnknownPerson } from "./named-person.ts";
import { PERSON_LABELS, PersonField } from "./person-field.tsx";

type Props = {
  readonly frame: Frame;
  readonly path: string;
  readonly idea: Proposal;
  readonly voters: readonly Voter[];
  readonly fields: URLSearchParams;
  readonly errors: readonly FieldError[];
  readonly unknown: UnknownPerson | undefined;
  readonly more: string | undefined;
  readonly here: string;
  readonly now: number;
  /** Whose vote the last decision was about. */
  readonly person: Panelist | null;
  readonly done: JustDone | undefined;
};

export const VotersPage = (props: Props) => {
  const { frame, path, idea, voters, errors, more, here, now, person, done } = props;
  const takesVotes = idea.duplicateOf === null;
  return (
    <Layout title="Voters" part={idea.title} current="ideas" {...frame}>
      <p>
        <a href={path}>
          Back to “<bdi>{idea.title}</bdi>”
        </a>
      </p>
      <Done done={done} {...(person && { person: nameOf(person) })} />
      {errors.length > 0 && <ErrorSummary title="No vote was added." errors={errors} labels={PERSON_LABELS} />}
      {takesVotes && <Add {...props} />}
      {voters.length === 0 && <p class="notice">No votes yet.</p>}
      {voters.length > 0 && (
        <section aria-labelledby="votes">
          <h2 id="votes">{counted(idea.votes, "vote")}</h2>
          <div class="stacks">
            <table class="list">
              <thead>
                <tr>
                  <th scope="col">Name</th>
                  <th scope="col">ID in your system</th>
                  <th scope="col">Voted</th>
                  <th scope="col">
                    <span class="unseen">Action</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {voters.map((voter) => (
                  <Row voter={voter} here={here} path={takesVotes ? path : undefined} now={now} />
                ))}
              </tbody>
            </table>
          </div>
        </section>
      )}
      {more && (
        <p>
          <a href={`${path}/voters?cursor=${more}`}>More</a>
        </p>
      )}
    </Layout>
  );
};

type RowProps = Pick<Props, "here" | "now"> & {
  readonly voter: Voter;
  /** Of the idea, while it takes votes. */
  readonly path: string | undefined;
};

const Row = ({ voter, here, path, now }: RowProps) => {
  const { panelistId, displayName, externalId, at } = voter;
  const name = displayName ?? externalId ?? NAMELESS;
  return (
    <tr>
      <th scope="row">
        <a href={backTo(`/account/people/${panelistId}`, here)}>
          <bdi>{name}</bdi>
        </a>
      </th>
      <td>{externalId !== null && <code>{externalId}</code>}</td>
      <td>
        <Time at={at} now={now} />
      </td>
      <td class="number act">
        {path !== undefined && (
          <form method="post" action={`${path}/voters`} class="small">
            <input type="hidden" name="panelistId" value={panelistId} />
            <button type="submit" name="do" value="remove" class="danger" aria-label={`Remove the vote of ${name}`}>
              Remove
            </button>
          </form>
        )}
      </td>
    </tr>
  );
};

const HINT = "Who asked for it, by their ID in your system.";

const Add = ({ path, fields, errors, unknown }: Props) => (
  <section aria-labelledby="add">
    <h2 id="add">Add a voter</h2>
    <form method="post" action={`${path}/voters`} class="narrow">
      <PersonField fields={fields} hint={HINT} errors={errors} unknown={unknown} required />
      <button type="submit" name="do" value="add" class="primary">
        Add voter
      </button>
    </form>
  </section>
);
