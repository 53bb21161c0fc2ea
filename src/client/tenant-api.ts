/** Made by `npm run build:client` of public/openapi.json. */
import type { CallOptions, Endpoint, NoArguments } from "./call.ts";

export interface components {
    schemas: {
        ApiKeyIdentity: {
            /** @description The identifier of the API key in the request. */
            apiKeyId: string;
        };
        Change: components["schemas"]["ProposalChange"] | components["schemas"]["CommentChange"] | components["schemas"]["PanelistChange"] | components["schemas"]["IdeaBankChange"] | components["schemas"]["SurveyChange"] | components["schemas"]["OtherChange"];
        ChangePage: {
            /** @description The items of this page, in the list's order. */
            items: components["schemas"]["Change"][];
            /** @description Send it as `after` for what comes next. Always there. */
            nextCursor: string;
        };
        ClaimFault: {
            /** @description The claim's name. Empty for all claims together. */
            path: string;
            /** @description What the claim must be, or is. */
            message: string;
        };
        Comment: {
            /** @description The comment's identifier. */
            id: string;
            /** @description The proposal that it is on. */
            proposalId: string;
            /** @description `tenant` for your own comments, `panelist` for the others. */
            by: string;
            /** @description The panelist who wrote it. `null` if you wrote it, or once the panelist has been deleted. */
            panelistId: string | null;
            /** @description The text: 1 to 10,000 characters. Line breaks are kept. */
            body: string;
            /**
             * Format: date-time
             * @description When it was written: ISO 8601, UTC, with milliseconds.
             */
            createdAt: string;
        };
        CommentChange: {
            /**
             * @description What happened. New types can be added: ignore those that you do not know.
             * @enum {string}
             */
            type: "comment.created" | "comment.updated" | "comment.deleted";
            /**
             * Format: date-time
             * @description When it happened: ISO 8601, UTC, with milliseconds. The order of changes is that of the list, whatever their times.
             */
            at: string;
            /** @description `panelist` for a panelist's request; `system` for what followed later from another change; else `tenant`, also for the comments that a deletion takes away later. */
            by: string;
            /** @description The API key that did it. `null` for members, panelists and the service, for what followed later from a request, for what was recorded before 1.1.0, and for a panelist who was created with a token. */
            apiKeyId: string | null;
            /** @description The idea bank that has changed, or that the proposal is or was in. */
            ideaBankId: string;
            /** @description The proposal that has changed, or that the comment is or was on. */
            proposalId: string;
            /** @description The comment that has changed. */
            commentId: string;
            /** @description Of a change of a proposal or of a comment: the proposal as it is now, or `null` when it is gone. */
            proposal: components["schemas"]["Proposal"] | null;
            /** @description Of a change of a comment: the comment as it is now, or `null` when it is gone. */
            comment: components["schemas"]["Comment"] | null;
            /** @description The panelist that has changed, or for whom you have created the proposal or written the comment. */
            panelistId?: string;
        };
        CommentPage: {
            /** @description The items of this page, in the list's order. */
            items: components["schemas"]["Comment"][];
            /** @description Send it as `cursor` for the next page. Absent on the last page. */
            nextCursor?: string;
        };
        CreateCommentArguments: {
            /** @description The identifier of the idea bank. */
            ideaBankId: string;
            /** @description The identifier of the proposal. */
            proposalId: string;
        } & components["schemas"]["TenantComment"];
        CreateCommentsArguments: {
            /** @description The identifier of the idea bank. */
            ideaBankId: string;
            /** @description The identifier of the proposal. */
            proposalId: string;
        } & components["schemas"]["TenantComments"];
        CreateIdeaBankArguments: components["schemas"]["NewIdeaBank"];
        CreatePanelistArguments: components["schemas"]["NewPanelist"];
        CreateProposalArguments: {
            /** @description The identifier of the idea bank. */
            ideaBankId: string;
        } & components["schemas"]["NewProposal"];
        CreateSurveyArguments: components["schemas"]["NewSurvey"];
        DeleteCommentArguments: {
            /** @description The identifier of the idea bank. */
            ideaBankId: string;
            /** @description The identifier of the proposal. */
            proposalId: string;
            /** @description The identifier of the comment. */
            commentId: string;
        };
        DeleteIdeaBankArguments: {
            /** @description The identifier of the idea bank. */
            ideaBankId: string;
        };
        DeletePanelistArguments: {
            /** @description The identifier of the panelist. */
            panelistId: string;
            /**
             * @description `delete`: the panelist's proposals and comments are deleted, too. The default is `keep`: they stay, without an author.
             * @enum {string}
             */
            content?: "delete" | "keep";
        };
        DeleteProposalArguments: {
            /** @description The identifier of the idea bank. */
            ideaBankId: string;
            /** @description The identifier of the proposal. */
            proposalId: string;
        };
        DeleteSurveyArguments: {
            /** @description The identifier of the survey. */
            surveyId: string;
        };
        DeleteVoteArguments: {
            /** @description The identifier of the idea bank. */
            ideaBankId: string;
            /** @description The identifier of the proposal. */
            proposalId: string;
            /** @description The identifier of the panelist. */
            panelistId: string;
        };
        EndVisitorTokensArguments: {
            /** @description The identifier of the idea bank. */
            ideaBankId: string;
        };
        GetIdeaBankArguments: {
            /** @description The identifier of the idea bank. */
            ideaBankId: string;
        };
        GetPanelistArguments: {
            /** @description The identifier of the panelist. */
            panelistId: string;
        };
        GetProposalArguments: {
            /** @description The identifier of the idea bank. */
            ideaBankId: string;
            /** @description The identifier of the proposal. */
            proposalId: string;
        };
        GetSigningSecretArguments: {
            /** @description The identifier of the idea bank. */
            ideaBankId: string;
        };
        GetSurveyArguments: {
            /** @description The identifier of the survey. */
            surveyId: string;
        };
        IdeaBank: {
            /** @description The idea bank's identifier. */
            id: string;
            /** @description The name: one line of 1 to 100 characters. */
            name: string;
            /** @description Panelists can use an idea bank while it is `OPEN`. `DRAFT` and `CLOSED` close every capability. */
            status: string;
            /** @description `true` closes proposals, votes and comments to panelists. It does not close the changelog. The default is `false`. */
            internal: boolean;
            /** @description Whether panelists can read the changelog while the idea bank is `OPEN`. The default is `false`. */
            changelogEnabled: boolean;
            /** @description The maximum number of entries in the changelog: 1 to 100. The default is 20. */
            changelogMaxEntries: number;
            /** @description Whether panelists can submit proposals. The default is `true`. */
            submissionsEnabled: boolean;
            /** @description Whether panelists can vote. The default is `true`. */
            votingEnabled: boolean;
            /** @description Whether panelists can comment. The default is `true`. */
            commentsEnabled: boolean;
            /** @description `true`: a panelist's new proposal has the visibility `pending` until you make it `public`. The default is `false`. */
            approvalRequired: boolean;
            /** @description The page that shows the idea bank: an `https` address of at most 2,000 characters, or `null`. Feeds link to it. */
            url: string | null;
            /**
             * Format: date-time
             * @description When it was created: ISO 8601, UTC, with milliseconds.
             */
            createdAt: string;
        };
        IdeaBankChange: {
            /**
             * @description What happened. New types can be added: ignore those that you do not know.
             * @enum {string}
             */
            type: "ideabank.created" | "ideabank.updated" | "ideabank.deleted";
            /**
             * Format: date-time
             * @description When it happened: ISO 8601, UTC, with milliseconds. The order of changes is that of the list, whatever their times.
             */
            at: string;
            /** @description `panelist` for a panelist's request; `system` for what followed later from another change; else `tenant`, also for the comments that a deletion takes away later. */
            by: string;
            /** @description The API key that did it. `null` for members, panelists and the service, for what followed later from a request, for what was recorded before 1.1.0, and for a panelist who was created with a token. */
            apiKeyId: string | null;
            /** @description The idea bank that has changed, or that the proposal is or was in. */
            ideaBankId: string;
            /** @description Of a change of an idea bank: the idea bank as it is now, or `null` when it is gone. */
            ideaBank: components["schemas"]["IdeaBank"] | null;
        };
        IdeaBankChanges: {
            /** @description The name: one line of 1 to 100 characters. */
            name?: string;
            /**
             * @description Panelists can use an idea bank while it is `OPEN`. `DRAFT` and `CLOSED` close every capability.
             * @enum {string}
             */
            status?: "DRAFT" | "OPEN" | "CLOSED";
            /** @description `true` closes proposals, votes and comments to panelists. It does not close the changelog. The default is `false`. */
            internal?: boolean;
            /** @description Whether panelists can read the changelog while the idea bank is `OPEN`. The default is `false`. */
            changelogEnabled?: boolean;
            /** @description The maximum number of entries in the changelog: 1 to 100. The default is 20. */
            changelogMaxEntries?: number;
            /** @description Whether panelists can submit proposals. The default is `true`. */
            submissionsEnabled?: boolean;
            /** @description Whether panelists can vote. The default is `true`. */
            votingEnabled?: boolean;
            /** @description Whether panelists can comment. The default is `true`. */
            commentsEnabled?: boolean;
            /** @description `true`: a panelist's new proposal has the visibility `pending` until you make it `public`. The default is `false`. */
            approvalRequired?: boolean;
            /** @description The page that shows the idea bank: an `https` address of at most 2,000 characters, or `null`. Feeds link to it. */
            url?: string | null;
        };
        IdeaBankPage: {
            /** @description The items of this page, in the list's order. */
            items: components["schemas"]["IdeaBank"][];
            /** @description Send it as `cursor` for the next page. Absent on the last page. */
            nextCursor?: string;
        };
        IntrospectTokenArguments: components["schemas"]["IntrospectionRequest"];
        Introspection: {
            /** @description Whether the token is valid, and one of yours. */
            active: boolean;
            /** @description Its panelist. `null` for a visitor. */
            panelistId?: string | null;
            /** @description Your own id for the person. `null` for a visitor, and for a panelist without one. */
            externalId?: string | null;
            /** @description Its idea bank. */
            ideaBankId?: string;
            /**
             * Format: date-time
             * @description When it was issued: ISO 8601, UTC.
             */
            issuedAt?: string;
            /**
             * Format: date-time
             * @description When it expires: ISO 8601, UTC.
             */
            expiresAt?: string;
            /** @description Why it is refused, if it names an idea bank of yours: `signature` (forged, or by another secret), `claims` (one is missing or breaks its rule), `expired`, or `revoked` (the panelist, the token, or the secret). */
            reason?: string;
            /** @description With the reason `claims`: each claim that is wrong, and why. */
            readonly errors?: components["schemas"]["ClaimFault"][];
        };
        IntrospectionRequest: {
            /** @description A compound token of any kind. */
            token: string;
        };
        IssueTokenArguments: {
            /** @description The identifier of the idea bank. */
            ideaBankId: string;
        } & components["schemas"]["TokenRequest"];
        IssuedToken: {
            /** @description The compound token: `ibt_` and 51 base62 digits. Store it as a secret of the panelist. A visitor's, `ibv_` and 40 digits, is no secret. */
            token: string;
            /** @description The panelist that it was issued to. `null` for a visitor. */
            panelistId: string | null;
            /**
             * Format: date-time
             * @description When it expires: ISO 8601, UTC, with milliseconds.
             */
            expiresAt: string;
        };
        KnownPeople: {
            /** @description 1 to 100 people. */
            panelists: components["schemas"]["KnownPerson"][];
        };
        KnownPerson: {
            /** @description Your own id for this person: 1 to 200 characters. */
            externalId: string;
            /**
             * @description The name of a new panelist, or `null`, the default. The name of an existing one stays.
             * @default null
             */
            displayName?: string | null;
        };
        ListChangesArguments: {
            /** @description Items per page, at most: 1 to 100. The default is 20. A page ends at 1 MiB. */
            limit?: number;
            /** @description The `nextCursor` of the last answer. `now` gives no changes and the place behind the newest one. Absent for the oldest change that is kept. */
            after?: string;
        };
        ListCommentsArguments: {
            /** @description The identifier of the idea bank. */
            ideaBankId: string;
            /** @description The identifier of the proposal. */
            proposalId: string;
            /** @description Items per page, at most: 1 to 100. The default is 20. A page ends at 1 MiB. */
            limit?: number;
            /** @description The `nextCursor` of the previous page of this list, with the same filters. Absent for the first page. */
            cursor?: string;
        };
        ListIdeaBankCommentsArguments: {
            /** @description The identifier of the idea bank. */
            ideaBankId: string;
            /** @description Items per page, at most: 1 to 100. The default is 20. A page ends at 1 MiB. */
            limit?: number;
            /** @description The `nextCursor` of the previous page of this list, with the same filters. Absent for the first page. */
            cursor?: string;
            /** @description Only comments that this panelist wrote. */
            panelistId?: string;
        };
        ListIdeaBanksArguments: {
            /** @description Items per page, at most: 1 to 100. The default is 20. A page ends at 1 MiB. */
            limit?: number;
            /** @description The `nextCursor` of the previous page of this list, with the same filters. Absent for the first page. */
            cursor?: string;
            /**
             * @description Only idea banks with this status.
             * @enum {string}
             */
            status?: "DRAFT" | "OPEN" | "CLOSED";
        };
        ListPanelistsArguments: {
            /** @description Items per page, at most: 1 to 100. The default is 20. A page ends at 1 MiB. */
            limit?: number;
            /** @description The `nextCursor` of the previous page of this list, with the same filters. Absent for the first page. */
            cursor?: string;
            /** @description Only the panelist with this `externalId`. */
            externalId?: string;
        };
        ListProposalsArguments: {
            /** @description The identifier of the idea bank. */
            ideaBankId: string;
            /** @description Items per page, at most: 1 to 100. The default is 20. A page ends at 1 MiB. */
            limit?: number;
            /** @description The `nextCursor` of the previous page of this list, with the same filters. Absent for the first page. */
            cursor?: string;
            /**
             * @description `new`: newest first. `top`: most votes first. `active`: latest activity first. The last two list public proposals.
             * @enum {string}
             */
            sort?: "new" | "top" | "active";
            /** @description Only proposals with one of these statuses. */
            status?: ("submitted" | "under-review" | "planned" | "in-progress" | "implemented" | "declined")[];
            /**
             * @description Only proposals with this visibility. `pending` lists the proposals that need your approval.
             * @enum {string}
             */
            visibility?: "public" | "pending" | "hidden";
            /** @description Only proposals with this tag. */
            tag?: string;
            /** @description Only the proposal with this `externalId`, also when it was merged. */
            externalId?: string;
            /** @description Only what this panelist submitted, merged proposals included. It goes with no other filter. */
            panelistId?: string;
            /** @description Only proposals with these words in their titles: one page of at most 20, the best first, whatever the order of the list otherwise. Case and accents do not matter, and a word need not be complete. A filter picks from 40 that fit. */
            q?: string;
        };
        ListSurveysArguments: {
            /** @description Items per page, at most: 1 to 100. The default is 20. A page ends at 1 MiB. */
            limit?: number;
            /** @description The `nextCursor` of the previous page of this list, with the same filters. Absent for the first page. */
            cursor?: string;
        };
        ListVotesArguments: {
            /** @description The identifier of the idea bank. */
            ideaBankId: string;
            /** @description The identifier of the proposal. */
            proposalId: string;
            /** @description Items per page, at most: 1 to 100. The default is 20. A page ends at 1 MiB. */
            limit?: number;
            /** @description The `nextCursor` of the previous page of this list, with the same filters. Absent for the first page. */
            cursor?: string;
        };
        ListVotesOfPanelistArguments: {
            /** @description The identifier of the panelist. */
            panelistId: string;
            /** @description Items per page, at most: 1 to 100. The default is 20. A page ends at 1 MiB. */
            limit?: number;
            /** @description The `nextCursor` of the previous page of this list, with the same filters. Absent for the first page. */
            cursor?: string;
        };
        Merge: {
            /** @description The proposal that stays: another one of the same idea bank that is not merged itself. */
            into: string;
        };
        MergeProposalArguments: {
            /** @description The identifier of the idea bank. */
            ideaBankId: string;
            /** @description The identifier of the proposal. */
            proposalId: string;
        } & components["schemas"]["Merge"];
        NewComment: {
            /** @description The text: 1 to 10,000 characters. Line breaks are kept. */
            body: string;
        };
        NewComments: {
            /** @description The comments' identifiers, in the order of your list. */
            readonly ids: string[];
        };
        NewIdeaBank: {
            /** @description The name: one line of 1 to 100 characters. */
            name: string;
            /**
             * @description Panelists can use an idea bank while it is `OPEN`. `DRAFT` and `CLOSED` close every capability.
             * @default DRAFT
             * @enum {string}
             */
            status?: "DRAFT" | "OPEN" | "CLOSED";
            /**
             * @description `true` closes proposals, votes and comments to panelists. It does not close the changelog. The default is `false`.
             * @default false
             */
            internal?: boolean;
            /**
             * @description Whether panelists can read the changelog while the idea bank is `OPEN`. The default is `false`.
             * @default false
             */
            changelogEnabled?: boolean;
            /**
             * @description The maximum number of entries in the changelog: 1 to 100. The default is 20.
             * @default 20
             */
            changelogMaxEntries?: number;
            /**
             * @description Whether panelists can submit proposals. The default is `true`.
             * @default true
             */
            submissionsEnabled?: boolean;
            /**
             * @description Whether panelists can vote. The default is `true`.
             * @default true
             */
            votingEnabled?: boolean;
            /**
             * @description Whether panelists can comment. The default is `true`.
             * @default true
             */
            commentsEnabled?: boolean;
            /**
             * @description `true`: a panelist's new proposal has the visibility `pending` until you make it `public`. The default is `false`.
             * @default false
             */
            approvalRequired?: boolean;
            /**
             * @description The page that shows the idea bank: an `https` address of at most 2,000 characters, or `null`. Feeds link to it.
             * @default null
             */
            url?: string | null;
        };
        NewPanelist: {
            /**
             * @description Your own id for this person: unique in your account, 1 to 200 characters. `null` for none.
             * @default null
             */
            externalId?: string | null;
            /**
             * @description The name that other panelists see beside what this panelist writes: 1 to 100 characters. `null`, the default, for none.
             * @default null
             */
            displayName?: string | null;
            /**
             * @description `false` revokes all tokens of the panelist, and no new ones can be issued. The default is `true`.
             * @default true
             */
            active?: boolean;
        };
        NewProposal: {
            /** @description The title: one line of 1 to 200 characters. */
            title: string;
            /** @description The description: at most 10,000 characters. Line breaks are kept. */
            description?: string;
            /**
             * @description The status. `implemented` puts a public proposal into the changelog. Any change is allowed. The default is `submitted`.
             * @enum {string}
             */
            status?: "submitted" | "under-review" | "planned" | "in-progress" | "implemented" | "declined";
            /**
             * @description `public`: every panelist sees it. `pending`: its author and you see it. `hidden`: only you see it. The default is `public`.
             * @enum {string}
             */
            visibility?: "public" | "pending" | "hidden";
            /** @description Your official response, or `null`. */
            response?: components["schemas"]["NewResponse"] | null;
            /** @description Up to 5 different tags of 1 to 32 visible characters. Panelists see them. Tags that differ only in case are one tag. An idea bank has at most 200. */
            tags?: string[];
            /** @description Up to 16 pairs of texts, 4 KiB as JSON: names of 1 to 64 visible characters, values of at most 1,000. Panelists never see them. The pairs that you send replace all of them. */
            metadata?: {
                [key: string]: string;
            };
            /** @description Your own id for the proposal, unique in its idea bank: 1 to 255 visible characters, or `null`. Panelists never see it. */
            externalId?: string | null;
            /**
             * Format: date-time
             * @description For imports: when it was created, in ISO 8601 and not in the future. It is `lastActivityAt`, too, and the time of the response. An update does not change it.
             */
            createdAt?: string;
            /** @description The panelist for whom you act, by identifier. It becomes the author. An update does not change it. */
            panelistId?: string;
            /** @description The same, by your own `externalId` for the person. The panelist must exist. Needs the scope `panelists:read`, too. */
            panelistExternalId?: string;
        };
        NewResponse: {
            /** @description The text: 1 to 10,000 characters. Line breaks are kept. */
            text: string;
        };
        NewSurvey: {
            /** @description The title: one line of 1 to 200 characters. */
            title: string;
            /**
             * @description The description: at most 10,000 characters. Line breaks are kept.
             * @default
             */
            description?: string;
            /**
             * @description `DRAFT` until it is published, then `OPEN`, then `CLOSED`. Answers are taken by the service at `url`, not here.
             * @default DRAFT
             * @enum {string}
             */
            status?: "DRAFT" | "OPEN" | "CLOSED";
            /**
             * @description Where the survey is answered: an `https` address of at most 2,000 characters, or `null`.
             * @default null
             */
            url?: string | null;
            /**
             * @description Your own id for it: 1 to 255 visible characters, or `null`.
             * @default null
             */
            externalId?: string | null;
        };
        NewVote: {
            /** @description The panelist for whom you act, by identifier. */
            panelistId?: string;
            /** @description The same, by your own `externalId` for the person. The panelist must exist. Needs the scope `panelists:read`, too. */
            panelistExternalId?: string;
        };
        NewVotes: {
            /** @description 1 to 100 panelists. All of them vote, or none. */
            voters: components["schemas"]["NewVote"][];
        };
        OfficialResponse: {
            /** @description The text: 1 to 10,000 characters. Line breaks are kept. */
            text: string;
            /**
             * Format: date-time
             * @description When it was given or last changed: ISO 8601, UTC, with milliseconds.
             */
            respondedAt: string;
        };
        /** @description A change of a type that was added later: ignore it. */
        OtherChange: {
            /** @description What happened. New types can be added: ignore those that you do not know. */
            type: string;
            /**
             * Format: date-time
             * @description When it happened: ISO 8601, UTC, with milliseconds. The order of changes is that of the list, whatever their times.
             */
            at: string;
            /** @description `panelist` for a panelist's request; `system` for what followed later from another change; else `tenant`, also for the comments that a deletion takes away later. */
            by: string;
            /** @description The API key that did it. `null` for members, panelists and the service, for what followed later from a request, for what was recorded before 1.1.0, and for a panelist who was created with a token. */
            apiKeyId: string | null;
            /** @description The idea bank that has changed, or that the proposal is or was in. */
            ideaBankId?: string;
            /** @description The proposal that has changed, or that the comment is or was on. */
            proposalId?: string;
            /** @description The comment that has changed. */
            commentId?: string;
            /** @description The panelist that has changed, or for whom you have created the proposal or written the comment. */
            panelistId?: string;
            /** @description The survey that has changed. */
            surveyId?: string;
            /** @description Of a change of an idea bank: the idea bank as it is now, or `null` when it is gone. */
            ideaBank?: components["schemas"]["IdeaBank"] | null;
            /** @description Of a change of a proposal or of a comment: the proposal as it is now, or `null` when it is gone. */
            proposal?: components["schemas"]["Proposal"] | null;
            /** @description Of a change of a comment: the comment as it is now, or `null` when it is gone. */
            comment?: components["schemas"]["Comment"] | null;
            /** @description Of a change of a panelist: the panelist as it is now, or `null` when it is gone. Absent when the key lacks the scope `panelists:read`. */
            panelist?: components["schemas"]["Panelist"] | null;
            /** @description Of a change of a survey: the survey as it is now, or `null` when it is gone. Absent when the key lacks the scope `surveys:read`. */
            survey?: components["schemas"]["Survey"] | null;
        };
        Panelist: {
            /** @description The panelist's identifier. */
            id: string;
            /** @description Your own id for this person: unique in your account, 1 to 200 characters. `null` for none. */
            externalId: string | null;
            /** @description The name that other panelists see beside what this panelist writes: 1 to 100 characters. `null`, the default, for none. */
            displayName: string | null;
            /** @description `false` revokes all tokens of the panelist, and no new ones can be issued. The default is `true`. */
            active: boolean;
            /**
             * Format: date-time
             * @description When the panelist was created: ISO 8601, UTC, with milliseconds.
             */
            createdAt: string;
        };
        PanelistChange: {
            /**
             * @description What happened. New types can be added: ignore those that you do not know.
             * @enum {string}
             */
            type: "panelist.created" | "panelist.updated" | "panelist.deleted";
            /**
             * Format: date-time
             * @description When it happened: ISO 8601, UTC, with milliseconds. The order of changes is that of the list, whatever their times.
             */
            at: string;
            /** @description `panelist` for a panelist's request; `system` for what followed later from another change; else `tenant`, also for the comments that a deletion takes away later. */
            by: string;
            /** @description The API key that did it. `null` for members, panelists and the service, for what followed later from a request, for what was recorded before 1.1.0, and for a panelist who was created with a token. */
            apiKeyId: string | null;
            /** @description The panelist that has changed, or for whom you have created the proposal or written the comment. */
            panelistId: string;
            /** @description Of a change of a panelist: the panelist as it is now, or `null` when it is gone. Absent when the key lacks the scope `panelists:read`. */
            panelist?: components["schemas"]["Panelist"] | null;
        };
        PanelistChanges: {
            /** @description Your own id for this person: unique in your account, 1 to 200 characters. `null` for none. */
            externalId?: string | null;
            /** @description The name that other panelists see beside what this panelist writes: 1 to 100 characters. `null`, the default, for none. */
            displayName?: string | null;
            /** @description `false` revokes all tokens of the panelist, and no new ones can be issued. The default is `true`. */
            active?: boolean;
        };
        PanelistIds: {
            /** @description The panelists' identifiers, in the order of your list. */
            ids: string[];
            /** @description How many of them are new. */
            created: number;
        };
        PanelistPage: {
            /** @description The items of this page, in the list's order. */
            items: components["schemas"]["Panelist"][];
            /** @description Send it as `cursor` for the next page. Absent on the last page. */
            nextCursor?: string;
        };
        PanelistVote: {
            /** @description The proposal's idea bank. */
            ideaBankId: string;
            /** @description The proposal that the panelist votes for. */
            proposalId: string;
            /** @description The proposal's title. */
            title: string;
            /**
             * Format: date-time
             * @description When the panelist voted: ISO 8601, UTC, with milliseconds.
             */
            at: string;
        };
        PanelistVotePage: {
            /** @description The items of this page, in the list's order. */
            items: components["schemas"]["PanelistVote"][];
            /** @description Send it as `cursor` for the next page. Absent on the last page. */
            nextCursor?: string;
        };
        Proposal: {
            /** @description The proposal's identifier. */
            id: string;
            /** @description The title: one line of 1 to 200 characters. */
            title: string;
            /** @description The description: at most 10,000 characters. Line breaks are kept. */
            description: string;
            /** @description The status. `implemented` puts a public proposal into the changelog. Any change is allowed. The default is `submitted`. */
            status: string;
            /** @description `public`: every panelist sees it. `pending`: its author and you see it. `hidden`: only you see it. The default is `public`. */
            visibility: string;
            /** @description How many panelists vote for it. A merged proposal has none: its votes have moved to its target. */
            votes: number;
            /** @description How many comments it has. */
            comments: number;
            /** @description The panelist who submitted it. `null` if you created it, or once the panelist has been deleted. */
            panelistId: string | null;
            /** @description Your official response, or `null`. */
            response: components["schemas"]["OfficialResponse"] | null;
            /** @description The proposal that this one was merged into, or `null`. */
            duplicateOf: string | null;
            /** @description `true` while votes move from a merged proposal to its target. Until then, `votes` counts what each of them has now. */
            merging: boolean;
            /** @description Up to 5 different tags of 1 to 32 visible characters. Panelists see them. Tags that differ only in case are one tag. An idea bank has at most 200. */
            tags: string[];
            /** @description Your own id for the proposal, unique in its idea bank: 1 to 255 visible characters, or `null`. Panelists never see it. */
            externalId: string | null;
            /** @description Up to 16 pairs of texts, 4 KiB as JSON: names of 1 to 64 visible characters, values of at most 1,000. Panelists never see them. The pairs that you send replace all of them. */
            metadata: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @description When it was created: ISO 8601, UTC, with milliseconds.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Its last edit, change of status, official response or comment: ISO 8601, UTC, with milliseconds. A vote, a comment on an implemented proposal and a `minor` change are not activity.
             */
            lastActivityAt: string;
        };
        ProposalChange: {
            /**
             * @description What happened. New types can be added: ignore those that you do not know.
             * @enum {string}
             */
            type: "proposal.created" | "proposal.updated" | "proposal.status-changed" | "proposal.merged" | "proposal.deleted";
            /**
             * Format: date-time
             * @description When it happened: ISO 8601, UTC, with milliseconds. The order of changes is that of the list, whatever their times.
             */
            at: string;
            /** @description `panelist` for a panelist's request; `system` for what followed later from another change; else `tenant`, also for the comments that a deletion takes away later. */
            by: string;
            /** @description The API key that did it. `null` for members, panelists and the service, for what followed later from a request, for what was recorded before 1.1.0, and for a panelist who was created with a token. */
            apiKeyId: string | null;
            /** @description The idea bank that has changed, or that the proposal is or was in. */
            ideaBankId: string;
            /** @description The proposal that has changed, or that the comment is or was on. */
            proposalId: string;
            /** @description Of a change of a proposal or of a comment: the proposal as it is now, or `null` when it is gone. */
            proposal: components["schemas"]["Proposal"] | null;
            /** @description The panelist that has changed, or for whom you have created the proposal or written the comment. */
            panelistId?: string;
        };
        ProposalChanges: {
            /** @description The title: one line of 1 to 200 characters. */
            title?: string;
            /** @description The description: at most 10,000 characters. Line breaks are kept. */
            description?: string;
            /**
             * @description The status. `implemented` puts a public proposal into the changelog. Any change is allowed. The default is `submitted`.
             * @enum {string}
             */
            status?: "submitted" | "under-review" | "planned" | "in-progress" | "implemented" | "declined";
            /**
             * @description `public`: every panelist sees it. `pending`: its author and you see it. `hidden`: only you see it. The default is `public`.
             * @enum {string}
             */
            visibility?: "public" | "pending" | "hidden";
            /** @description Your official response. `null` removes it. */
            response?: components["schemas"]["NewResponse"] | null;
            /** @description Up to 5 different tags of 1 to 32 visible characters. Panelists see them. Tags that differ only in case are one tag. An idea bank has at most 200. */
            tags?: string[];
            /** @description Up to 16 pairs of texts, 4 KiB as JSON: names of 1 to 64 visible characters, values of at most 1,000. Panelists never see them. The pairs that you send replace all of them. */
            metadata?: {
                [key: string]: string;
            };
            /** @description Your own id for the proposal, unique in its idea bank: 1 to 255 visible characters, or `null`. Panelists never see it. */
            externalId?: string | null;
            /** @description `true`: a correction, which is no activity. `lastActivityAt` stays, and with it the place in the changelog. */
            minor?: boolean;
        };
        ProposalPage: {
            /** @description The items of this page, in the list's order. */
            items: components["schemas"]["Proposal"][];
            /** @description Send it as `cursor` for the next page. Absent on the last page. */
            nextCursor?: string;
        };
        ProposalUpsert: {
            /** @description The title: one line of 1 to 200 characters. */
            title: string;
            /** @description The description: at most 10,000 characters. Line breaks are kept. */
            description?: string;
            /**
             * @description The status. `implemented` puts a public proposal into the changelog. Any change is allowed. The default is `submitted`.
             * @enum {string}
             */
            status?: "submitted" | "under-review" | "planned" | "in-progress" | "implemented" | "declined";
            /**
             * @description `public`: every panelist sees it. `pending`: its author and you see it. `hidden`: only you see it. The default is `public`.
             * @enum {string}
             */
            visibility?: "public" | "pending" | "hidden";
            /** @description Your official response, or `null`. */
            response?: components["schemas"]["NewResponse"] | null;
            /** @description Up to 5 different tags of 1 to 32 visible characters. Panelists see them. Tags that differ only in case are one tag. An idea bank has at most 200. */
            tags?: string[];
            /** @description Up to 16 pairs of texts, 4 KiB as JSON: names of 1 to 64 visible characters, values of at most 1,000. Panelists never see them. The pairs that you send replace all of them. */
            metadata?: {
                [key: string]: string;
            };
            /** @description `true`: a correction, which is no activity. `lastActivityAt` stays, and with it the place in the changelog. It is about a change, not about a creation. */
            minor?: boolean;
            /**
             * Format: date-time
             * @description For imports: when it was created, in ISO 8601 and not in the future. It is `lastActivityAt`, too, and the time of the response. An update does not change it.
             */
            createdAt?: string;
            /** @description The panelist for whom you act, by identifier. It becomes the author. An update does not change it. */
            panelistId?: string;
            /** @description The same, by your own `externalId` for the person. The panelist must exist. Needs the scope `panelists:read`, too. */
            panelistExternalId?: string;
        };
        PutPanelistsArguments: components["schemas"]["KnownPeople"];
        PutVoteArguments: {
            /** @description The identifier of the idea bank. */
            ideaBankId: string;
            /** @description The identifier of the proposal. */
            proposalId: string;
            /** @description The identifier of the panelist. */
            panelistId: string;
        };
        PutVotesArguments: {
            /** @description The identifier of the idea bank. */
            ideaBankId: string;
            /** @description The identifier of the proposal. */
            proposalId: string;
        } & components["schemas"]["NewVotes"];
        RevokeTokensArguments: {
            /** @description The identifier of the panelist. */
            panelistId: string;
        };
        RevokeTokensOfArguments: components["schemas"]["TokenRevocation"];
        RotateSigningSecretArguments: {
            /** @description The identifier of the idea bank. */
            ideaBankId: string;
        } & components["schemas"]["SecretRotation"];
        SecretRotation: {
            /**
             * @description How long the secret before is good, in seconds: up to 604,800 (7 days). The default is 172,800 (2 days), enough for servers that read the secret once a day. With 0 every earlier secret is refused at once.
             * @default 172800
             */
            graceSeconds?: number;
        };
        SigningSecret: {
            /** @description Goes into the header of each token that is signed with this secret. */
            kid: string;
            /** @description The key of HS256: the bytes of this whole text. Nobody but your server may know it. */
            secret: string;
            /** @description Until when an earlier secret is good: ISO 8601, UTC. `null` when none is. */
            previousUntil: string | null;
        };
        Survey: {
            /** @description The survey's identifier. */
            id: string;
            /** @description The title: one line of 1 to 200 characters. */
            title: string;
            /** @description The description: at most 10,000 characters. Line breaks are kept. */
            description: string;
            /** @description `DRAFT` until it is published, then `OPEN`, then `CLOSED`. Answers are taken by the service at `url`, not here. */
            status: string;
            /** @description Where the survey is answered: an `https` address of at most 2,000 characters, or `null`. */
            url: string | null;
            /** @description Your own id for it: 1 to 255 visible characters, or `null`. */
            externalId: string | null;
            /**
             * Format: date-time
             * @description When it was created: ISO 8601, UTC, with milliseconds.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it was last changed: ISO 8601, UTC, with milliseconds.
             */
            updatedAt: string;
        };
        SurveyChange: {
            /**
             * @description What happened. New types can be added: ignore those that you do not know.
             * @enum {string}
             */
            type: "survey.created" | "survey.updated" | "survey.deleted";
            /**
             * Format: date-time
             * @description When it happened: ISO 8601, UTC, with milliseconds. The order of changes is that of the list, whatever their times.
             */
            at: string;
            /** @description `panelist` for a panelist's request; `system` for what followed later from another change; else `tenant`, also for the comments that a deletion takes away later. */
            by: string;
            /** @description The API key that did it. `null` for members, panelists and the service, for what followed later from a request, for what was recorded before 1.1.0, and for a panelist who was created with a token. */
            apiKeyId: string | null;
            /** @description The survey that has changed. */
            surveyId: string;
            /** @description Of a change of a survey: the survey as it is now, or `null` when it is gone. Absent when the key lacks the scope `surveys:read`. */
            survey?: components["schemas"]["Survey"] | null;
        };
        SurveyChanges: {
            /** @description The title: one line of 1 to 200 characters. */
            title?: string;
            /** @description The description: at most 10,000 characters. Line breaks are kept. */
            description?: string;
            /**
             * @description `DRAFT` until it is published, then `OPEN`, then `CLOSED`. Answers are taken by the service at `url`, not here.
             * @enum {string}
             */
            status?: "DRAFT" | "OPEN" | "CLOSED";
            /** @description Where the survey is answered: an `https` address of at most 2,000 characters, or `null`. */
            url?: string | null;
            /** @description Your own id for it: 1 to 255 visible characters, or `null`. */
            externalId?: string | null;
        };
        SurveyPage: {
            /** @description The items of this page, in the list's order. */
            items: components["schemas"]["Survey"][];
            /** @description Send it as `cursor` for the next page. Absent on the last page. */
            nextCursor?: string;
        };
        TenantComment: {
            /** @description The text: 1 to 10,000 characters. Line breaks are kept. */
            body: string;
            /**
             * Format: date-time
             * @description For imports: when it was written, in ISO 8601 and not in the future.
             */
            createdAt?: string;
            /** @description The panelist for whom you act, by identifier. Without one the comment is your own. */
            panelistId?: string;
            /** @description The same, by your own `externalId` for the person. The panelist must exist. Needs the scope `panelists:read`, too. */
            panelistExternalId?: string;
        };
        TenantComments: {
            /** @description 1 to 100 comments. All of them are written, or none. */
            comments: components["schemas"]["TenantComment"][];
        };
        /** @description Names the panelist by exactly one of `panelistId` and `externalId`, or is for a visitor. */
        TokenRequest: {
            /** @description The identifier of one of your panelists. */
            panelistId?: string;
            /** @description Your own id for the person. The panelist is created if it is new. */
            externalId?: string;
            /** @description Sets the panelist's display name. `null` removes it. Without this field the name does not change. */
            displayName?: string | null;
            /**
             * @description `true`: a token for everybody who is not signed in. It only reads.
             * @constant
             */
            visitor?: true;
            /** @description How long the token is valid, in seconds: 60 to 7,776,000 (90 days), by default 86,400 (24 h). A visitor's: up to 31,622,400 (366 days), which is its default. */
            lifetimeSeconds?: number;
        } & (unknown | unknown | unknown);
        TokenRevocation: {
            /** @description Your own id for the person. */
            externalId: string;
        };
        UpdateCommentArguments: {
            /** @description The identifier of the idea bank. */
            ideaBankId: string;
            /** @description The identifier of the proposal. */
            proposalId: string;
            /** @description The identifier of the comment. */
            commentId: string;
        } & components["schemas"]["NewComment"];
        UpdateIdeaBankArguments: {
            /** @description The identifier of the idea bank. */
            ideaBankId: string;
        } & components["schemas"]["IdeaBankChanges"];
        UpdatePanelistArguments: {
            /** @description The identifier of the panelist. */
            panelistId: string;
        } & components["schemas"]["PanelistChanges"];
        UpdateProposalArguments: {
            /** @description The identifier of the idea bank. */
            ideaBankId: string;
            /** @description The identifier of the proposal. */
            proposalId: string;
        } & components["schemas"]["ProposalChanges"];
        UpdateSurveyArguments: {
            /** @description The identifier of the survey. */
            surveyId: string;
        } & components["schemas"]["SurveyChanges"];
        UpsertProposalArguments: {
            /** @description The identifier of the idea bank. */
            ideaBankId: string;
            /** @description Your own id for it, percent-encoded. */
            externalId: string;
        } & components["schemas"]["ProposalUpsert"];
        VoteCount: {
            /** @description How many panelists vote for it now. */
            votes: number;
        };
        VoteForArguments: {
            /** @description The identifier of the idea bank. */
            ideaBankId: string;
            /** @description The identifier of the proposal. */
            proposalId: string;
        } & components["schemas"]["NewVote"];
        VoteState: {
            /** @description Whether the token's panelist votes for the proposal now. */
            voted: boolean;
            /** @description How many panelists vote for it now. */
            votes: number;
        };
        Voter: {
            /** @description The panelist. */
            panelistId: string;
            /** @description Your own id for the person, or `null`. Always `null` when the key lacks the scope `panelists:read`. */
            externalId: string | null;
            /** @description The panelist's display name, or `null`. Always `null` when the key lacks the scope `panelists:read`. */
            displayName: string | null;
            /**
             * Format: date-time
             * @description When the panelist voted: ISO 8601, UTC, with milliseconds.
             */
            at: string;
        };
        VoterPage: {
            /** @description The items of this page, in the list's order. */
            items: components["schemas"]["Voter"][];
            /** @description Send it as `cursor` for the next page. Absent on the last page. */
            nextCursor?: string;
        };
    };
}
export type ApiKeyIdentity = components['schemas']['ApiKeyIdentity'];
export type Change = components['schemas']['Change'];
export type ChangePage = components['schemas']['ChangePage'];
export type ClaimFault = components['schemas']['ClaimFault'];
export type Comment = components['schemas']['Comment'];
export type CommentChange = components['schemas']['CommentChange'];
export type CommentPage = components['schemas']['CommentPage'];
export type CreateCommentArguments = components['schemas']['CreateCommentArguments'];
export type CreateCommentsArguments = components['schemas']['CreateCommentsArguments'];
export type CreateIdeaBankArguments = components['schemas']['CreateIdeaBankArguments'];
export type CreatePanelistArguments = components['schemas']['CreatePanelistArguments'];
export type CreateProposalArguments = components['schemas']['CreateProposalArguments'];
export type CreateSurveyArguments = components['schemas']['CreateSurveyArguments'];
export type DeleteCommentArguments = components['schemas']['DeleteCommentArguments'];
export type DeleteIdeaBankArguments = components['schemas']['DeleteIdeaBankArguments'];
export type DeletePanelistArguments = components['schemas']['DeletePanelistArguments'];
export type DeleteProposalArguments = components['schemas']['DeleteProposalArguments'];
export type DeleteSurveyArguments = components['schemas']['DeleteSurveyArguments'];
export type DeleteVoteArguments = components['schemas']['DeleteVoteArguments'];
export type EndVisitorTokensArguments = components['schemas']['EndVisitorTokensArguments'];
export type GetIdeaBankArguments = components['schemas']['GetIdeaBankArguments'];
export type GetPanelistArguments = components['schemas']['GetPanelistArguments'];
export type GetProposalArguments = components['schemas']['GetProposalArguments'];
export type GetSigningSecretArguments = components['schemas']['GetSigningSecretArguments'];
export type GetSurveyArguments = components['schemas']['GetSurveyArguments'];
export type IdeaBank = components['schemas']['IdeaBank'];
export type IdeaBankChange = components['schemas']['IdeaBankChange'];
export type IdeaBankChanges = components['schemas']['IdeaBankChanges'];
export type IdeaBankPage = components['schemas']['IdeaBankPage'];
export type IntrospectTokenArguments = components['schemas']['IntrospectTokenArguments'];
export type Introspection = components['schemas']['Introspection'];
export type IntrospectionRequest = components['schemas']['IntrospectionRequest'];
export type IssueTokenArguments = components['schemas']['IssueTokenArguments'];
export type IssuedToken = components['schemas']['IssuedToken'];
export type KnownPeople = components['schemas']['KnownPeople'];
export type KnownPerson = components['schemas']['KnownPerson'];
export type ListChangesArguments = components['schemas']['ListChangesArguments'];
export type ListCommentsArguments = components['schemas']['ListCommentsArguments'];
export type ListIdeaBankCommentsArguments = components['schemas']['ListIdeaBankCommentsArguments'];
export type ListIdeaBanksArguments = components['schemas']['ListIdeaBanksArguments'];
export type ListPanelistsArguments = components['schemas']['ListPanelistsArguments'];
export type ListProposalsArguments = components['schemas']['ListProposalsArguments'];
export type ListSurveysArguments = components['schemas']['ListSurveysArguments'];
export type ListVotesArguments = components['schemas']['ListVotesArguments'];
export type ListVotesOfPanelistArguments = components['schemas']['ListVotesOfPanelistArguments'];
export type Merge = components['schemas']['Merge'];
export type MergeProposalArguments = components['schemas']['MergeProposalArguments'];
export type NewComment = components['schemas']['NewComment'];
export type NewComments = components['schemas']['NewComments'];
export type NewIdeaBank = components['schemas']['NewIdeaBank'];
export type NewPanelist = components['schemas']['NewPanelist'];
export type NewProposal = components['schemas']['NewProposal'];
export type NewResponse = components['schemas']['NewResponse'];
export type NewSurvey = components['schemas']['NewSurvey'];
export type NewVote = components['schemas']['NewVote'];
export type NewVotes = components['schemas']['NewVotes'];
export type OfficialResponse = components['schemas']['OfficialResponse'];
export type OtherChange = components['schemas']['OtherChange'];
export type Panelist = components['schemas']['Panelist'];
export type PanelistChange = components['schemas']['PanelistChange'];
export type PanelistChanges = components['schemas']['PanelistChanges'];
export type PanelistIds = components['schemas']['PanelistIds'];
export type PanelistPage = components['schemas']['PanelistPage'];
export type PanelistVote = components['schemas']['PanelistVote'];
export type PanelistVotePage = components['schemas']['PanelistVotePage'];
export type Proposal = components['schemas']['Proposal'];
export type ProposalChange = components['schemas']['ProposalChange'];
export type ProposalChanges = components['schemas']['ProposalChanges'];
export type ProposalPage = components['schemas']['ProposalPage'];
export type ProposalUpsert = components['schemas']['ProposalUpsert'];
export type PutPanelistsArguments = components['schemas']['PutPanelistsArguments'];
export type PutVoteArguments = components['schemas']['PutVoteArguments'];
export type PutVotesArguments = components['schemas']['PutVotesArguments'];
export type RevokeTokensArguments = components['schemas']['RevokeTokensArguments'];
export type RevokeTokensOfArguments = components['schemas']['RevokeTokensOfArguments'];
export type RotateSigningSecretArguments = components['schemas']['RotateSigningSecretArguments'];
export type SecretRotation = components['schemas']['SecretRotation'];
export type SigningSecret = components['schemas']['SigningSecret'];
export type Survey = components['schemas']['Survey'];
export type SurveyChange = components['schemas']['SurveyChange'];
export type SurveyChanges = components['schemas']['SurveyChanges'];
export type SurveyPage = components['schemas']['SurveyPage'];
export type TenantComment = components['schemas']['TenantComment'];
export type TenantComments = components['schemas']['TenantComments'];
export type TokenRequest = components['schemas']['TokenRequest'];
export type TokenRevocation = components['schemas']['TokenRevocation'];
export type UpdateCommentArguments = components['schemas']['UpdateCommentArguments'];
export type UpdateIdeaBankArguments = components['schemas']['UpdateIdeaBankArguments'];
export type UpdatePanelistArguments = components['schemas']['UpdatePanelistArguments'];
export type UpdateProposalArguments = components['schemas']['UpdateProposalArguments'];
export type UpdateSurveyArguments = components['schemas']['UpdateSurveyArguments'];
export type UpsertProposalArguments = components['schemas']['UpsertProposalArguments'];
export type VoteCount = components['schemas']['VoteCount'];
export type VoteForArguments = components['schemas']['VoteForArguments'];
export type VoteState = components['schemas']['VoteState'];
export type Voter = components['schemas']['Voter'];
export type VoterPage = components['schemas']['VoterPage'];

