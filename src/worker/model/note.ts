/** Notes of the team on an idea or on a person, and whom they name. Only members see them. */
import * as z from "zod/mini";
import { prose } from "./text.ts";

/** Of an idea, and of a person. */
export const NOTES_AT_MOST = 200;

/** As a form sends it. */
export const NewNote = z.strictObject({ note: prose({ min: 1, max: 10_000 }) });

/** A member, as far as a note can name one. */
type Nameable = { readonly id: string; readonly email: string; readonly name?: string | null };

/** What stands after the @: the name, and the address up to its own @. */
const handlesOf = ({ email, name }: Nameable): readonly string[] =>
  [name ?? "", email.split("@")[0] ?? ""].map((handle) => handle.trim().toLowerCase()).filter(Boolean);

/** What the page says one can write. */
export const handleOf = (member: Nameable): string => `@${member.name?.trim() || member.email.split("@")[0]}`;

/** A mention begins a word: `ana@example.com` is an address. */
const MENTION = /(?<![\p{L}\p{N}_@.+-])@(?=[\p{L}\p{N}])/gu;
/** A longer name goes on here: "@ana" is not in "@anabel" and "@ana.smith". */
const GOES_ON = /^(?:[\p{L}\p{N}_]|[.+@-][\p{L}\p{N}_])/u;
/** So many are looked up, whatever a text has. */
const MENTIONS_AT_MOST = 200;

/**
 * The ids of the members whom a text names: `@`, then a name or the part of an address before its @, whatever the capitals. The longest
 * match counts; who shares it is named, too. What names nobody is text.
 */
export function membersNamedIn(text: string, members: readonly Nameable[]): readonly string[] {
  const byHandle = new Map<string, string[]>();
  for (const member of members)
    for (const handle of new Set(handlesOf(member))) byHandle.set(handle, [...(byHandle.get(handle) ?? []), member.id]);
  const lengths = [...new Set([...byHandle.keys()].map(({ length }) => length))].toSorted((one, other) => other - one);
  const named = new Set<string>();
  for (const { index } of [...text.matchAll(MENTION)].slice(0, MENTIONS_AT_MOST)) {
    const from = index + 1;
    const length = lengths.find(
      (each) =>
        byHandle.has(text.slice(from, from + each).toLowerCase()) &&
        !GOES_ON.test(text.slice(from + each, from + each + 4)),
    );
    if (length === undefined) continue;
    for (const id of byHandle.get(text.slice(from, from + length).toLowerCase()) ?? []) named.add(id);
  }
  return [...named];
}
