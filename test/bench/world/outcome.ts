/** What a run of the world is given, and what it gives back. */
import type { Counts } from "../counts.ts";

export const SUBJECTS = [
  "whoami: ours",
  "whoami: ours, LEASE_SECONDS=0",
  "whoami: ours, quiet keys",
  "whoami: peer: D1 look-up and a stored count each time",
  "whoami: peer: better-auth",
  "changelog: ours",
  "changelog: ours, quiet idea banks",
  "changelog: peer: D1 each time",
  "changelog: peer: D1 each time, at the nearest replica",
  "changelog: peer: KV each time",
] as const;

export type SubjectName = (typeof SUBJECTS)[number];

export type Order = {
  readonly subject: SubjectName;
  /** How long the day takes that is compressed, in seconds. */
  readonly seconds: number;
  readonly requests: number;
  /** Changes of changelogs, in the whole day. */
  readonly writes: number;
  /** Idea banks and keys are used by Zipf's law, the first most; or all alike. */
  readonly alike: boolean;
  /** What is before this share of the day fills caches, and is not counted. */
  readonly countFrom: number;
  /** Texts of keys, and their ids. */
  readonly keys: readonly { readonly text: string; readonly id: string }[];
  readonly banks: readonly Bank[];
};

/** `leaver` is the token of a panelist who loses it at half time. */
export type Bank = {
  readonly id: string;
  readonly token: string;
  readonly leaver: string;
  readonly leaverId: string;
  readonly proposalId: string;
};

/** Milliseconds. */
export type Distribution = {
  readonly requests: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
};

export type PlaceOutcome = Distribution & {
  readonly place: string;
  /** Of the requests for the busiest idea bank or key. */
  readonly busiest: Distribution;
  /** For each write, the age at which a request that did not show it was answered for the last time. */
  readonly visible: Distribution;
};

export type Revocation = {
  /** How long the owner waits for the answer, and the requests that were admitted of those that came after it. */
  readonly answeredMs: number;
  readonly admittedAfter: number;
  /** The last request that was admitted came so long after the answer; null for one that was to the end. */
  readonly lastAdmittedMs: number | null;
};

export type Outcome = {
  readonly subject: SubjectName;
  readonly places: readonly PlaceOutcome[];
  readonly revocation: Revocation;
  readonly counts: Counts;
  /** Of the round trips to D1, those that its primary answered. */
  readonly primaryTrips: number;
  /** Of the calls to Durable Objects, those of the one that was called most. */
  readonly busiestObjectCalls: number;
  /** Requests for the busiest idea bank or key. */
  readonly busiestRequests: number;
  /** How long the run took, in real seconds; and the day, in the world's. */
  readonly realSeconds: number;
  readonly seconds: number;
};
