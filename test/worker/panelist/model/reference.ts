/**
 * The reference model: an idea bank as the contract describes it, in plain objects and without a database. What panelists see of
 * it is in `views.ts`.
 */
import type { PanelistProposal } from "../../../../src/worker/model/panelist-proposal.ts";
import type { ProposalStatus, Visibility } from "../../../../src/worker/model/proposal.ts";

export type Panelist = { readonly id: string; name: string | null; deleted: boolean; revocations: number };
/** `dead`: revoked, or its panelist is deleted. */
export type Token = { readonly text: string; readonly panelist: Panelist; dead: boolean };

export type Comment = {
  readonly id: string;
  readonly by: "panelist" | "tenant";
  author: Panelist | null;
  body: string;
  readonly createdAt: number;
};

type Place = Pick<Comment, "id" | "createdAt">;

export type Proposal = {
  readonly id: string;
  readonly by: "panelist" | "tenant";
  author: Panelist | null;
  title: string;
  description: string;
  status: ProposalStatus;
  visibility: Visibility;
  response: PanelistProposal["response"];
  tags: string[];
  mergedInto: Proposal | null;
  /** Each with the time of the vote. */
  readonly voters: Map<Panelist, number>;
  comments: Comment[];
  readonly createdAt: number;
  lastActivityAt: number;
};

export type Settings = {
  name: string;
  status: "DRAFT" | "OPEN" | "CLOSED";
  internal: boolean;
  changelogEnabled: boolean;
  changelogMaxEntries: number;
  submissionsEnabled: boolean;
  votingEnabled: boolean;
  commentsEnabled: boolean;
  approvalRequired: boolean;
};

/** What a request is answered: a status, and the code of a problem or the body of a success. */
export type Answer = { status: number; error?: string; duplicateOf?: string; body?: unknown };
export type Text = { title: string; description: string };
export type Changes = Partial<
  Text & { status: ProposalStatus; visibility: Visibility; response: { text: string } | null }
>;

const refuse = (status: number, error: string): Answer => ({ status, error });
const conflict = ({ id }: Proposal): Answer => ({ status: 409, error: "conflict", duplicateOf: id });
const NOT_THE_TENANTS = refuse(403, "forbidden");

type Surface = "canViewProposals" | "canSubmitProposals" | "canVote" | "canComment";

export class Reference {
  now: number;
  suspended = false;
  readonly settings: Settings;
  readonly panelists: Panelist[] = [];
  readonly tokens: Token[] = [];
  /** Every proposal there ever was; those that were deleted are in `deleted` too. */
  readonly proposals: Proposal[] = [];
  readonly deleted = new Set<Proposal>();

  constructor(now: number, settings: Settings) {
    this.now = now;
    this.settings = settings;
  }

  find = (id: string): Proposal | undefined => this.there().find((proposal) => proposal.id === id);
  there = (): Proposal[] => this.proposals.filter((proposal) => !this.deleted.has(proposal));

  capabilities() {
    const { status, internal, changelogEnabled, submissionsEnabled, votingEnabled, commentsEnabled } = this.settings;
    const open = status === "OPEN" && !this.suspended;
    const seen = open && !internal;
    return {
      canViewChangelog: open && changelogEnabled,
      canViewProposals: seen,
      canSubmitProposals: seen && submissionsEnabled,
      canVote: seen && votingEnabled,
      canComment: seen && commentsEnabled,
      canAnswerSurveys: open,
    };
  }

  sees = ({ panelist }: Token, { visibility, author }: Proposal): boolean =>
    visibility === "public" || (visibility === "pending" && author === panelist);

  /** Who may not see is told so first, then what is closed, then what was merged. */
  refusal(token: Token, surface: Surface, on?: { id: string; change?: boolean }): Answer | null {
    if (token.dead) return refuse(401, "unauthorized");
    const capabilities = this.capabilities();
    if (!capabilities.canViewProposals) return refuse(404, "idea-bank-not-found");
    const proposal = on && this.find(on.id);
    if (on && (proposal === undefined || !this.sees(token, proposal))) return refuse(404, "proposal-not-found");
    if (!capabilities[surface]) return refuse(403, "capability-closed");
    const target = on?.change && proposal?.mergedInto;
    // What the panelist may not see is not named.
    if (target) return this.sees(token, target) ? conflict(target) : refuse(409, "conflict");
    return null;
  }

  submit(token: Token, text: Text, id: string): Answer {
    const refused = this.refusal(token, "canSubmitProposals");
    if (refused) return refused;
    const visibility = this.settings.approvalRequired ? "pending" : "public";
    this.add({ id, by: "panelist", author: token.panelist, ...text, visibility });
    // Who submits it votes for it, where voting is open.
    this.vote(token, id, true);
    return { status: 201 };
  }

