/**
 * A form carries the values with which it was opened. So it changes what its user has changed and nothing else, and where somebody else has
 * changed the same in the meantime, the statement that writes changes nothing, and the page shows both (`changed-meanwhile.tsx`).
 */
import { NotAsOpened, Problem } from "../../problem.ts";

/** After a form was sent and refused, `fields` already have them. */
export const OpenedWith = ({ fields }: { readonly fields: URLSearchParams }) => (
  <input type="hidden" name="was" value={fields.get("was") ?? fields.toString()} />
);

/**
 * The settings that the form's user has changed; lists are compared as sets, and what is undefined is kept. If the form did not come from
 * our page, all settings.
 */
export function changedSettings<Settings extends object>(
  fields: URLSearchParams,
  toSettings: (fields: URLSearchParams) => Settings,
): Partial<Settings> {
  const was = fields.get("was");
  const settings = toSettings(fields);
  if (was === null) return settings;
  const before = membersOf(toSettings(new URLSearchParams(was)));
  const changed = Object.entries(settings).filter(
    ([name, value]) => value !== undefined && !isSame(value, before.get(name)),
  );
  return Object.fromEntries(changed) as Partial<Settings>;
}

const membersOf = (settings: object): ReadonlyMap<string, unknown> => new Map(Object.entries(settings));
const inOrder = (value: unknown): string | undefined => JSON.stringify(Array.isArray(value) ? value.toSorted() : value);
const isSame = (one: unknown, other: unknown): boolean => inOrder(one) === inOrder(other);

/** A setting that two people have changed: as it is now, and as the form has it. */
export type Difference = { readonly name: string; readonly now: unknown; readonly mine: unknown };

/** Nothing of the form was saved. */
export class ChangedMeanwhile extends Problem {
  /** What is changed. */
  readonly id: string;
  readonly differences: readonly Difference[];
  /** What the form would change besides, which nobody else has changed. */
  readonly others: readonly Difference[];
  /** Its name, where it has one. */
  readonly subject: string | undefined;
  /** The form that replaces what is there now: as it was sent, and opened with that. */
  readonly again: URLSearchParams;

  constructor({
    id,
    differences,
    again,
    others = [],
    subject,
  }: Pick<ChangedMeanwhile, "id" | "differences" | "again"> & Partial<Pick<ChangedMeanwhile, "others" | "subject">>) {
    super("conflict", { detail: "Somebody else has changed this in the meantime. Nothing was saved." });
    this.id = id;
    this.differences = differences;
    this.others = others;
    this.subject = subject;
    this.again = again;
  }
}

type OpenedForm<Settings, Resource> = {
  /** What is changed. */
  readonly id: string;
  readonly fields: URLSearchParams;
  readonly toSettings: (fields: URLSearchParams) => Settings;
  /** As it is now. Throws `not-found`. */
  readonly load: () => Promise<Resource>;
  /** The fields with which the form opens. */
  readonly toFields: (resource: Resource) => URLSearchParams;
  /** The fields of a setting that is not one of its name. */
  readonly fieldsOf?: Readonly<Partial<Record<string, readonly string[]>>>;
};

/** As often as others may change something else of it between the reading and the writing. */
const ATTEMPTS = 5;

/**
 * Writes what the form's user has changed. The statement writes only where the resource still has the values of `opened` (those of what is
 * changed), and throws `NotAsOpened` otherwise. Throws `ChangedMeanwhile` for what somebody else has changed, unless it is what the form
 * says, too.
 */
export async function saveOpened<Settings extends object, Resource extends object, Saved>(
  { id, fields, toSettings, load, toFields, fieldsOf = {} }: OpenedForm<Settings, Resource>,
  write: (changes: Partial<Settings>, opened: Partial<Resource> | undefined) => Promise<Saved>,
): Promise<Saved> {
  const changes = changedSettings(fields, toSettings);
  const was = fields.get("was");
  const names = Object.keys(changes);
  if (was === null || names.length === 0) return write(changes, undefined);
  const wasFields = new URLSearchParams(was);
  const [mine, before] = [membersOf(changes), membersOf(toSettings(wasFields))];
  const ownFields = (name: string) => fieldsOf[name] ?? [name];
  // A switch that was off has no field, and two who switch it want the same. What a page of the release before was not opened with is
  // written as it is.
  const compared = names.filter((name) => ownFields(name).some((field) => wasFields.has(field)));
  for (let attempt = 1; ; attempt++) {
    const present = await load();
    const presentFields = toFields(present);
    const now = membersOf(toSettings(presentFields));
    const toDifference = (name: string): Difference => ({ name, now: now.get(name), mine: mine.get(name) });
    const isMeanwhile = (name: string) => ![before, mine].some((side) => isSame(now.get(name), side.get(name)));
    const differences = compared.filter(isMeanwhile).map(toDifference);
    if (differences.length > 0) {
      const replaced = differences.flatMap(({ name }) => ownFields(name));
      const again = openedWith(fields, presentFields, replaced);
      const others = names.map(toDifference).filter((each) => !isMeanwhile(each.name) && !isSame(each.now, each.mine));
      throw new ChangedMeanwhile({ id, differences, again, others, subject: nameOf(present) });
    }
    const opened = pick(present, compared.flatMap(ownFields));
    try {
      return await write(changes, opened);
    } catch (error) {
      if (!(error instanceof NotAsOpened) || attempt === ATTEMPTS) throw error;
    }
  }
}

const nameOf = (resource: object): string | undefined => {
  const { title, name }: Readonly<Record<string, unknown>> = { ...resource };
  return [title, name].find((each) => typeof each === "string");
};

/** The members of the resource with these names. */
const pick = <Resource extends object>(resource: Resource, names: readonly string[]): Partial<Resource> =>
  Object.fromEntries(Object.entries(resource).filter(([name]) => names.includes(name))) as Partial<Resource>;

/** The form as it was sent, opened with the present values of these fields. */
function openedWith(sent: URLSearchParams, present: URLSearchParams, names: readonly string[]): URLSearchParams {
  const others = [...new URLSearchParams(sent.get("was") ?? "")].filter(([name]) => !names.includes(name));
  const fields = new URLSearchParams(sent);
  const now = [...present].filter(([name]) => names.includes(name));
  fields.set("was", new URLSearchParams([...others, ...now]).toString());
  return fields;
}
