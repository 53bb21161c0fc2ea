/** What an API key may do: one noun, read or write. A new key has them all unless it is narrowed. */
export const SCOPES = [
  "surveys:read",
  "surveys:write",
  "ideabanks:read",
  "ideabanks:write",
  "panelists:read",
  "panelists:write",
] as const;

export type Scope = (typeof SCOPES)[number];
