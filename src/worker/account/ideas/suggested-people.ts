/** `/account/people/suggestions.json`: whom a field may mean while a name is typed into it. */
import { findPanelists } from "../../database/panelists/people.ts";
import type { Panelist } from "../../model/panelist.ts";
import { openOwn } from "../account-databases.ts";
import { file } from "../frame/page.tsx";
import { nameOf } from "../frame/words.ts";

export const SUGGESTED_PEOPLE_PATH = "/account/people/suggestions.json";
const SUGGESTED_AT_MOST = 8;

/** `value` names the person in the field; `label` is what people read. */
const toSuggestion = (panelist: Panelist) => ({
  value: panelist.externalId ?? panelist.id,
  label: [...new Set([nameOf(panelist), panelist.email])].filter((each) => each !== null).join(" · "),
});

export const SUGGESTED_PEOPLE = file(SUGGESTED_PEOPLE_PATH, async (c) => {
  const q = c.req.query("q")?.trim().slice(0, 200) ?? "";
  const { session, accountId } = await openOwn(c);
  const { people } = q === "" ? { people: [] } : await findPanelists(session, accountId, q);
  return c.json({ items: people.slice(0, SUGGESTED_AT_MOST).map(toSuggestion) });
});
