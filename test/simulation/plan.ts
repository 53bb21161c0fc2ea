/**
 * What is to happen in a history, made from its seed before anything runs. A command names keys, panelists and proposals by numbers
 * that count those which exist when its time comes, so that a plan without some of its commands is a plan as well.
 */
import type { SimulatedSettings } from "./history.ts";
import type { Lag } from "./world/database.ts";
import type { Fault } from "./world/faults.ts";
import type { Mood } from "./world/receivers.ts";

export type PlannedKey = { readonly limit: number; readonly windowSeconds: number };

export type PlannedAccount = {
  readonly owner: string;
  readonly keys: readonly PlannedKey[];
  /** How many idea banks it starts with, and how many panelists have a token of each. */
  readonly ideaBanks: number;
  readonly panelists: number;
};

export type Setting = {
  readonly places: readonly number[];
  readonly lag: Lag;
  readonly newAccounts: string;
  readonly settings: SimulatedSettings;
  readonly panelistLimits: { readonly reads: number; readonly writes: number };
  readonly accounts: readonly PlannedAccount[];
};

/** How a client sends: it may leave, or lose the answer; then, or when the answer says so, it sends the request again. */
export type Manner = {
  readonly isolate: number;
  readonly leavesAfterMs?: number | undefined;
  readonly losesAnswer?: boolean | undefined;
  /** So many times at most. */
  readonly again: number;
  /** With an `Idempotency-Key`, where the operation takes one. */
  readonly idempotent: boolean;
};

/** `widen`: a key gets a limit that is worth leases. `look`: at the page of one key. */
export type OwnerDoes = "create" | "revoke" | "rotate" | "change" | "widen" | "list" | "activity" | "look";
export type UseDoes = "whoami" | "listSurveys" | "listPanelists" | "getSurvey" | "createSurvey";
export type MemberDoes = "add" | "remove" | "act";
export type TenantDoes =
  | "createProposal"
  | "updateProposal"
  | "deleteProposal"
  | "mergeProposal"
  | "createComment"
  | "createTagged"
  | "setTags"
  | "commentFor"
  | "voteFor"
  | "unvoteFor"
  | "listVotes"
  | "findProposals"
  | "listProposals"
  | "listComments"
  | "updateIdeaBank"
  | "createIdeaBank"
  | "deleteIdeaBank"
  | "issueToken"
  | "revokeTokens"
  | "updatePanelist"
  | "deletePanelist";
export type PanelistDoes =
  | "getChangelog"
  | "getCapabilities"
  | "listPanelistProposals"
  | "searchProposals"
  | "similarProposals"
  | "listTagged"
  | "listTags"
  | "getPanelistProposal"
  | "submitProposal"
  | "editProposal"
  | "withdrawProposal"
  | "vote"
  | "unvote"
  | "addComment"
  | "listPanelistComments"
  | "removeComment";
export type SqlDoes =
  | "addVoters"
  | "addComments"
  | "editProposal"
  | "closeIdeaBank"
  | "openIdeaBank"
  | "deactivatePanelist"
  | "deleteProposal";

/** A tenant's sync names proposals by its own ids. */
export type SyncDoes = "upsertProposal" | "createProposal" | "updateProposal" | "listProposals" | "deleteProposal";

/** Members at the page of what waits for approval. `decide` looks first, and decides about something there. */
export type ApproverDoes = "requireApproval" | "listPending" | "decide";

/** Who finds keys in public: `find` remembers the secret that there is, `report` pastes one; `mark` and `end` are the owner's choice. */
export type FinderDoes = "find" | "report" | "mark" | "end";

/** Tokens of visitors, and of a tenant's own server (actors/tokens.ts). */
export type TokenDoes =
  | "issueVisitor"
  | "endVisitors"
  | "useVisitor"
  | "readSecret"
  | "rotateSecret"
  | "revokePerson"
  | "useSigned";

/** Surveys and their answers (actors/surveys.ts). `record`: on behalf of somebody. `deletePerson`: of somebody who has answered. */
export type SurveyDoes =
  | "open"
  | "answer"
  | "repeat"
  | "takeBack"
  | "look"
  | "close"
  | "reopen"
  | "limit"
  | "retitle"
  | "record"
  | "unrecord"
  | "deletePerson"
  | "delete";

/** What is done seldom (actors/oddities.ts). */
export type OddDoes = "trespass" | "quota" | "sameKey" | "revokeBySql" | "firstVisit" | "careless";

