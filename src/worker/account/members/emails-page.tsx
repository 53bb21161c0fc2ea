/** `/account/emails`: what the visitor is told of ideas by e-mail, for each board, and when the day's e-mail comes. */
import type { Context } from "hono";
import {
  loadMailChoices,
  type MailChange,
  type MailChoices,
  saveMailChoices,
} from "../../database/mails/mail-choices.ts";
import { TOLD_BOARDS } from "../../database/mails/told-members.ts";
import { type FieldError, invalid } from "../../http/invalid-request.ts";
import { readForm } from "../../http/read-body.ts";
import { tellsMembers } from "../../model/mail-settings.ts";
import {
  isMailMode,
  isTimeZone,
  MAIL_KINDS,
  MAIL_MODES,
  type MailKind,
  type MailMode,
  nextDigestAt,
  timeZones,
} from "../../model/member-mails.ts";
import { openOwn } from "../account-databases.ts";
import { Outcome } from "../frame/done.tsx";
import { described, ErrorSummary, Field, messageFor } from "../frame/field.tsx";
import { Layout } from "../frame/layout.tsx";
import { changedSettings, OpenedWith } from "../frame/opened-form.tsx";
import { page, type SentForm } from "../frame/page.tsx";
import { Table } from "../frame/table.tsx";
import { tellAt, toldAt } from "../frame/visit.ts";
import { requireNoReader } from "../identity/role.ts";
import type { OwnerEnv } from "../owner-env.ts";

export const EMAILS = "/account/emails";

const MODES: Readonly<Record<MailMode, string>> = { now: "At once", daily: "Once a day", never: "Never" };
const KINDS: Readonly<Record<MailKind, string>> = { ideas: "New ideas", comments: "New comments" };
const LABELS = { timeZone: "Time zone", hour: "Hour" };
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** The name of a board's field; of all boards without an id. */
const nameOf = (kind: MailKind, ideaBankId: string): string => (ideaBankId === "" ? kind : `${kind}-${ideaBankId}`);

const toFields = ({ all, boards, timeZone, hour }: MailChoices): URLSearchParams =>
  new URLSearchParams([
    ...[{ id: "", chosen: all.chosen }, ...boards].flatMap(({ id, chosen }) =>
      MAIL_KINDS.map((kind) => [nameOf(kind, id), chosen[kind] ?? ""]),
    ),
    ["timeZone", timeZone ?? ""],
    ["hour", String(hour)],
  ]);

async function load(c: Context<OwnerEnv>, sent?: SentForm) {
  const { session, accountId } = await openOwn(c);
  const choices = await loadMailChoices(session, { accountId, person: c.var.owner.person });
  return {
    choices,
    fields: sent?.fields ?? toFields(choices),
    errors: sent?.errors ?? ([] as readonly FieldError[]),
    told: toldAt(c),
    sendsEmail: tellsMembers(c.env),
  };
}

export const EMAILS_PAGE = page({
  path: EMAILS,
  needs: "viewer",
  load,

  view: ({ choices: { all, boards }, fields, errors, told, sendsEmail }) => {
    const [zone, hour] = [messageFor(errors, "timeZone"), messageFor(errors, "hour")];
    const chosenZone = fields.get("timeZone") ?? "";
    const hint = "For mail once a day";
    return (
      <Layout title="Your emails" current="emails">
        <Outcome told={told} />
        {errors.length > 0 && <ErrorSummary title="Nothing was changed." errors={errors} labels={LABELS} />}
        {!sendsEmail && (
          <p class="notice">Email isn’t set up on this service yet. What you choose here counts once it is.</p>
        )}
        <p class="lead">Choose how you hear about ideas. Only you get these emails.</p>
        <form method="post" action={EMAILS} class="emails">
          <OpenedWith fields={fields} />
          <Table columns={["Board", ...MAIL_KINDS.map((kind) => KINDS[kind])]}>
            <Row id="" name="All boards" fields={fields} all={undefined} />
            {boards.map(({ id, name }) => (
              <Row id={id} name={name} fields={fields} all={all.chosen} />
            ))}
          </Table>
          {boards.length === TOLD_BOARDS && <p class="hint">{`Your newest ${TOLD_BOARDS} boards.`}</p>}
          <div class="columns">
            <Field name="timeZone" label={LABELS.timeZone} message={zone}>
              <select
                id="timeZone"
                name="timeZone"
                data-own-zone={chosenZone === "" ? "" : undefined}
                {...described("timeZone", zone)}
              >
                {zonesWith(chosenZone).map((each) => (
                  <option value={each} selected={each === (chosenZone || "UTC")}>
                    {each.replaceAll("_", " ")}
                  </option>
                ))}
              </select>
            </Field>
            <Field name="hour" label={LABELS.hour} hint={hint} message={hour}>
              <select id="hour" name="hour" {...described("hour", hour, hint)}>
                {HOURS.map((each) => (
                  <option value={String(each)} selected={String(each) === fields.get("hour")}>
                    {`${String(each).padStart(2, "0")}:00`}
                  </option>
                ))}
              </select>
            </Field>
          </div>
          <button type="submit" class="primary">
            Save
          </button>
        </form>
      </Layout>
    );
  },

  act: async (c) => {
    await requireNoReader(c);
    const fields = await readForm(c);
    const { session, accountId } = await openOwn(c);
    const whose = { accountId, person: c.var.owner.person };
    const choices = await loadMailChoices(session, whose);
    const asked = toAsked(
      changedSettings(fields, (from) => toSettings(from, choices)),
      choices,
    );
    const now = Date.now();
    await saveMailChoices(session, whose, {
      ...{ ...asked, choices, now },
      nextDigestAt: nextDigestAt(now, asked.clock ?? choices),
    });
    return c.redirect(tellAt(EMAILS, "emails-saved"), 303);
  },

  refused: load,
});

