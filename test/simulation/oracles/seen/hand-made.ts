import type { Committed, History, HistoryEvent, Row, Sent, StoreAnswered, StoreCalled } from "../../history.ts";

/** Small histories by hand, for the oracles' own tests. */
export const ACCOUNT = "0acct0000001";
export const IDEA_BANK = "0bank0000001";
export const PANELIST = "0pan00000001";
export const SURVEY = "0surv0000001";
export const KEY_ID = "0key00000001";
export const KEY = `ibk_${KEY_ID}${"S".repeat(27)}${"T".repeat(8)}`;
export const TOKEN = `ibt_${IDEA_BANK}${PANELIST}${"0".repeat(10)}${"T".repeat(17)}`;

export const history = (
  events: readonly (HistoryEvent | readonly HistoryEvent[])[],
  settled: History["settled"] = {},
): History => ({
  seed: 1,
  settings: { freshnessMs: 5_000, anchorMs: 6_000, leaseMs: 1_000 },
  events: events.flat().toSorted((a, b) => a.at - b.at),
  settled,
});

type Request = Partial<Omit<Sent, "kind" | "call" | "at">>;
type Answer = { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> };

/** A request sent at `from` and answered at `to`. */
export const asked = (
  call: number,
  [from, to]: readonly [number, number],
  request: Request,
  status: number,
  answer: Answer = {},
): readonly HistoryEvent[] => [
  sent(call, from, request),
  { kind: "answered", at: to, call, status, headers: answer.headers ?? {}, body: answer.body },
];

export const sent = (call: number, at: number, request: Request): Sent => ({
  kind: "sent",
  at,
  call,
  client: "somebody",
  isolate: "a",
  operation: "whoami",
  method: "GET",
  path: "/tenant/whoami",
  headers: {},
  ...request,
});

export const whoami: Request = { headers: { "x-api-key": KEY } };
export const changelog: Request = {
  operation: "getChangelog",
  path: "/public/ideabank/changelog",
  headers: { authorization: TOKEN },
};

/** A commit of one row. */
export const wrote = (
  at: number,
  table: string,
  after: Row | null,
  before: Row | null = null,
  call?: number,
): Committed => ({
  kind: "committed",
  at,
  database: "0",
  ...(call === undefined ? {} : { call }),
  changes: [{ table, before, after }],
});

export const fault = (
  store: StoreCalled["store"],
  from: number,
  to: number,
  name?: string,
): readonly HistoryEvent[] => [
  { kind: "fault-began", at: from, fault: from, store, how: "hangs", ...(name === undefined ? {} : { name }) },
  { kind: "fault-ended", at: to, fault: from },
];

/** D1 sessions hang, and the database answers without them. */
export const sessionsHang = (from: number, to: number, name?: string): readonly HistoryEvent[] =>
  fault("d1", from, to, name).map((event) =>
    event.kind === "fault-began" ? { ...event, how: "sessions-hang" } : event,
  );

export const stored = (
  call: number,
  at: number,
  store: StoreCalled["store"],
  name: string,
  more: Partial<StoreCalled> = {},
): StoreCalled => ({
  kind: "store-called",
  at,
  store,
  call,
  isolate: "a",
  name,
  ...more,
});

export const databaseAnswered = (since: number, at: number): StoreAnswered => ({
  kind: "store-answered",
  at,
  store: "d1",
  since,
  isolate: "a",
  name: "0",
});

export const apiKey = (more: Row = {}): Row => ({
  id: KEY_ID,
  account_id: ACCOUNT,
  rate_limit: 20,
  rate_window_seconds: 60,
  expires_at: null,
  revoked_at: null,
  paused_at: null,
  allowed_addresses: null,
  ...more,
});
export const account = (more: Row = {}): Row => ({
  id: ACCOUNT,
  owner_email: "owner@example.com",
  status: "active",
  stored_bytes: 0,
  max_bytes: 1_000_000,
  ...more,
});
export const ideaBank = (more: Row = {}): Row => ({
  id: IDEA_BANK,
  account_id: ACCOUNT,
  name: "Ideas",
  status: "OPEN",
  internal: 0,
  changelog_enabled: 1,
  changelog_max_entries: 20,
  submissions_enabled: 1,
  voting_enabled: 1,
  comments_enabled: 1,
  ...more,
});
export const panelist = (more: Row = {}): Row => ({
  id: PANELIST,
  account_id: ACCOUNT,
  external_id: null,
  active: 1,
  tokens_revoked_at: null,
  display_name: null,
  ...more,
});
export const proposal = (id: string, more: Row = {}): Row => ({
  id,
  account_id: ACCOUNT,
  idea_bank_id: IDEA_BANK,
  author_id: null,
  title: `Title of ${id.slice(-1)}`,
  description: "Text",
  status: "implemented",
  visibility: "public",
  duplicate_of: null,
  response: null,
  votes: 0,
  comments: 0,
  created_at: 1_000,
  last_activity_at: 1_000,
  ...more,
});
/** An open one that asks how it is, and those who are not content why. */
export const survey = (more: Row = {}): Row => ({
  id: SURVEY,
  account_id: ACCOUNT,
  idea_bank_id: IDEA_BANK,
  title: "How is it?",
  status: "OPEN",
  questions: JSON.stringify([
    { id: "how", kind: "scale", showIf: null },
    { id: "why", kind: "text", showIf: { question: "how", anyOf: [1, 2] } },
  ]),
  anonymous: 0,
  editable: 1,
  closes_at: null,
  max_responses: null,
  full: 0,
  revision: 1,
  responses: 0,
  totals: "{}",
  step: 0,
  ...more,
});
export const surveyResponse = (how: number, more: Row = {}): Row => ({
  survey_id: SURVEY,
  respondent: PANELIST,
  account_id: ACCOUNT,
  answers: JSON.stringify({ how }),
  counted: JSON.stringify(["how", `how=${how}`]),
  by_tenant: 0,
  ...more,
});
/** An account with an open idea bank, a panelist and a key, from the start. */
export const world: readonly HistoryEvent[] = [
  {
    kind: "committed",
    at: 0,
    database: "0",
    changes: Object.entries({
      accounts: account(),
      idea_banks: ideaBank(),
      panelists: panelist(),
      api_keys: apiKey(),
    }).map(([table, after]) => ({ table, before: null, after })),
  },
];