/** A method for each operation of the tenant API. Its arguments are the names in its path, its query and its body, side by side. */
export abstract class TenantApi {
  protected abstract send<Answer>(endpoint: Endpoint, given: object, options?: CallOptions): Promise<Answer>;
  protected abstract list<Item>(endpoint: Endpoint, given: object, options?: CallOptions): AsyncGenerator<Item>;

  /** Check an API key. Returns the key's identifier. Needs no scope. */
  whoami(given: NoArguments = {}, options?: CallOptions): Promise<ApiKeyIdentity> {
    return this.send({"method":"GET","path":"/tenant/whoami"}, given, options);
  }

  /** List surveys. Newest first. Needs the scope `surveys:read`. */
  listSurveys(given: ListSurveysArguments = {}, options?: CallOptions): AsyncGenerator<SurveyPage["items"][number]> {
    return this.list({"method":"GET","path":"/tenant/surveys","query":["limit","cursor"]}, given, options);
  }

  /** Create a survey. Needs the scope `surveys:write`. */
  createSurvey(given: CreateSurveyArguments, options?: CallOptions): Promise<Survey> {
    return this.send({"method":"POST","path":"/tenant/surveys","hasBody":true,"takesKey":true}, given, options);
  }

  /** Read a survey. Needs the scope `surveys:read`. */
  getSurvey(given: GetSurveyArguments, options?: CallOptions): Promise<Survey> {
    return this.send({"method":"GET","path":"/tenant/surveys/{surveyId}"}, given, options);
  }

