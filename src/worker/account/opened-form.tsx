/** A form carries what it was opened with, so that it takes back no change that somebody else has made since. */

/** Of a form that was sent and refused, `fields` know it already. */
export const OpenedWith = ({ fields }: { readonly fields: URLSearchParams }) => (
  <input type="hidden" name="was" value={fields.get("was") ?? fields.toString()} />
);

/** The settings that the form's user has changed, lists compared as sets. All of them, for a form that no page made. */
export function changedSettings<Settings extends object>(
  fields: URLSearchParams,
  toSettings: (fields: URLSearchParams) => Settings,
): Partial<Settings> {
  const was = fields.get("was");
  const settings = toSettings(fields);
  if (was === null) return settings;
  const before = new Map<string, unknown>(Object.entries(toSettings(new URLSearchParams(was))));
  const changed = Object.entries(settings).filter(([name, value]) => inOrder(value) !== inOrder(before.get(name)));
  return Object.fromEntries(changed) as Partial<Settings>;
}

const inOrder = (value: unknown): string | undefined => JSON.stringify(Array.isArray(value) ? value.toSorted() : value);
