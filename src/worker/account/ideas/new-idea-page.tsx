/** `/account/ideas/new`: an idea that reached the team in another way, as the team's own or for a person. */
import type { FieldError } from "../../http/invalid-request.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";
import { PROPOSAL_STATUSES } from "../../model/proposal.ts";
import { described, ErrorSummary, Field, messageFor } from "../frame/field.tsx";
import { Once } from "../frame/form-key.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import { IDEA_STATUSES } from "../frame/words.ts";
import type { UnknownPerson } from "./named-person.ts";
import { PERSON_LABELS, PersonField } from "./person-field.tsx";
import { TEXT_LABELS, TextFields } from "./text-fields.tsx";

type Props = {
  readonly frame: Frame;
  readonly boards: readonly IdeaBank[];
  readonly fields: URLSearchParams;
  readonly errors: readonly FieldError[];
  readonly unknown: UnknownPerson | undefined;
  readonly back: string;
};

const LABELS = { board: "Board", ...TEXT_LABELS, ...PERSON_LABELS };
const PERSON_HINT = "The requester’s ID in your system. Leave empty to add the idea as your team.";

export const NewIdeaPage = ({ frame, boards, fields, errors, unknown, back }: Props) => {
  const board = messageFor(errors, "board");
  return (
    <Layout title="New idea" current="ideas" {...frame}>
      <p>
        <a href={back}>Back to the list</a>
      </p>
      {errors.length > 0 && <ErrorSummary title="The idea wasn’t added." errors={errors} labels={LABELS} />}
      <form method="post" action="/account/ideas/new" class="create">
        <Once />
        <input type="hidden" name="back" value={back} />
        <Field name="board" label={LABELS.board} message={board}>
          <select id="board" name="board" required {...described("board", board)}>
            {boards.map(({ id, name }) => (
              <option value={id} selected={id === fields.get("board")}>
                {name}
              </option>
            ))}
          </select>
        </Field>
        <TextFields fields={fields} errors={errors} rows={6} />
        <PersonField fields={fields} hint={PERSON_HINT} errors={errors} unknown={unknown} />
        <label class="choice">
          <input type="checkbox" name="vote" checked={fields.has("vote") || !fields.has("once")} />
          They also vote for it
        </label>
        <Field name="status" label="Status" message={undefined}>
          <select id="status" name="status">
            {PROPOSAL_STATUSES.map((each) => (
              <option value={each} selected={each === fields.get("status")}>
                {IDEA_STATUSES[each]}
              </option>
            ))}
          </select>
        </Field>
        <button type="submit" class="primary">
          Add idea
        </button>
      </form>
    </Layout>
  );
};
