/** The idea bank as the board asks for it: each call of the panelist API that it makes. */
import type { Capabilities } from "../../worker/model/idea-bank.ts";
import type {
  PanelistComment,
  PanelistProposal,
  Submission,
  SubmissionChanges,
  Vote,
} from "../../worker/model/panelist-proposal.ts";
import type { TagCount } from "../../worker/model/tag.ts";
import type { Connection } from "../shared/request.ts";
import { isRequestFailure, requestFailure } from "../shared/request-failure.ts";

/** Its vote and related fields follow the panelist's actions. */
export type Idea = { -readonly [Field in keyof PanelistProposal]: PanelistProposal[Field] };
export type Comment = PanelistComment;
export type Access = {
  readonly name: string | null;
  readonly capabilities: Capabilities;
  /** What a sign-in makes possible, for a visitor. */
  readonly panelistCapabilities?: Capabilities;
};
export type Page<Item> = { readonly items: readonly Item[]; readonly nextCursor?: string };
/** Oldest first, unless `order` is `newest`; `from` is the comment that a first page begins with. */
export type CommentPage = Readonly<Partial<Record<"order" | "from" | "cursor" | "limit", string>>>;
export type Filter = Readonly<Partial<Record<"sort" | "status" | "mine" | "tag" | "q" | "limit", string>>>;

const ROOT = "/ideabank";
const TAGS = "/tags";
const pathOf = (filter: Filter & { readonly cursor?: string }) => `/proposals?${new URLSearchParams(filter)}`;

/** What a page was made of, as its server gives it to the element. */
export type Given = {
  readonly access?: Access;
  readonly ideas?: Page<Idea>;
  /** Of a roadmap. */
  readonly columns?: readonly Page<Idea>[];
  readonly tags?: Page<TagCount>;
  readonly idea?: Idea;
  readonly comments?: Page<Comment>;
};

/** By the paths that the board asks for. `first` are the lists that it begins with. */
export const answersOf = (
  { access, ideas, columns, tags, idea, comments }: Given,
  first: readonly (Filter | "tags")[],
): Readonly<Record<string, unknown>> =>
  Object.fromEntries([
    [ROOT, access],
    [ROOT + TAGS, tags],
    ...first.map((list, at) => [list === "tags" ? "" : ROOT + pathOf(list), (columns ?? [ideas])[at]]),
    [`${ROOT}/proposals/${idea?.id}`, idea],
    [`${ROOT}/proposals/${idea?.id}/comments?`, comments],
  ]);

export class IdeaBank {
  readonly #connection: Connection;
  /** Called after each request that succeeds, if it was set when the request began; with whether the request changed something. */
  answered: (isWrite: boolean) => void = () => {};
  /** Reads that were begun before anything could show them, by path. */
  readonly #begun = new Map<string, Promise<unknown>>();
  /** The answers to votes, in their order. */
  readonly #given: (Vote & { readonly id: string })[] = [];

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The browser's memory belongs to this idea bank and this panelist. */
  get who(): string {
    return this.#connection.who;
  }

  /** The drafts of a visitor who is not signed in belong to the idea bank. */
  get bank(): string {
    return this.#connection.bank;
  }

  get isVisitor(): boolean {
    return this.#connection.isVisitor;
  }

  /** Begins to read these lists. Who asks for one of them next gets that answer. */
  begin(lists: readonly (Filter | "tags")[]): void {
    for (const list of lists) {
      const path = list === "tags" ? TAGS : pathOf(list);
      const begun = this.#read(path);
      begun.catch(() => {});
      this.#begun.set(path, begun);
    }
  }

  /** Another element of the page may have asked already; `isAgain` asks anew. */
  access = (isAgain: boolean) => this.#get<Access>("", isAgain ? { cache: "reload" } : {});

  ideas = (filter: Filter, cursor: string | undefined, signal: AbortSignal) =>
    this.#readIdeas<Page<Idea>>(pathOf({ ...filter, ...(cursor && { cursor }) }), { signal });

