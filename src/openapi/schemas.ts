/** The named schemas of the document. Those of requests say what may be sent, those of answers what will come. */
import * as z from "zod/mini";
import { CURSOR } from "../credentials/cursor.ts";
import { ApiKey, ApiKeyChanges, ApiKeyList, AuditEvent, NewApiKey, Rotation, ShownApiKey } from "../model/account.ts";
import { Id } from "../model/id.ts";
import { Capabilities, Changelog, IdeaBank, IdeaBankChanges, NewIdeaBank } from "../model/idea-bank.ts";
import { IssuedToken, NewPanelist, Panelist, PanelistChanges, TokenRequest } from "../model/panelist.ts";
import { Comment, NewProposal, Proposal, ProposalChanges } from "../model/proposal.ts";
import { NewSurvey, Survey, SurveyChanges } from "../model/survey.ts";
import { EXAMPLES, pageExample } from "./examples.ts";

/** A successful answer; without a schema it has no body. `conditional`: it carries an ETag and can be 304. */
export type Answer = {
  readonly status: 200 | 201 | 204;
  readonly schema?: z.ZodMiniType;
  readonly example?: object;
  readonly conditional?: boolean;
};

export const WhoAmI = z.object({ apiKeyId: Id });

const pageOf = <Item extends z.ZodMiniType>(item: Item) =>
  z.object({ items: z.array(item), nextCursor: z.optional(z.string().check(z.regex(CURSOR.pattern))) });

export const SurveyPage = pageOf(Survey);
export const IdeaBankPage = pageOf(IdeaBank);
export const ProposalPage = pageOf(Proposal);
export const CommentPage = pageOf(Comment);
export const PanelistPage = pageOf(Panelist);
export const ActivityPage = pageOf(AuditEvent);

type Named = Record<string, { readonly schema: z.ZodMiniType; readonly example?: object }>;

export const REQUESTS: Named = {
  NewSurvey: { schema: NewSurvey, example: EXAMPLES.newSurvey },
  SurveyChanges: { schema: SurveyChanges, example: EXAMPLES.surveyChanges },
  NewIdeaBank: { schema: NewIdeaBank, example: EXAMPLES.newIdeaBank },
  IdeaBankChanges: { schema: IdeaBankChanges, example: EXAMPLES.ideaBankChanges },
  NewProposal: { schema: NewProposal, example: EXAMPLES.newProposal },
  ProposalChanges: { schema: ProposalChanges, example: EXAMPLES.proposalChanges },
  NewPanelist: { schema: NewPanelist, example: EXAMPLES.newPanelist },
  PanelistChanges: { schema: PanelistChanges, example: EXAMPLES.panelistChanges },
  NewApiKey: { schema: NewApiKey, example: EXAMPLES.newApiKey },
  ApiKeyChanges: { schema: ApiKeyChanges, example: EXAMPLES.apiKeyChanges },
  Rotation: { schema: Rotation, example: EXAMPLES.rotation },
  TokenRequest: { schema: TokenRequest, example: EXAMPLES.tokenRequest },
};

export const ANSWERS: Named = {
  WhoAmI: { schema: WhoAmI, example: EXAMPLES.whoami },
  Survey: { schema: Survey, example: EXAMPLES.survey },
  SurveyPage: { schema: SurveyPage, example: pageExample(EXAMPLES.survey) },
  IdeaBank: { schema: IdeaBank, example: EXAMPLES.ideaBank },
  IdeaBankPage: { schema: IdeaBankPage, example: pageExample(EXAMPLES.ideaBank) },
  Proposal: { schema: Proposal, example: EXAMPLES.proposal },
  ProposalPage: { schema: ProposalPage, example: pageExample(EXAMPLES.proposal) },
  Comment: { schema: Comment, example: EXAMPLES.comment },
  CommentPage: { schema: CommentPage, example: pageExample(EXAMPLES.comment) },
  Panelist: { schema: Panelist, example: EXAMPLES.panelist },
  PanelistPage: { schema: PanelistPage, example: pageExample(EXAMPLES.panelist) },
  IssuedToken: { schema: IssuedToken, example: EXAMPLES.issuedToken },
  ApiKey: { schema: ApiKey, example: EXAMPLES.apiKey },
  ApiKeyList: { schema: ApiKeyList, example: EXAMPLES.apiKeyList },
  ShownApiKey: { schema: ShownApiKey, example: EXAMPLES.shownApiKey },
  ActivityPage: { schema: ActivityPage, example: pageExample(EXAMPLES.auditEvent) },
  Changelog: { schema: Changelog, example: EXAMPLES.changelog },
  Capabilities: { schema: Capabilities, example: EXAMPLES.capabilities },
};
