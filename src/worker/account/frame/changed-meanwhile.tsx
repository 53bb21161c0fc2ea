/** The page of a form that was refused because somebody else has changed the same: what is there now, and what the form says. */
import type { Context } from "hono";
import { loadNames } from "../../database/activity/found-events.ts";
import { findLastChange, type LastChange } from "../../database/activity/last-change.ts";
import { listMembers } from "../../database/members/members.ts";
import { isId } from "../../model/id.ts";
import { actorLabel } from "../../model/member.ts";
import { openOwn } from "../account-databases.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { type Names, settingAndValue } from "./changes-in-words.ts";
import { refererOf } from "./held-form.ts";
import { Layout } from "./layout.tsx";
import type { ChangedMeanwhile, Difference } from "./opened-form.tsx";
import { renderPage } from "./render-page.tsx";
import { Time } from "./times.tsx";
import { rateInWords } from "./words.ts";

export async function renderChangedMeanwhile(c: Context<OwnerEnv>, error: ChangedMeanwhile): Promise<Response> {
  const { id, differences, again, others, subject } = error;
  const { session, accountId } = await openOwn(c);
  const texts = [...differences, ...others].flatMap(({ now, mine }) => [textOf(now), textOf(mine)]);
  const [found, names, members] = await Promise.all([
    findLastChange(session, { accountId, id, names: differences.map(({ name }) => name) }),
    loadNames(session, accountId, texts.filter(isId)),
    listMembers(session, accountId, Date.now()),
  ]);
  const action = c.get("asked");
  // A program and the author of an idea leave no such event: then the last one is older than what is there now.
  const last = found && differences.every((each) => isSaid(each, found.after)) ? found : undefined;
  const who = last && actorLabel(last.actor, members);
  const props = { who, differences, others, subject, again, last, names, action, theirs: refererOf(c) ?? action };
  return renderPage(c, <ChangedMeanwhilePage {...props} />, error.status);
}

/** The activity has this value, or how it begins. */
function isSaid({ name, now }: Difference, after: LastChange["after"]): boolean {
  const said = after[name];
  const present = isPlain(now) ? now : textOf(now);
  if (Array.isArray(said)) return JSON.stringify(said) === JSON.stringify(present);
  if (typeof said !== "string" || typeof present !== "string") return said === present;
  return said === present || (said.endsWith("…") && present.startsWith(said.slice(0, -1)));
}

/** Of a response its text, of an audience its idea, of a rate both numbers. */
function textOf(value: unknown): string {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return String(value ?? "");
  const { text, votersOf, limit, windowSeconds }: Readonly<Record<string, unknown>> = { ...value };
  return limit === undefined ? String(text ?? votersOf ?? "") : rateInWords(Number(limit), Number(windowSeconds));
}

type Props = {
  readonly differences: readonly Difference[];
  readonly others: readonly Difference[];
  readonly subject: string | undefined;
  readonly again: URLSearchParams;
  readonly last: LastChange | undefined;
  /** Who did it. */
  readonly who: string | null | undefined;
  readonly names: Names;
  readonly action: string;
  /** The page with what is there now. */
  readonly theirs: string;
};

const ChangedMeanwhilePage = ({ differences, others, subject, again, last, who, names, action, theirs }: Props) => {
  const isEdited = (name: string) => differences.some((each) => each.name === name && isText(each));
  return (
    <Layout title="Changed in the meantime">
      <div class="notice bad" role="alert" tabindex={-1} autofocus>
        <p>
          {who ? <bdi>{who}</bdi> : "Somebody else"}
          {" changed "}
          {subject === undefined ? (
            "this"
          ) : (
            <>
              “<bdi>{subject}</bdi>”
            </>
          )}
          {" while your page was open"}
          {last && (
            <>
              {" ("}
              <Time at={last.at} />)
            </>
          )}
          . Nothing of yours was saved yet.
        </p>
      </div>
      <form method="post" action={action} class="meanwhile">
        {[...again].map(([name, value]) => (isEdited(name) ? null : <input type="hidden" name={name} value={value} />))}
        {differences.map((each) => (
          <Both difference={each} names={names} sent={again.get(each.name)} />
        ))}
        {others.length > 0 && (
          <p>
            {"This also saves: "}
            {others.map((each, index) => (
              <>
                {index > 0 && "; "}
                <Other difference={each} names={names} />
              </>
            ))}
            .
          </p>
        )}
        <div class="buttons">
          <button type="submit" class="primary">
            Save mine all the same
          </button>
          <a class="button" href={theirs}>
            Keep theirs
          </a>
        </div>
      </form>
    </Layout>
  );
};

const isPlain = (value: unknown): boolean => value === null || typeof value !== "object" || Array.isArray(value);

/** It is written here, and not chosen. */
const TEXTS = ["title", "description", "response", "body", "thanks", "name"];
const isText = ({ name }: Difference): boolean => TEXTS.includes(name);

const inWords = (name: string, value: unknown, names: Names) =>
  settingAndValue(name, isPlain(value) ? value : textOf(value), names);

/** A text that is only in the form is not repeated. */
const Other = ({ difference, names }: { readonly difference: Difference; readonly names: Names }) => {
  const { name, now, mine } = difference;
  const [label, wanted] = inWords(name, mine, names);
  if (isText(difference)) return <>{`your ${label.toLowerCase()}`}</>;
  return (
    <>
      {`${label} `}
      <bdi>{inWords(name, now, names)[1]}</bdi>
      {" → "}
      <bdi>{wanted}</bdi>
    </>
  );
};

type BothProps = { readonly difference: Difference; readonly names: Names; readonly sent: string | null };

const Both = ({ difference, names, sent }: BothProps) => {
  const { name, now, mine } = difference;
  const shown = (value: unknown) => inWords(name, value, names);
  const [label, present] = shown(now);
  return (
    <section class="columns">
      <div class="field">
        <span class="label">{`${label} now`}</span>
        <p class="pending-text" dir="auto">
          {present}
        </p>
      </div>
      <div class="field">
        {isText(difference) && sent !== null ? (
          <>
            <label for={name}>{`${label}, yours`}</label>
            <textarea id={name} name={name} rows={Math.min(12, 2 + Math.ceil(sent.length / 50))} dir="auto">
              {sent}
            </textarea>
          </>
        ) : (
          <>
            <span class="label">{`${label}, yours`}</span>
            <p class="pending-text" dir="auto">
              {shown(mine)[1]}
            </p>
          </>
        )}
      </div>
    </section>
  );
};