  /** Those of public proposals, the most used first. */
  tags = () => this.#get<Page<TagCount>>(TAGS);

  /** Public ones with words of the title. */
  similar = (title: string, signal: AbortSignal) =>
    this.#readIdeas<Page<Idea>>(`/proposals/similar?${new URLSearchParams({ title })}`, { signal });

  /** `id` may come from the page. It must be an identifier, because another text could be a path to somewhere else. */
  async idea(id: string): Promise<Idea> {
    if (!/^\w+$/.test(id)) throw requestFailure("proposal-not-found");
    return this.#readIdeas<Idea>(`/proposals/${id}`);
  }

  submit = (idea: Submission, key: string) => this.#write<Idea>("POST", { path: "/proposals", body: idea, key });

  edit = (id: string, idea: SubmissionChanges) => this.#write<Idea>("PATCH", { path: `/proposals/${id}`, body: idea });

  withdraw = (id: string) => this.#delete(`/proposals/${id}`);

  async vote(id: string, voted: boolean): Promise<Vote> {
    const vote = await this.#get<Vote>(`/proposals/${id}/vote`, { method: voted ? "PUT" : "DELETE" });
    this.#given.push({ ...vote, id });
    return vote;
  }

  follow = (id: string, following: boolean) =>
    this.#send(`/proposals/${id}/follow`, { method: following ? "PUT" : "DELETE" });

  comments = (id: string, page: CommentPage) =>
    this.#get<Page<Comment>>(`/proposals/${id}/comments?${new URLSearchParams(page)}`);

  comment = (id: string, body: string, key: string) =>
    this.#write<Comment>("POST", { path: `/proposals/${id}/comments`, body: { body }, key });

  editComment = (id: string, commentId: string, body: string) =>
    this.#write<Comment>("PATCH", { path: `/proposals/${id}/comments/${commentId}`, body: { body } });

  deleteComment = (id: string, commentId: string) => this.#delete(`/proposals/${id}/comments/${commentId}`);

  /** A vote that was answered while this was read is newer than what was read. */
  async #readIdeas<Body extends Idea | Page<Idea>>(path: string, init?: RequestInit): Promise<Body> {
    const { length } = this.#given;
    const body = await this.#get<Body>(path, init);
    const ideas: readonly Idea[] = "items" in body ? body.items : [body];
    for (const vote of this.#given.slice(length)) Object.assign(ideas.find(({ id }) => id === vote.id) ?? {}, vote);
    return body;
  }

  /** What is gone has been deleted: the answer that said so may be lost. */
  async #delete(path: string): Promise<void> {
    try {
      await this.#send(path, { method: "DELETE" });
    } catch (error) {
      if (!isRequestFailure(error) || !/^(comment|proposal)-not-found$/.test(error.code)) throw error;
    }
  }

  #write<Body>(
    method: string,
    { path, body, key }: { readonly path: string; readonly body: object; readonly key?: string | undefined },
  ): Promise<Body> {
    const headers = { "Content-Type": "application/json", ...(key && { "Idempotency-Key": key }) };
    return this.#get<Body>(path, { method, headers, body: JSON.stringify(body) });
  }

  async #send<Body>(path: string, init: RequestInit) {
    const { answered } = this;
    const reply = await this.#connection.send<Body>(ROOT + path, init);
    answered(init.method !== undefined);
    return reply;
  }

  #get<Body>(path: string, init: RequestInit = {}): Promise<Body> {
    const begun = this.#begun.get(path) as Promise<Body> | undefined;
    this.#begun.delete(path);
    return begun ?? this.#read(path, init);
  }

  async #read<Body>(path: string, init: RequestInit = {}): Promise<Body> {
    const { body } = await this.#send<Body>(path, init);
    if (body === null) throw new Error("an answer without a body");
    return body;
  }
}