export type WebhookDoes = "create" | "mood" | "pause" | "resume" | "rotate" | "test";

/** `pick` chooses among what there is; `draw` is for the rest: texts, flags. */
type Chosen = { readonly pick: number; readonly draw: number };

/** So many at the same moment, each at another isolate, or one after the other. */
type Repeated = { readonly count: number; readonly everyMs: number };

export type Command = { readonly id: number; readonly at: number } & (
  | {
      readonly kind: "whoami";
      readonly key: number;
      readonly count: number;
      readonly everyMs: number;
      readonly isolate: number;
      readonly spread: boolean;
    }
  /** `held` is the secret that its holder goes on with, `any` one of those that the owner was shown. */
  | {
      readonly kind: "use";
      readonly does: UseDoes;
      readonly secret: "held" | "any" | "forged";
      readonly key: number;
      readonly count: number;
      readonly everyMs: number;
      readonly isolate: number;
      readonly spread: boolean;
      readonly draw: number;
    }
  | ({
      readonly kind: "owner";
      readonly does: OwnerDoes;
      readonly account: number;
      readonly key: number;
      readonly draw: number;
    } & Manner)
  /** `pick` chooses who does it, and `draw` whom it is about, among those who have been members. */
  | ({ readonly kind: "member"; readonly does: MemberDoes; readonly account: number } & Chosen & Manner)
  | ({ readonly kind: "operator"; readonly account: number; readonly status: "active" | "suspended" } & Manner)
  /** The operator's change of a key: `limit` of its limit, or without it its revocation. */
  | ({ readonly kind: "operatorKey"; readonly key: number; readonly limit?: PlannedKey } & Manner)
  | { readonly kind: "limit"; readonly key: number; readonly limit: number; readonly windowSeconds: number }
  | ({ readonly kind: "tenant"; readonly does: TenantDoes; readonly account: number } & Chosen & Manner)
  | ({ readonly kind: "odd"; readonly does: OddDoes; readonly account: number } & Chosen & Manner)
  | ({ readonly kind: "health"; readonly isolate: number } & Repeated)
  | ({ readonly kind: "sync"; readonly does: SyncDoes; readonly account: number } & Repeated & Chosen & Manner)
  | ({ readonly kind: "finder"; readonly does: FinderDoes; readonly key: number; readonly draw: number } & Repeated &
      Manner)
  | ({ readonly kind: "approver"; readonly does: ApproverDoes; readonly account: number } & Repeated & Chosen & Manner)
  | ({
      readonly kind: "panelist";
      readonly does: PanelistDoes;
      readonly token: number;
      readonly count: number;
      readonly everyMs: number;
    } & Chosen &
      Manner)
  /** `act`: what a token is used for. */
  | ({
      readonly kind: "token";
      readonly does: TokenDoes;
      readonly act: PanelistDoes;
      readonly account: number;
    } & Repeated &
      Chosen &
      Manner)
  | ({
      readonly kind: "survey";
      readonly does: SurveyDoes;
      readonly survey: number;
      readonly account: number;
    } & Repeated &
      Chosen &
      Manner)
  | ({
      readonly kind: "follow";
      readonly account: number;
      readonly count: number;
      readonly limit: number;
      readonly everyMs: number;
    } & Manner)
  | ({
      readonly kind: "webhook";
      readonly does: WebhookDoes;
      readonly account: number;
      readonly pick: number;
      readonly mood: Mood;
    } & Manner)
  | ({ readonly kind: "sql"; readonly does: SqlDoes; readonly account: number } & Chosen)
  | ({ readonly kind: "fault"; readonly forMs: number; readonly key?: number } & Omit<Fault, "until">)
  | { readonly kind: "gate"; readonly key: number; readonly how: "crash" | "deploy" }
  | { readonly kind: "isolate"; readonly isolate: number }
  | { readonly kind: "clock"; readonly isolate?: number; readonly key?: number; readonly by: number }
  /** `endsAfterMs`: then the job is killed, wherever it is. */
  | { readonly kind: "scheduled"; readonly endsAfterMs?: number }
);

type Without<C> = C extends unknown ? Omit<C, "id" | "at"> : never;
export type Drawn = { readonly at: number; readonly command: Without<Command> };

export type Plan = {
  readonly seed: number;
  readonly profile: string;
  readonly setting: Setting;
  readonly commands: readonly Command[];
};
