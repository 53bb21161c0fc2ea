/** `/account/profile`: the visitor's own name, as the team reads it. */
import type { Context } from "hono";
import { parseOrThrow } from "../../http/invalid-request.ts";
import { readForm } from "../../http/read-body.ts";
import { MemberChanges } from "../../model/member.ts";
import { ROLE_HINTS, ROLE_NAMES } from "../../model/role.ts";
import { standingOf } from "../account-databases.ts";
import { Avatar } from "../frame/avatar.tsx";
import { described, ErrorSummary, Field, messageFor } from "../frame/field.tsx";
import { Layout } from "../frame/layout.tsx";
import { page, type SentForm } from "../frame/page.tsx";
import { Success } from "../frame/success.tsx";
import type { OwnerEnv } from "../owner-env.ts";
import { changeOwnName } from "./api.ts";
import { EMAILS } from "./emails-page.tsx";

export const PROFILE = "/account/profile";
const LABELS = { name: "Your name" };
const HINT = "Your team sees it instead of your email address. Leave empty for none.";

async function load(c: Context<OwnerEnv>, sent?: SentForm) {
  const { name, role } = await standingOf(c);
  return {
    ...{ name, role, person: c.var.owner.person },
    fields: sent?.fields ?? new URLSearchParams({ name: name ?? "" }),
    errors: sent?.errors ?? [],
    isSaved: sent === undefined && c.req.query("done") !== undefined,
  };
}

export const PROFILE_PAGE = page({
  path: PROFILE,
  needs: "viewer",
  load,

  view: ({ name, role, person, fields, errors, isSaved }) => {
    const message = messageFor(errors, "name");
    return (
      <Layout title="Your profile" current="members">
        {isSaved && <Success>Name saved.</Success>}
        {errors.length > 0 && <ErrorSummary title="Nothing was changed." errors={errors} labels={LABELS} />}
        <p class="member">
          <Avatar name={name ?? person} />
          <span>
            {person}
            <span class="hint">{` ${ROLE_NAMES[role]}: ${ROLE_HINTS[role]}`}</span>
          </span>
        </p>
        <form method="post" action={PROFILE} class="narrow">
          <Field name="name" label={LABELS.name} hint={HINT} message={message}>
            <input
              id="name"
              name="name"
              value={fields.get("name") ?? ""}
              maxlength={100}
              autocomplete="name"
              dir="auto"
              {...described("name", message, HINT)}
            />
          </Field>
          <button type="submit" class="primary">
            Save
          </button>
        </form>
        <p>
          <a href={EMAILS}>Choose your emails about ideas</a>
        </p>
      </Layout>
    );
  },

  act: async (c) => {
    const name = (await readForm(c)).get("name")?.trim() || null;
    await changeOwnName(c, parseOrThrow(MemberChanges, { name }).name ?? null);
    return c.redirect(`${PROFILE}?done`, 303);
  },

  refused: load,
});
