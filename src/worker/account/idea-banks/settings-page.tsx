/** `/account/idea-banks/{id}/settings`: name, status, switches and changelog of an idea bank, and its deletion. */
import type { Context } from "hono";
import { loadAccountSettings } from "../../database/accounts/account-settings.ts";
import { COUNTED_CONTENTS, countContents, deleteIdeaBank } from "../../database/idea-banks/idea-banks.ts";
import type { FieldError } from "../../http/invalid-request.ts";
import { readForm } from "../../http/read-body.ts";
import { IDEA_BANK_STATUSES, type IdeaBank } from "../../model/idea-bank.ts";
import { LANGUAGE_NAMES, LANGUAGES } from "../../model/language.ts";
import { tellsPeople } from "../../model/mail-settings.ts";
import { Confirm } from "../frame/confirm.tsx";
import { decide, idsOf, requireDone } from "../frame/decide.ts";
import { described, ErrorSummary, Field, messageFor } from "../frame/field.tsx";
import { useMay } from "../frame/frame.ts";
import { ImportLink } from "../frame/import-link.tsx";
import { Layout } from "../frame/layout.tsx";
import { NoMail } from "../frame/no-mail.tsx";
import { OpenedWith } from "../frame/opened-form.tsx";
import { page } from "../frame/page.tsx";
import { Success } from "../frame/success.tsx";
import { ownPage, withParameter } from "../frame/visit.ts";
import {
  BANK_LIMITS,
  BANK_STATUSES,
  BANK_SWITCHES,
  BANK_USES,
  CHANGELOG_SWITCH,
  counted,
  number,
  PEOPLE_TOLD,
} from "../frame/words.ts";
import { requireRole } from "../identity/role.ts";
import { ACCOUNTS } from "../members/accounts-page.tsx";
import type { OwnerEnv } from "../owner-env.ts";
import { BankNav, IDEA_BANKS, loadOwnBankWith, type OwnBankPath } from "./own-bank.tsx";
import { saveBank } from "./save-bank.ts";

type Contents = Awaited<ReturnType<typeof countContents>>;

const LABELS = { name: "Name", url: "Page", status: "Status", changelogMaxEntries: "Maximum entries" };
const LANGUAGE_HINT = "For people whose own language isn’t known";
const URL_HINT = "The page with this board. Emails and feeds link to it.";

export const SETTINGS_PAGE = page({
  path: `${IDEA_BANKS}/:ideaBankId/settings`,
  needs: "member",

  load: async (c) => {
    const loaded = await load(c, c.req.param("ideaBankId"));
    return {
      ...{ ...loaded, isDone: c.req.query("done") === "changed" },
      ...{ fields: toFields(loaded.ideaBank), errors: [] as readonly FieldError[] },
    };
  },

  view: ({ ideaBank, fields, errors, isDone, contents, tells }) => {
    const [name, url, entries] = [
      messageFor(errors, "name"),
      messageFor(errors, "url"),
      messageFor(errors, "changelogMaxEntries"),
    ];
    const hint = "1 to 100; the newest are shown";
    return (
      <Layout title={ideaBank.name} part="Settings" current="idea-banks">
        <BankNav id={ideaBank.id} current="settings" />
        {isDone && <Success>Settings saved. Visitors see the change the next time they load the page.</Success>}
        {errors.length > 0 && <ErrorSummary title="Nothing was changed." errors={errors} labels={LABELS} />}
        <form method="post" action={`${IDEA_BANKS}/${ideaBank.id}/settings`} class="create">
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
          <Emails fields={fields} tells={tells} />
          <button type="submit" class="primary">
            Save
          </button>
        </form>
        <p>
          <ImportLink board={ideaBank.id} back={`${IDEA_BANKS}/${ideaBank.id}/settings`} />
        </p>
        {useMay("admin") && (
          <form method="post" action={`${IDEA_BANKS}/${ideaBank.id}/settings`} class="actions">
            <Confirm says={`${goesWith(contents)} You can’t undo this.`} buttons={[["delete", "Delete this board"]]} />
          </form>
        )}
      </Layout>
    );
  },

  act: async (c) => {
    const { ideaBankId } = idsOf(c.req.param());
    const subject = { kind: "ideabank", id: ideaBankId } as const;
    const fields = await readForm(c);
    if (fields.get("do") === "delete") {
      await requireRole(c, "admin");
      const { answer, eventId } = await decide(c, { ...subject, needs: "admin" }, ({ session, accountId }) =>
        deleteIdeaBank(session, { accountId, id: ideaBankId }),
      );
      requireDone(answer);
      return c.redirect(withParameter(IDEA_BANKS, "undo", eventId), 303);
    }
    await saveBank(c, ideaBankId, { fields, toSettings, toFields });
    return c.redirect(ownPage(fields.get("back"), `${IDEA_BANKS}/${ideaBankId}/settings?done=changed`), 303);
  },

  refused: async (c, { fields, errors }) => {
    const { ideaBank, ...loaded } = await load(c, c.req.param("ideaBankId"));
    // The form of one setting, on another page: this page has the others as they are.
    const others = fields.has("name") ? [] : [...toFields(ideaBank)].filter(([name]) => !fields.has(name));
    const was = [...others, ...new URLSearchParams(fields.get("was") ?? "")];
    const shown = new URLSearchParams([...others, ...fields]);
    if (others.length > 0) shown.set("was", new URLSearchParams(was).toString());
    return { ideaBank, ...loaded, isDone: false, fields: shown, errors };
  },
});

