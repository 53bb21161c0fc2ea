/** What an API key may do: read or write one kind of resource. A new key has all scopes unless the owner chooses fewer. */
export const SCOPES = [
  "surveys:read",
  "surveys:write",
  "ideabanks:read",
  "ideabanks:write",
  "panelists:read",
  "panelists:write",
] as const;

export type Scope = (typeof SCOPES)[number];