  /** Change a survey. Fields that are not sent stay as they are. Needs the scope `surveys:write`. */
  updateSurvey(given: UpdateSurveyArguments, options?: CallOptions): Promise<Survey> {
    return this.send({"method":"PATCH","path":"/tenant/surveys/{surveyId}","hasBody":true}, given, options);
  }

  /** Delete a survey. Needs the scope `surveys:write`. */
  deleteSurvey(given: DeleteSurveyArguments, options?: CallOptions): Promise<void> {
    return this.send({"method":"DELETE","path":"/tenant/surveys/{surveyId}","takesKey":true}, given, options);
  }

  /** List idea banks. Newest first. Needs the scope `ideabanks:read`. */
  listIdeaBanks(given: ListIdeaBanksArguments = {}, options?: CallOptions): AsyncGenerator<IdeaBankPage["items"][number]> {
    return this.list({"method":"GET","path":"/tenant/ideabanks","query":["limit","cursor","status"]}, given, options);
  }

  /** Create an idea bank. By default it is a draft with its changelog off. Needs the scope `ideabanks:write`. */
  createIdeaBank(given: CreateIdeaBankArguments, options?: CallOptions): Promise<IdeaBank> {
    return this.send({"method":"POST","path":"/tenant/ideabanks","hasBody":true,"takesKey":true}, given, options);
  }

