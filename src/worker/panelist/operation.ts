/**
 * The shape of an operation of the panelist API. It takes a compound token for an idea bank with a capability. The token names
 * the idea bank, so the path does not.
 */
import type { Context } from "hono";
import type * as z from "zod/mini";
import type { IdeaBankMemory, OpenedByToken } from "../access/open-idea-bank.ts";
import type { VerifiedToken } from "../credentials/compound-token.ts";
import type { PanelistAccess } from "../database/panelists/panelist-access.ts";
import type { AppEnv } from "../http/app-env.ts";
import type { AnyInput, Definition, Input, ListQuery, Operation, Tag } from "../http/operation.ts";
import type { Capability } from "../model/idea-bank.ts";
import type { PanelistProposal } from "../model/panelist-proposal.ts";
import type { ProblemCode } from "../problem.ts";
import type { Session } from "../store/session.ts";
import type { KnownSurveys } from "../view/known-surveys.ts";

const tag: Tag = { name: "Panelist API", description: "The operations for panelists. They need a compound token." };

/** The problems of an operation whose path names a proposal. */
export const PROPOSAL_PROBLEMS = ["too-many-requests", "idea-bank-not-found", "proposal-not-found"] as const;

/** Answered from the isolate's view of the idea bank, which has the capability when the handler runs. */
export type IdeaBankOperation = Operation & {
  readonly credential: { readonly kind: "compoundToken"; readonly capability: Capability | null };
  readonly handle: (c: Context<AppEnv>, opened: OpenedByToken, memory: IdeaBankMemory) => Response | Promise<Response>;
};

type IdeaBankDefinition = Definition<`/${string}`, never, never> &
  Pick<IdeaBankOperation, "handle"> & {
    /** Null when the answer itself reports the capabilities. */
    readonly capability: Capability | null;
  };

export const ideaBankOperation = ({ capability, ...definition }: IdeaBankDefinition): IdeaBankOperation => ({
  ...definition,
  tag,
  credential: { kind: "compoundToken", capability },
});

/** Without the capability nothing of the surface exists for a panelist: then the answer is the problem `closed`. */
export type Surface = { readonly capability: Capability; readonly closed: ProblemCode };
const PROPOSALS: Surface = { capability: "canViewProposals", closed: "idea-bank-not-found" };

/** `now` is in Unix milliseconds. `surveys` are those that the isolate knows. */
type ParticipationRequest = {
  readonly token: VerifiedToken;
  readonly session: Session;
  readonly now: number;
  readonly surveys: KnownSurveys;
};

/**
 * The result of a handler's round trip. `respond` is called after the access check. `proposal` is the proposal that the path
 * names, if it names one; null if the panelist can see none with this id. `final`: it was merged, so it cannot be changed.
 * `wasDone`: the same `Idempotency-Key` has done it before, so it does not matter if something was closed, merged or deleted
 * since.
 */
type ParticipationResult = {
  readonly access: PanelistAccess;
  readonly proposal?: PanelistProposal | null;
  readonly final?: boolean;
  readonly wasDone?: boolean;
  readonly respond: () => Response | Promise<Response>;
};

/** Answered from D1, with the access check in the same round trip. */
export type ParticipationOperation = Operation & {
  readonly credential: { readonly kind: "compoundToken"; readonly capability: Capability };
  readonly surface: Surface;
  handle(c: Context<AppEnv>, request: AnyInput & ParticipationRequest): Promise<ParticipationResult>;
};

type ParticipationDefinition<Path extends string, Query, Body> = Definition<Path, Query, Body> & {
  readonly capability: Capability;
  /** By default that of proposals. */
  readonly surface?: Surface;
  handle(c: Context<AppEnv>, request: Input<Path, Query, Body> & ParticipationRequest): Promise<ParticipationResult>;
};

export const participation = <
  Path extends `/${string}`,
  Query extends ListQuery = never,
  Body extends z.ZodMiniType = never,
>({
  capability,
  surface = PROPOSALS,
  ...definition
}: ParticipationDefinition<Path, Query, Body>): ParticipationOperation => ({
  ...definition,
  surface,
  tag,
  credential: { kind: "compoundToken", capability },
});