/** The zones, and the one that was chosen if it has another name there. */
const zonesWith = (chosen: string): readonly string[] => {
  const zones = timeZones();
  return chosen === "" || zones.includes(chosen) ? zones : [chosen, ...zones];
};

type RowProps = {
  readonly id: string;
  readonly name: string;
  readonly fields: URLSearchParams;
  /** What a board without a choice of its own has. */
  readonly all: Readonly<Record<MailKind, MailMode>> | undefined;
};

const Row = ({ id, name, fields, all }: RowProps) => (
  <tr>
    <th scope="row">
      <bdi>{name}</bdi>
    </th>
    {MAIL_KINDS.map((kind) => {
      const field = nameOf(kind, id);
      const chosen = fields.get(field) ?? "";
      return (
        <td data-of={KINDS[kind].toLowerCase()}>
          <select name={field} aria-label={`${KINDS[kind]} of ${id === "" ? "all boards" : `“${name}”`}`}>
            {all && (
              <option value="" selected={chosen === ""}>
                {`As all boards (${MODES[all[kind]].toLowerCase()})`}
              </option>
            )}
            {MAIL_MODES.map((mode) => (
              <option value={mode} selected={mode === chosen}>
                {MODES[mode]}
              </option>
            ))}
          </select>
        </td>
      );
    })}
  </tr>
);

type Settings = Readonly<Record<string, string | undefined>>;

/** What the form has of these boards. */
const toSettings = (fields: URLSearchParams, { boards }: MailChoices): Settings =>
  Object.fromEntries(
    [
      ...["", ...boards.map(({ id }) => id)].flatMap((id) => MAIL_KINDS.map((kind) => nameOf(kind, id))),
      ...["timeZone", "hour"],
    ].flatMap((name) => (fields.has(name) ? [[name, fields.get(name) ?? ""]] : [])),
  );

type Asked = Pick<Parameters<typeof saveMailChoices>[2], "changes" | "clock">;

/** What the visitor has changed. Throws `invalid-request` for what the form does not offer. */
function toAsked(settings: Settings, { boards, timeZone, hour }: MailChoices): Asked {
  const errors: FieldError[] = [];
  const changes = ["", ...boards.map(({ id }) => id)].flatMap((ideaBankId) =>
    MAIL_KINDS.flatMap((kind): MailChange[] => {
      const name = nameOf(kind, ideaBankId);
      const mode = settings[name];
      if (mode === undefined) return [];
      if (mode === "" && ideaBankId !== "") return [{ kind, ideaBankId, mode: null }];
      if (isMailMode(mode)) return [{ kind, ideaBankId, mode }];
      errors.push({ path: name, message: "must be one of the choices" });
      return [];
    }),
  );
  const zone = settings.timeZone;
  if (zone !== undefined && !isTimeZone(zone))
    errors.push({ path: "timeZone", message: "is not known. Choose another." });
  const at = settings.hour === undefined ? hour : Number(settings.hour);
  if (!HOURS.includes(at)) errors.push({ path: "hour", message: "must be from 0 to 23" });
  if (errors.length > 0) throw invalid(errors);
  const isSame = zone === undefined && settings.hour === undefined;
  return { changes, clock: isSame ? undefined : { timeZone: zone ?? timeZone ?? "UTC", hour: at } };
}