  /** Read an idea bank. Needs the scope `ideabanks:read`. */
  getIdeaBank(given: GetIdeaBankArguments, options?: CallOptions): Promise<IdeaBank> {
    return this.send({"method":"GET","path":"/tenant/ideabanks/{ideaBankId}"}, given, options);
  }

  /** Change an idea bank. Fields that are not sent stay as they are. Any status but `OPEN` closes the idea bank to panelists. Needs the scope `ideabanks:write`. */
  updateIdeaBank(given: UpdateIdeaBankArguments, options?: CallOptions): Promise<IdeaBank> {
    return this.send({"method":"PATCH","path":"/tenant/ideabanks/{ideaBankId}","hasBody":true}, given, options);
  }

  /** Delete an idea bank. Deletes its proposals and their comments too. Needs the scope `ideabanks:write`. */
  deleteIdeaBank(given: DeleteIdeaBankArguments, options?: CallOptions): Promise<void> {
    return this.send({"method":"DELETE","path":"/tenant/ideabanks/{ideaBankId}","takesKey":true}, given, options);
  }

  /** List an idea bank's proposals. Newest first, without merged ones. `externalId` finds a merged one, too. Needs the scope `ideabanks:read`. */
  listProposals(given: ListProposalsArguments, options?: CallOptions): AsyncGenerator<ProposalPage["items"][number]> {
    return this.list({"method":"GET","path":"/tenant/ideabanks/{ideaBankId}/proposals","query":["limit","cursor","sort","status","visibility","tag","externalId","panelistId","q"]}, given, options);
  }

