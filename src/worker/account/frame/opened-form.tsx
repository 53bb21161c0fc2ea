/** A form carries the values with which it was opened. So it does not take back changes that another person has made since. */

/** After a form was sent and refused, `fields` already have them. */
export const OpenedWith = ({ fields }: { readonly fields: URLSearchParams }) => (
  <input type="hidden" name="was" value={fields.get("was") ?? fields.toString()} />
);

/**
 * The settings that the form's user has changed; lists are compared as sets. If the form did not come from our page, all
 * settings.
 */
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
