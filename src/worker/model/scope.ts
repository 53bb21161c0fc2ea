/**
 * The scopes of an API key: each allows to read or to write one kind of resource. A new key has all of them unless its owner
 * chooses fewer.
 */
export const SCOPES = [
  "surveys:read",
  "surveys:write",
  "ideabanks:read",
  "ideabanks:write",
  "panelists:read",
  "panelists:write",
] as const;

export type Scope = (typeof SCOPES)[number];