  /** Create a proposal. Your own, or for a panelist. Only the key's scopes apply: the idea bank may be closed, and submissions may be off. Needs the scope `ideabanks:write`. */
  createProposal(given: CreateProposalArguments, options?: CallOptions): Promise<Proposal> {
    return this.send({"method":"POST","path":"/tenant/ideabanks/{ideaBankId}/proposals","hasBody":true,"takesKey":true}, given, options);
  }

  /** Create or change a proposal by your own id. 201 if it created the proposal, 200 if it changed it; then fields that are not sent stay as they are. Sending the same again changes nothing. Two requests at the same time give one proposal. Use it for imports, and for a sync that runs every night. Needs the scope `ideabanks:write`. */
  upsertProposal(given: UpsertProposalArguments, options?: CallOptions): Promise<Proposal> {
    return this.send({"method":"PUT","path":"/tenant/ideabanks/{ideaBankId}/proposals/by-external-id/{externalId}","hasBody":true}, given, options);
  }

  /** Read a proposal. Needs the scope `ideabanks:read`. */
  getProposal(given: GetProposalArguments, options?: CallOptions): Promise<Proposal> {
    return this.send({"method":"GET","path":"/tenant/ideabanks/{ideaBankId}/proposals/{proposalId}"}, given, options);
  }