  edit(token: Token, id: string, changes: Partial<Text>): Answer {
    return this.#changeOwn(token, id, (proposal) => {
      const before = proposal.title + proposal.description;
      this.#edit(proposal, changes);
      // Nobody sees a text that the tenant has not approved.
      const isNew = proposal.title + proposal.description !== before;
      if (isNew && this.settings.approvalRequired) proposal.visibility = "pending";
      return { status: 200 };
    });
  }

  withdraw(token: Token, id: string): Answer {
    return this.#changeOwn(token, id, (proposal) => {
      if (this.there().some(({ mergedInto }) => mergedInto === proposal)) return refuse(409, "conflict");
      this.deleted.add(proposal);
      return { status: 204 };
    });
  }

  vote(token: Token, id: string, voted: boolean): Answer {
    const refused = this.refusal(token, "canVote", { id, change: true });
    const proposal = this.find(id);
    if (refused || !proposal) return refused ?? NOT_THE_TENANTS;
    if (!voted) proposal.voters.delete(token.panelist);
    else if (!proposal.voters.has(token.panelist)) proposal.voters.set(token.panelist, this.now);
    return { status: 200, body: { voted, votes: proposal.voters.size } };
  }

  comment(token: Token, id: string, body: string, commentId: string): Answer {
    const refused = this.refusal(token, "canComment", { id, change: true });
    const proposal = this.find(id);
    if (refused || !proposal) return refused ?? NOT_THE_TENANTS;
    if (this.#repeats(token, proposal, body)) return refuse(409, "repeated-comment");
    this.#addComment(proposal, { id: commentId, by: "panelist", author: token.panelist, body });
    return { status: 201 };
  }

  /**
   * Of the panelist's last 20 comments another one has this text: on this proposal the one just before or after the place, or, if it is long, one
   * of the last day. The place of a new one is the last.
   */
  #repeats({ panelist }: Token, proposal: Proposal, body: string, edited?: Comment): boolean {
    const newestFirst = (a: Place, b: Place) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1);
    const own = this.there()
      .flatMap((on) => on.comments.filter(({ author }) => author === panelist).map((comment) => ({ on, ...comment })))
      .toSorted(newestFirst)
      .slice(0, 20)
      .filter(({ id }) => id !== edited?.id);
    const here = own.filter(({ on }) => on === proposal);
    const older = here.filter((each) => edited === undefined || newestFirst(edited, each) < 0);
    const newer = here.filter((each) => !older.includes(each));
    const isLong = [...body].length >= 20;
    return (
      [older[0], newer.at(-1)].some((each) => each?.body === body) ||
      (isLong && own.some((each) => each.body === body && each.createdAt > this.now - 86_400_000))
    );
  }

  uncomment(token: Token, id: string, commentId: string): Answer {
    const refused = this.refusal(token, "canComment", { id });
    const proposal = this.find(id);
    if (refused || !proposal) return refused ?? NOT_THE_TENANTS;
    const comment = proposal.comments.find((each) => each.id === commentId);
    if (comment === undefined) return refuse(404, "comment-not-found");
    if (comment.author !== token.panelist) return refuse(403, "forbidden");
    proposal.comments = proposal.comments.filter((each) => each !== comment);
    return { status: 204 };
  }

  /** An edit is no activity: writing it was. */
  editComment(token: Token, id: string, commentId: string, body: string): Answer {
    const refused = this.refusal(token, "canComment", { id, change: true });
    const proposal = this.find(id);
    if (refused || !proposal) return refused ?? NOT_THE_TENANTS;
    const comment = proposal.comments.find((each) => each.id === commentId);
    if (comment === undefined) return refuse(404, "comment-not-found");
    if (comment.author !== token.panelist) return refuse(403, "forbidden");
    if (comment.body !== body && this.#repeats(token, proposal, body, comment)) return refuse(409, "repeated-comment");
    comment.body = body;
    return { status: 200 };
  }

  /** As the tenant, from here on. */
  propose = (text: Text & { status: ProposalStatus; visibility: Visibility }, id: string): Answer => {
    this.add({ id, by: "tenant", author: null, ...text });
    return { status: 201 };
  };

  change(id: string, { response, visibility, ...changes }: Changes): Answer {
    const proposal = this.find(id);
    if (proposal === undefined) return NOT_THE_TENANTS;
    this.#edit(proposal, changes);
    proposal.visibility = visibility ?? proposal.visibility;
    if (response === null) proposal.response = null;
    else if (response !== undefined && response.text !== proposal.response?.text) {
      proposal.response = { text: response.text, respondedAt: new Date(this.now).toISOString() };
      proposal.lastActivityAt = this.now;
    }
    return { status: 200 };
  }

  /** Votes move, each panelist counted once; what was merged into the one before follows it into the other. */
  merge(id: string, into: string): Answer {
    const [source, target] = [this.find(id), this.find(into)];
    if (source === undefined || target === undefined) return NOT_THE_TENANTS;
    if (id === into) return refuse(400, "invalid-request");
    if (target.mergedInto) return conflict(target.mergedInto);
    if (source.mergedInto && source.mergedInto !== target) return conflict(source.mergedInto);
    if (source.mergedInto) return { status: 200 };
    for (const [voter, at] of source.voters) target.voters.set(voter, target.voters.get(voter) ?? at);
    source.voters.clear();
    for (const each of this.proposals) if (each.mergedInto === source) each.mergedInto = target;
    source.mergedInto = target;
    return { status: 200 };
  }

  /** What was merged into it goes too. */
  remove(id: string): Answer {
    const proposal = this.find(id);
    if (proposal === undefined) return NOT_THE_TENANTS;
    for (const each of this.proposals) if (each === proposal || each.mergedInto === proposal) this.deleted.add(each);
    return { status: 204 };
  }

  answerAsTenant(id: string, body: string, commentId: string): Answer {
    const proposal = this.find(id);
    if (proposal === undefined) return NOT_THE_TENANTS;
    this.#addComment(proposal, { id: commentId, by: "tenant", author: null, body });
    return { status: 201 };
  }

  /** The tenant's own. */
  editAsTenant(id: string, commentId: string, body: string): Answer {
    const comment = this.find(id)?.comments.find((each) => each.id === commentId);
    if (comment?.by !== "tenant") return NOT_THE_TENANTS;
    comment.body = body;
    return { status: 200 };
  }

  moderate(id: string, commentId: string): Answer {
    const proposal = this.find(id);
    const comment = proposal?.comments.find((each) => each.id === commentId);
    if (proposal === undefined || comment === undefined) return NOT_THE_TENANTS;
    proposal.comments = proposal.comments.filter((each) => each !== comment);
    return { status: 204 };
  }

  set(changes: Partial<Settings>): Answer {
    Object.assign(this.settings, changes);
    return { status: 200 };
  }

  revoke(panelist: Panelist): Answer {
    if (panelist.deleted) return NOT_THE_TENANTS;
    panelist.revocations += 1;
    for (const token of this.tokens) if (token.panelist === panelist) token.dead = true;
    return { status: 204 };
  }

  removePanelist(panelist: Panelist): Answer {
    const answer = this.revoke(panelist);
    panelist.deleted = true;
    for (const proposal of this.proposals) {
      proposal.voters.delete(panelist);
      if (proposal.author === panelist) proposal.author = null;
      for (const comment of proposal.comments) if (comment.author === panelist) comment.author = null;
    }
    return answer;
  }

  add(
    fields: Pick<Proposal, "id" | "by" | "author" | "title" | "description" | "visibility"> & {
      status?: ProposalStatus;
    },
  ) {
    const times = { createdAt: this.now, lastActivityAt: this.now };
    const blank = { response: null, tags: [], mergedInto: null, comments: [], ...times };
    this.proposals.push({ status: "submitted", ...fields, ...blank, voters: new Map() });
  }

  #addComment(proposal: Proposal, comment: Omit<Comment, "createdAt">): void {
    proposal.comments.push({ ...comment, createdAt: this.now });
    // News alone reorders the changelog.
    if (proposal.status !== "implemented") proposal.lastActivityAt = this.now;
  }

  #changeOwn(token: Token, id: string, change: (proposal: Proposal) => Answer): Answer {
    const refused = this.refusal(token, "canSubmitProposals", { id, change: true });
    const proposal = this.find(id);
    if (refused || !proposal) return refused ?? NOT_THE_TENANTS;
    if (proposal.author !== token.panelist) return refuse(403, "forbidden");
    if (proposal.status !== "submitted") return refuse(409, "conflict");
    return change(proposal);
  }

  /** An edit or a change of status is activity; sending what already stands is not. */
  #edit(proposal: Proposal, changes: Partial<Text & { status: ProposalStatus }>): void {
    const before = [proposal.title, proposal.description, proposal.status].join("\n");
    Object.assign(proposal, changes);
    const after = [proposal.title, proposal.description, proposal.status].join("\n");
    if (after !== before) proposal.lastActivityAt = this.now;
  }
}
