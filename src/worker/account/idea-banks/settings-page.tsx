/** `/account/idea-banks/{id}/settings`: name, status, switches and changelog of an idea bank. */
import { COUNTED_CONTENTS, type countContents } from "../../database/idea-banks.ts";
import type { FieldError } from "../../http/invalid-request.ts";
import { IDEA_BANK_STATUSES, type IdeaBank } from "../../model/idea-bank.ts";
import { described, ErrorSummary, Field, messageFor } from "../frame/field.tsx";
import { type Frame, Layout } from "../frame/layout.tsx";
import { OpenedWith } from "../frame/opened-form.tsx";
import { BANK_LIMITS, BANK_STATUSES, BANK_USES, CHANGELOG_SWITCH, counted, number } from "../frame/words.ts";
import { BankNav } from "./nav.tsx";

type Contents = Awaited<ReturnType<typeof countContents>>;

type Props = {
  readonly frame: Frame;
  readonly ideaBank: IdeaBank;
  /** The values with which the form opens, or the refused ones. */
  readonly fields: URLSearchParams;
  readonly errors: readonly FieldError[];
  readonly isDone: boolean;
  readonly contents: Contents;
};

const LABELS = { name: "Name", url: "Page", status: "Status", changelogMaxEntries: "Maximum entries" };
const URL_HINT = "The page with this board. Emails, feeds and “See it on the board” link to it.";

export const IdeaBankSettingsPage = ({ frame, ideaBank, fields, errors, isDone, contents }: Props) => {
  const [name, url, entries] = [
    messageFor(errors, "name"),
    messageFor(errors, "url"),
    messageFor(errors, "changelogMaxEntries"),
  ];
  const hint = "1 to 100; the newest are shown";
  return (
    <Layout title={ideaBank.name} part="Settings" current="idea-banks" {...frame}>
      <BankNav id={ideaBank.id} current="settings" />
      {isDone && (
        <p class="notice good" role="status" tabindex={-1} autofocus data-done>
          Settings saved. Visitors see the change the next time they load the page.
        </p>
      )}
      {errors.length > 0 && <ErrorSummary title="Nothing was changed." errors={errors} labels={LABELS} />}
      <form method="post" action={`/account/idea-banks/${ideaBank.id}/settings`} class="create">
        <OpenedWith fields={fields} />
        <Field name="name" label={LABELS.name} message={name}>
          <input
            id="name"
            name="name"
            value={fields.get("name") ?? ""}
            required
            maxlength={100}
            autocomplete="off"
            {...described("name", name)}
          />
        </Field>
        <Field name="url" label={LABELS.url} hint={URL_HINT} message={url}>
          <input
            id="url"
            name="url"
            type="url"
            value={fields.get("url") ?? ""}
            maxlength={2000}
            placeholder="https://"
            autocomplete="off"
            {...described("url", url, URL_HINT)}
          />
        </Field>
        <fieldset id="status">
          <legend>{LABELS.status}</legend>
          {IDEA_BANK_STATUSES.map((status) => (
            <label class="choice">
              <input type="radio" name="status" value={status} checked={fields.get("status") === status} />
              <Worded words={BANK_STATUSES[status]} />
            </label>
          ))}
        </fieldset>
        <fieldset>
          <legend>While it’s open, people can use</legend>
          {Object.entries(BANK_USES).map(([setting, words]) => (
            <Switch name={setting} words={words} fields={fields} />
          ))}
        </fieldset>
        <fieldset>
          <legend>Visibility</legend>
          {Object.entries(BANK_LIMITS).map(([setting, words]) => (
            <Switch name={setting} words={words} fields={fields} />
          ))}
        </fieldset>
        <fieldset>
          <legend>Changelog</legend>
          <Switch name="changelogEnabled" words={CHANGELOG_SWITCH} fields={fields} />
          <Field name="changelogMaxEntries" label={LABELS.changelogMaxEntries} hint={hint} message={entries}>
            <input
              id="changelogMaxEntries"
              name="changelogMaxEntries"
              type="number"
              min={1}
              max={100}
              value={fields.get("changelogMaxEntries") ?? ""}
              required
              {...described("changelogMaxEntries", entries, hint)}
            />
          </Field>
        </fieldset>
        <button type="submit" class="primary">
          Save
        </button>
      </form>
      <form method="post" action={`/account/idea-banks/${ideaBank.id}/settings`} class="actions">
        <details>
          <summary class="danger">Delete…</summary>
          <p>{`${goesWith(contents)} You can’t undo this.`}</p>
          <button type="submit" name="do" value="delete" class="danger">
            Delete this board
          </button>
        </details>
      </form>
    </Layout>
  );
};

function goesWith({ ideas, comments }: Contents): string {
  if (ideas + comments === 0) return "It has no ideas.";
  const upTo = (count: number, noun: string) =>
    count >= COUNTED_CONTENTS ? `${number(COUNTED_CONTENTS)} or more ${noun}s` : counted(count, noun);
  const parts = [
    `${upTo(ideas, "idea")} with ${ideas === 1 ? "its" : "their"} votes`,
    ...(comments > 0 ? [`and ${upTo(comments, "comment")}`] : []),
  ];
  return `${parts.join(", ")} ${comments === 0 && ideas === 1 ? "goes" : "go"} with it.`;
}

const Worded = ({ words: [name, effect] }: { readonly words: readonly [string, string] }) => (
  <span>
    {name}
    <span class="hint">{effect}</span>
  </span>
);

type SwitchProps = {
  readonly name: string;
  readonly words: readonly [string, string];
  readonly fields: URLSearchParams;
};

const Switch = ({ name, words, fields }: SwitchProps) => (
  <label class="choice">
    <input type="checkbox" name={name} checked={fields.has(name)} />
    <Worded words={words} />
  </label>
);