  /** Change a proposal. Fields that are not sent stay as they are. An edit, a change of status or an official response is activity. A public proposal that becomes `implemented` appears in the changelog. Needs the scope `ideabanks:write`. */
  updateProposal(given: UpdateProposalArguments, options?: CallOptions): Promise<Proposal> {
    return this.send({"method":"PATCH","path":"/tenant/ideabanks/{ideaBankId}/proposals/{proposalId}","hasBody":true}, given, options);
  }

  /** Delete a proposal. Also deletes its votes, its comments and the proposals that were merged into it. You cannot access them after the answer. If there are many, they are deleted within minutes. Needs the scope `ideabanks:write`. */
  deleteProposal(given: DeleteProposalArguments, options?: CallOptions): Promise<void> {
    return this.send({"method":"DELETE","path":"/tenant/ideabanks/{ideaBankId}/proposals/{proposalId}","takesKey":true}, given, options);
  }

  /** Merge a proposal into another. Moves the votes, each panelist counted once, and returns the proposal that stays. The merged proposal keeps its comments, names the other in `duplicateOf` and is not in lists. A merge is final. Repeating it changes nothing. The first 50 votes move at once and the rest within minutes; until then, `merging` is `true`. While 20 such merges are in progress in an idea bank, another is refused: 409 with `Retry-After`. Needs the scope `ideabanks:write`. */
  mergeProposal(given: MergeProposalArguments, options?: CallOptions): Promise<Proposal> {
    return this.send({"method":"POST","path":"/tenant/ideabanks/{ideaBankId}/proposals/{proposalId}/merge","hasBody":true}, given, options);
  }

