/** The person whom a form names by the tenant's own id. Who is unknown is asked about, and created only when that was chosen. */
import type { Context } from "hono";
import { createPanelist, listPanelists, loadPanelist } from "../../database/panelists/panelists.ts";
import { findPanelists } from "../../database/panelists/people.ts";
import { type FieldError, parseOrThrow } from "../../http/invalid-request.ts";
import { isId } from "../../model/id.ts";
import { NewPanelist, type Panelist } from "../../model/panelist.ts";
import { Problem } from "../../problem.ts";
import { openOwn } from "../account-databases.ts";
import { fieldErrorsOf } from "../frame/render-page.tsx";
import type { Own, OwnerEnv } from "../owner-env.ts";

/** The choice beside the people found. */
export const NEW_PERSON = "new";
const OFFERED = 5;

/** Nobody has this id. `found`: those whom it may mean. */
export type UnknownPerson = {
  readonly externalId: string;
  readonly found: readonly Panelist[];
};

class PersonUnknown extends Problem {
  readonly unknown: UnknownPerson;

  constructor(unknown: UnknownPerson, errors: readonly FieldError[]) {
    super("invalid-request", { extensions: { errors } });
    this.unknown = unknown;
  }
}

/** Who has to be asked about, where a form was refused for that. */
export const unknownOf = (error: unknown): UnknownPerson | undefined =>
  error instanceof PersonUnknown ? error.unknown : undefined;

const UNKNOWN = { path: "panelistExternalId", message: "No one has this ID. Choose or create a person." };

/** `requireSubject` throws where what the person is named for does not exist: then nobody is created. */
type Naming = { readonly fields: URLSearchParams; readonly requireSubject: (own: Own) => Promise<unknown> };

/**
 * A choice is about the id that it was offered for. Undefined where no person is named. Throws `invalid-request` where the person is
 * unknown.
 */
export async function readPerson(
  c: Context<OwnerEnv>,
  { fields, requireSubject }: Naming,
): Promise<{ readonly id: string } | undefined> {
  const own = await openOwn(c);
  const { session, accountId } = own;
  const externalId = fields.get("panelistExternalId") ?? "";
  if (externalId === "") return undefined;
  const { items } = await listPanelists(session, { accountId, externalId, request: { limit: 1, after: undefined } });
  const [known] = items;
  if (known !== undefined) return { id: known.id };
  // Who has no id of the tenant's is named by ours.
  const ours = isId(externalId) ? await loadPanelist(session, accountId, externalId) : null;
  if (ours !== null) return { id: ours.id };
  await requireSubject(own);
  const choice = fields.get("asked") === externalId ? (fields.get("person") ?? "") : "";
  let errors: readonly FieldError[] = [UNKNOWN];
  if (choice === NEW_PERSON) {
    try {
      const input = parseOrThrow(NewPanelist, { externalId, displayName: fields.get("displayName")?.trim() || null });
      const id = await c.var.views.panelistIds.of({ accountId, externalId }, session);
      await createPanelist(session, { accountId, id, input, now: Date.now(), idempotencyKey: undefined });
      return { id };
    } catch (error) {
      errors = fieldErrorsOf(error);
    }
  }
  const chosen = isId(choice) ? await loadPanelist(session, accountId, choice) : null;
  if (chosen !== null) return { id: chosen.id };
  const { people } = await findPanelists(session, accountId, externalId);
  throw new PersonUnknown({ externalId, found: people.slice(0, OFFERED) }, errors);
}
