/** What a new key is for. Each purpose stands for scopes, so that nobody has to know them. */
import { SCOPES, type Scope } from "../../model/scope.ts";

type Preset = { readonly name: string; readonly use: string; readonly scopes: readonly Scope[] };

export const PRESETS: Readonly<Record<string, Preset>> = {
  read: {
    name: "Read only",
    use: "For CI checks, reports and exports. Can’t change anything.",
    scopes: SCOPES.filter((scope) => scope.endsWith(":read")),
  },
  sync: {
    name: "Sync ideas",
    use: "For your CRM or issue tracker. Reads and changes boards, ideas and comments, and reads people.",
    scopes: ["ideabanks:read", "ideabanks:write", "panelists:read"],
  },
  tokens: {
    name: "Issue tokens",
    use: "For your server, to sign people in to your boards. Adds people; issues and revokes their tokens.",
    scopes: ["panelists:read", "panelists:write"],
  },
  all: { name: "Everything", use: "For trusted servers only: every scope.", scopes: SCOPES },
};

/** The value of the choice of single scopes. */
export const CUSTOM = "custom";

/** The preset decides; without one, the single scopes. So a script can send scopes alone. */
export function scopesOf(fields: URLSearchParams): readonly string[] {
  const preset = fields.get("preset") ?? CUSTOM;
  return Object.hasOwn(PRESETS, preset) ? (PRESETS[preset]?.scopes ?? []) : fields.getAll("scopes");
}

/** The choice with which the form opens: what was sent, or the least. */
export const presetOf = (fields: URLSearchParams): string =>
  fields.get("preset") ?? (fields.has("name") ? CUSTOM : "read");