  /** List an idea bank's comments. Comments on all its proposals, newest first: for copies, and to find what one person wrote. A page may have fewer items than `limit`. Needs the scope `ideabanks:read`. */
  listIdeaBankComments(given: ListIdeaBankCommentsArguments, options?: CallOptions): AsyncGenerator<CommentPage["items"][number]> {
    return this.list({"method":"GET","path":"/tenant/ideabanks/{ideaBankId}/comments","query":["limit","cursor","panelistId"]}, given, options);
  }

  /** List a proposal's comments. Newest first. Needs the scope `ideabanks:read`. */
  listComments(given: ListCommentsArguments, options?: CallOptions): AsyncGenerator<CommentPage["items"][number]> {
    return this.list({"method":"GET","path":"/tenant/ideabanks/{ideaBankId}/proposals/{proposalId}/comments","query":["limit","cursor"]}, given, options);
  }

  /** Comment on a proposal. As the tenant, or for a panelist. Only the key's scopes apply: the idea bank may be closed, and commenting may be off. A comment is activity. Needs the scope `ideabanks:write`. */
  createComment(given: CreateCommentArguments, options?: CallOptions): Promise<Comment> {
    return this.send({"method":"POST","path":"/tenant/ideabanks/{ideaBankId}/proposals/{proposalId}/comments","hasBody":true,"takesKey":true}, given, options);
  }

  /** Write up to 100 comments. For imports. As the tenant, or for panelists. The request body has at most 64 KiB, so split long comments into several requests. Needs the scope `ideabanks:write`. */
  createComments(given: CreateCommentsArguments, options?: CallOptions): Promise<NewComments> {
    return this.send({"method":"POST","path":"/tenant/ideabanks/{ideaBankId}/proposals/{proposalId}/comments/batch","hasBody":true,"takesKey":true}, given, options);
  }

  /** Edit your comment. Only a comment that you wrote as the tenant. Editing is not activity. Needs the scope `ideabanks:write`. */
  updateComment(given: UpdateCommentArguments, options?: CallOptions): Promise<Comment> {
    return this.send({"method":"PATCH","path":"/tenant/ideabanks/{ideaBankId}/proposals/{proposalId}/comments/{commentId}","hasBody":true}, given, options);
  }

  /** Delete a comment. Needs the scope `ideabanks:write`. */
  deleteComment(given: DeleteCommentArguments, options?: CallOptions): Promise<void> {
    return this.send({"method":"DELETE","path":"/tenant/ideabanks/{ideaBankId}/proposals/{proposalId}/comments/{commentId}","takesKey":true}, given, options);
  }

  /** List what a panelist votes for. Grouped by idea bank, latest vote first. A page may have fewer items than `limit`. Needs the scope `panelists:read`. */
  listVotesOfPanelist(given: ListVotesOfPanelistArguments, options?: CallOptions): AsyncGenerator<PanelistVotePage["items"][number]> {
    return this.list({"method":"GET","path":"/tenant/panelists/{panelistId}/votes","query":["limit","cursor"]}, given, options);
  }

