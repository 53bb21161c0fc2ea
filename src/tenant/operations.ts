/**
 * Every operation of the tenant API: what it is called, where it is, which scope it needs, what it takes.
 * The routes are registered from this table and the OpenAPI document is built from it, so the two cannot differ.
 */
import type * as z from "zod/mini";
import { IdeaBankChanges, NewIdeaBank } from "../model/idea-bank.ts";
import { PageQuery, PanelistPageQuery, ProposalPageQuery } from "../model/page.ts";
import { NewPanelist, PanelistChanges, TokenRequest } from "../model/panelist.ts";
import { NewProposal, ProposalChanges } from "../model/proposal.ts";
import type { Scope } from "../model/scope.ts";
import { NewSurvey, SurveyChanges } from "../model/survey.ts";

/** `scope` is null where any key will do. A path's parameters are identifiers, in braces. */
export type Operation = {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: `/${string}`;
  readonly scope: Scope | null;
  readonly query?: z.ZodMiniType<{ limit: number; cursor?: string | undefined }>;
  readonly body?: z.ZodMiniType;
};

const SURVEYS = "/tenant/surveys";
const SURVEY = `${SURVEYS}/{surveyId}`;
const IDEA_BANKS = "/tenant/ideabanks";
const IDEA_BANK = `${IDEA_BANKS}/{ideaBankId}`;
const PROPOSALS = `${IDEA_BANK}/proposals`;
const PROPOSAL = `${PROPOSALS}/{proposalId}`;
const COMMENTS = `${PROPOSAL}/comments`;
const PANELISTS = "/tenant/panelists";
const PANELIST = `${PANELISTS}/{panelistId}`;

export const OPERATIONS = {
  whoami: { method: "GET", path: "/tenant/whoami", scope: null },

  listSurveys: { method: "GET", path: SURVEYS, scope: "surveys:read", query: PageQuery },
  createSurvey: { method: "POST", path: SURVEYS, scope: "surveys:write", body: NewSurvey },
  getSurvey: { method: "GET", path: SURVEY, scope: "surveys:read" },
  updateSurvey: { method: "PATCH", path: SURVEY, scope: "surveys:write", body: SurveyChanges },
  deleteSurvey: { method: "DELETE", path: SURVEY, scope: "surveys:write" },

  listIdeaBanks: { method: "GET", path: IDEA_BANKS, scope: "ideabanks:read", query: PageQuery },
  createIdeaBank: { method: "POST", path: IDEA_BANKS, scope: "ideabanks:write", body: NewIdeaBank },
  getIdeaBank: { method: "GET", path: IDEA_BANK, scope: "ideabanks:read" },
  updateIdeaBank: { method: "PATCH", path: IDEA_BANK, scope: "ideabanks:write", body: IdeaBankChanges },
  deleteIdeaBank: { method: "DELETE", path: IDEA_BANK, scope: "ideabanks:write" },

  listProposals: { method: "GET", path: PROPOSALS, scope: "ideabanks:read", query: ProposalPageQuery },
  createProposal: { method: "POST", path: PROPOSALS, scope: "ideabanks:write", body: NewProposal },
  getProposal: { method: "GET", path: PROPOSAL, scope: "ideabanks:read" },
  updateProposal: { method: "PATCH", path: PROPOSAL, scope: "ideabanks:write", body: ProposalChanges },
  deleteProposal: { method: "DELETE", path: PROPOSAL, scope: "ideabanks:write" },

  listComments: { method: "GET", path: COMMENTS, scope: "ideabanks:read", query: PageQuery },
  deleteComment: { method: "DELETE", path: `${COMMENTS}/{commentId}`, scope: "ideabanks:write" },

  listPanelists: { method: "GET", path: PANELISTS, scope: "panelists:read", query: PanelistPageQuery },
  createPanelist: { method: "POST", path: PANELISTS, scope: "panelists:write", body: NewPanelist },
  getPanelist: { method: "GET", path: PANELIST, scope: "panelists:read" },
  updatePanelist: { method: "PATCH", path: PANELIST, scope: "panelists:write", body: PanelistChanges },
  deletePanelist: { method: "DELETE", path: PANELIST, scope: "panelists:write" },

  issueToken: { method: "POST", path: `${IDEA_BANK}/tokens`, scope: "panelists:write", body: TokenRequest },
  revokeTokens: { method: "DELETE", path: `${PANELIST}/tokens`, scope: "panelists:write" },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof OPERATIONS;