const contentsOf = ({ session, accountId, ideaBankId }: OwnBankPath): Promise<Contents> =>
  countContents(session, { accountId, id: ideaBankId });

/** Whether this board's people can be told by e-mail: the deployment sends none, or the account has switched it off. */
type Tells = "no-mail" | "off" | "on";

/** Throws `not-found`. */
async function load(c: Context<OwnerEnv>, id: string) {
  const { ideaBank, also } = await loadOwnBankWith(c, id, (path) =>
    Promise.all([contentsOf(path), loadAccountSettings(path.session, path.accountId)]),
  );
  const [contents, settings] = also;
  const tells: Tells = !tellsPeople(c.env) ? "no-mail" : settings?.notifiesPeople === false ? "off" : "on";
  return { ideaBank, contents, tells };
}

const SWITCHES = [...Object.keys(BANK_SWITCHES), "changelogEnabled", "notifiesPeople"] as const;

/** The values with which the form opens. */
function toFields(ideaBank: IdeaBank): URLSearchParams {
  const { name, url, status, changelogMaxEntries } = ideaBank;
  const fields = new URLSearchParams({
    name,
    url: url ?? "",
    status,
    changelogMaxEntries: String(changelogMaxEntries),
    language: ideaBank.language ?? "en",
  });
  for (const [setting, value] of Object.entries(ideaBank)) if (value === true) fields.set(setting, "on");
  return fields;
}

const toSettings = (fields: URLSearchParams) => ({
  name: fields.get("name"),
  url: fields.get("url")?.trim() || null,
  status: fields.get("status"),
  changelogMaxEntries: Number(fields.get("changelogMaxEntries") || Number.NaN),
  language: fields.get("language"),
  ...Object.fromEntries(SWITCHES.map((name) => [name, fields.has(name)])),
});

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

type EmailsProps = { readonly fields: URLSearchParams; readonly tells: Tells };

/** Where no e-mail is sent, the form keeps what is set. */
const Emails = ({ fields, tells }: EmailsProps) => (
  <fieldset>
    <legend>Emails to people</legend>
    {tells === "no-mail" ? (
      <>
        {["notifiesPeople", "language"]
          .filter((name) => fields.has(name))
          .map((name) => (
            <input type="hidden" name={name} value={fields.get(name) ?? ""} />
          ))}
        <NoMail />
      </>
    ) : (
      <>
        <Switch name="notifiesPeople" words={PEOPLE_TOLD} fields={fields} />
        {tells === "off" && (
          <p class="notice">
            Off for all boards of this account. <a href={`${ACCOUNTS}#emails`}>Turn it on</a>
          </p>
        )}
        <Field name="language" label="Language of emails" hint={LANGUAGE_HINT} message={undefined}>
          <select id="language" name="language" {...described("language", undefined, LANGUAGE_HINT)}>
            {LANGUAGES.map((language) => (
              <option value={language} lang={language} selected={fields.get("language") === language}>
                {LANGUAGE_NAMES[language]}
              </option>
            ))}
          </select>
        </Field>
      </>
    )}
  </fieldset>
);

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