  /** List who votes for a proposal. In the order of the panelists' identifiers, not of time; `at` says when each voted. During a merge, each vote is listed where it is at that moment. Needs the scope `ideabanks:read`. */
  listVotes(given: ListVotesArguments, options?: CallOptions): AsyncGenerator<VoterPage["items"][number]> {
    return this.list({"method":"GET","path":"/tenant/ideabanks/{ideaBankId}/proposals/{proposalId}/votes","query":["limit","cursor"]}, given, options);
  }

  /** Vote for a panelist. The body names the panelist. Repeating it changes nothing. Only the key's scopes apply: the idea bank may be closed, and voting may be off. A merged proposal takes no votes. Needs the scope `ideabanks:write`. */
  voteFor(given: VoteForArguments, options?: CallOptions): Promise<VoteState> {
    return this.send({"method":"POST","path":"/tenant/ideabanks/{ideaBankId}/proposals/{proposalId}/votes","hasBody":true}, given, options);
  }

  /** Vote for up to 100 panelists. For imports. Adds their votes; other votes stay. Repeating it changes nothing. Only the key's scopes apply: the idea bank may be closed, and voting may be off. A merged proposal takes no votes. Needs the scope `ideabanks:write`. */
  putVotes(given: PutVotesArguments, options?: CallOptions): Promise<VoteCount> {
    return this.send({"method":"PUT","path":"/tenant/ideabanks/{ideaBankId}/proposals/{proposalId}/votes","hasBody":true}, given, options);
  }

  /** Vote for the panelist in the path. Repeating it changes nothing. Only the key's scopes apply: the idea bank may be closed, and voting may be off. A merged proposal takes no votes. Needs the scope `ideabanks:write`. */
  putVote(given: PutVoteArguments, options?: CallOptions): Promise<VoteState> {
    return this.send({"method":"PUT","path":"/tenant/ideabanks/{ideaBankId}/proposals/{proposalId}/votes/{panelistId}"}, given, options);
  }

  /** Take a panelist's vote back. Repeating it changes nothing. Only the key's scopes apply: the idea bank may be closed, and voting may be off. A merged proposal takes no votes. Needs the scope `ideabanks:write`. */
  deleteVote(given: DeleteVoteArguments, options?: CallOptions): Promise<VoteState> {
    return this.send({"method":"DELETE","path":"/tenant/ideabanks/{ideaBankId}/proposals/{proposalId}/votes/{panelistId}"}, given, options);
  }

  /** List panelists. Newest first. Needs the scope `panelists:read`. */
  listPanelists(given: ListPanelistsArguments = {}, options?: CallOptions): AsyncGenerator<PanelistPage["items"][number]> {
    return this.list({"method":"GET","path":"/tenant/panelists","query":["limit","cursor","externalId"]}, given, options);
  }

  /** Create a panelist. Needs the scope `panelists:write`. */
  createPanelist(given: CreatePanelistArguments, options?: CallOptions): Promise<Panelist> {
    return this.send({"method":"POST","path":"/tenant/panelists","hasBody":true,"takesKey":true}, given, options);
  }

  /** Create up to 100 panelists. For imports. Creates those who do not exist, and changes nobody. Repeating it changes nothing. Needs the scope `panelists:write`. */
  putPanelists(given: PutPanelistsArguments, options?: CallOptions): Promise<PanelistIds> {
    return this.send({"method":"PUT","path":"/tenant/panelists","hasBody":true}, given, options);
  }

  /** Read a panelist. Needs the scope `panelists:read`. */
  getPanelist(given: GetPanelistArguments, options?: CallOptions): Promise<Panelist> {
    return this.send({"method":"GET","path":"/tenant/panelists/{panelistId}"}, given, options);
  }

  /** Change a panelist. Fields that are not sent stay as they are; `externalId` is not changed. `active: false` revokes all tokens of the panelist. No token is issued until the panelist is active again. Needs the scope `panelists:write`. */
  updatePanelist(given: UpdatePanelistArguments, options?: CallOptions): Promise<Panelist> {
    return this.send({"method":"PATCH","path":"/tenant/panelists/{panelistId}","hasBody":true}, given, options);
  }

  /** Delete a panelist. Revokes all its tokens and removes its votes; many votes are removed within minutes. Its proposals and comments stay, without an author. `?content=delete` deletes them too. Needs the scope `panelists:write`. */
  deletePanelist(given: DeletePanelistArguments, options?: CallOptions): Promise<void> {
    return this.send({"method":"DELETE","path":"/tenant/panelists/{panelistId}","query":["content"],"takesKey":true}, given, options);
  }

  /** Issue a compound token. Names the panelist by `panelistId`, or by `externalId`, your own id for this person. An unknown `externalId` creates the panelist, so no other call is needed. The panelist's client sends the token to the panelist API. With `visitor`, the token is for everybody who is not signed in. It only reads, so it may be in a page. Needs the scope `panelists:write`. */
  issueToken(given: IssueTokenArguments, options?: CallOptions): Promise<IssuedToken> {
    return this.send({"method":"POST","path":"/tenant/ideabanks/{ideaBankId}/tokens","hasBody":true,"takesKey":true}, given, options);
  }

  /** Revoke all of a panelist's tokens. Tokens issued afterwards are valid. Visitors' tokens are not affected. Needs the scope `panelists:write`. */
  revokeTokens(given: RevokeTokensArguments, options?: CallOptions): Promise<void> {
    return this.send({"method":"DELETE","path":"/tenant/panelists/{panelistId}/tokens","takesKey":true}, given, options);
  }

  /** Revoke all of a person's tokens. Names the panelist by `externalId`. An unknown one creates the panelist, because a person who has only read with a token that your server signed is not stored yet. Needs the scope `panelists:write`. */
  revokeTokensOf(given: RevokeTokensOfArguments, options?: CallOptions): Promise<void> {
    return this.send({"method":"POST","path":"/tenant/tokens/revoke","hasBody":true,"takesKey":true}, given, options);
  }

  /** End the visitors' tokens. Ends all existing visitors' tokens of the idea bank. Tokens issued afterwards are valid. Needs the scope `panelists:write`. */
  endVisitorTokens(given: EndVisitorTokensArguments, options?: CallOptions): Promise<void> {
    return this.send({"method":"DELETE","path":"/tenant/ideabanks/{ideaBankId}/visitor-tokens","takesKey":true}, given, options);
  }

  /** Read the secret that your server signs tokens with. With it, your server signs a panelist's token itself, as a JWT, without a call. Read it when the server starts and once a day, because the deployment also rotates its secrets, and a member can end all tokens. The activity records the first time on a day (UTC) that a key reads it. Needs the scope `panelists:write`. */
  getSigningSecret(given: GetSigningSecretArguments, options?: CallOptions): Promise<SigningSecret> {
    return this.send({"method":"GET","path":"/tenant/ideabanks/{ideaBankId}/signing-secret"}, given, options);
  }

  /** Rotate the secret that your server signs tokens with. Returns a new secret. Tokens signed with the earlier one are valid for `graceSeconds` more, and rotating again shortens no grace, unless it is 0. At most 4 earlier secrets are valid at a time: while they are, rotating again replaces the newest. Needs the scope `panelists:write`. */
  rotateSigningSecret(given: RotateSigningSecretArguments, options?: CallOptions): Promise<SigningSecret> {
    return this.send({"method":"POST","path":"/tenant/ideabanks/{ideaBankId}/signing-secret/rotate","hasBody":true,"takesKey":true}, given, options);
  }

  /** Check a token. Returns the content of a valid token of yours, of any kind. For any other, `active` is `false`, with a `reason` if it names an idea bank of yours. Needs the scope `panelists:read`. */
  introspectToken(given: IntrospectTokenArguments, options?: CallOptions): Promise<Introspection> {
    return this.send({"method":"POST","path":"/tenant/tokens/introspect","hasBody":true}, given, options);
  }

  /** Follow the changes. Changes of idea banks, proposals, comments, panelists and surveys after a cursor, oldest first, each with the resource in its current state. Every answer has a `nextCursor`: send it as `after`. An empty page means that there is nothing new. Votes are counts, not changes. Changes are kept for 30 days, and at most 500,000; a cursor that is older is 410 `cursor-expired`. Needs the scope `ideabanks:read`. */
  listChanges(given: ListChangesArguments = {}, options?: CallOptions): Promise<ChangePage> {
    return this.send({"method":"GET","path":"/tenant/changes","query":["limit","after"]}, given, options);
  }
}
