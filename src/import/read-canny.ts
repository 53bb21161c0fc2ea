/**
 * Canny: the lists that its API gives (posts/list, comments/list, votes/list, boards/list), in one JSON file:
 * `{"posts": […], "comments": […], "votes": […], "boards": […]}`. https://developers.canny.io/api-reference
 */
import { JSONParser } from "@streamparser/json";
import { textPieces } from "./encoding.ts";
import {
  COMMENT_OF_TEAM,
  type Idea,
  type Import,
  type ImportedComment,
  Lost,
  type Person,
  readEach,
  somebody,
  type Terms,
  toName,
  toPersonId,
  toProse,
  toTags,
  toTitle,
  unique,
} from "./ideas.ts";
import { Statuses } from "./statuses.ts";
import { toTime } from "./times.ts";
import { Unreadable } from "./unreadable.ts";

type User = { id: string; name?: string | null; email?: string | null; userID?: string | null; isAdmin?: boolean };
type Board = { id: string; name: string; isPrivate?: boolean };
type Named = { name: string } | null;
type Post = {
  id: string;
  title: string;
  details?: string | null;
  status?: string | null;
  created?: string;
  author?: User | null;
  tags?: { name: string }[];
  category?: Named;
  board?: Board | null;
  url?: string;
  score?: number;
  imageURLs?: unknown[];
  eta?: string | null;
};
type Comment = {
  author: User | null;
  post: { id: string } | null;
  value?: string;
  created: string;
  internal?: boolean;
  private?: boolean;
  parentID?: string | null;
  imageURLs?: unknown[];
  likeCount?: number;
};
type Vote = { post: { id: string } | null; voter: User | null; created?: string };
type Lists = { posts: Post[]; comments: Comment[]; votes: Vote[]; boards: Board[] };

export async function readCanny(
  file: AsyncIterable<Uint8Array>,
  now: number,
  { statuses: own = new Map() }: Terms = {},
): Promise<Import> {
  const { posts, comments, votes, boards, hasPosts } = await readLists(file);
  if (!hasPosts) throw new Unreadable('The file has no list "posts": it is not what Canny’s API gives.');
  const lost = new Lost();
  const faulty: string[] = [];
  const statuses = new Statuses(own, lost);
  // The company's own id for the user is the one that it names the panelist by.
  const person = (user: User | null | undefined): Person | undefined =>
    user
      ? {
          externalId: toPersonId(user.userID || user.email || `canny:${user.id}`),
          displayName: toName(user.name, lost),
        }
      : undefined;
  const privateBoards = new Set(
    [...boards, ...posts.flatMap(({ board }) => board ?? [])].filter(({ isPrivate }) => isPrivate).map(({ id }) => id),
  );
  const known = new Set(boards.map(({ id }) => id));
  const commentsOf = Map.groupBy(comments, ({ post }) => post?.id);
  const votesOf = Map.groupBy(votes, ({ post }) => post?.id);
  lost.add("comment of a post that is not in the file", countOthers(commentsOf, posts));
  lost.add("vote for a post that is not in the file", countOthers(votesOf, posts));

  const readComment =
    (place: string) =>
    (comment: Comment): ImportedComment[] => {
      const { author, value, created, parentID, imageURLs, likeCount } = comment;
      const body = toProse(value ?? "", "comment", lost);
      const createdAt = toTime(created, now, (why) => faulty.push(`comment of ${place}: created ${why}`));
      if (comment.internal || comment.private) return lost.add("private comment") ?? [];
      if (body === "" || createdAt === undefined) return lost.add("comment without text or time") ?? [];
      if (!author) lost.add("comment without an author: imported as Somebody’s");
      if (parentID) lost.add("answer to a comment: imported as a comment");
      if (author?.isAdmin) lost.add(COMMENT_OF_TEAM);
      lost.add("image of a comment", imageURLs?.length ?? 0);
      lost.add("like of a comment", likeCount ?? 0);
      return [{ author: author?.isAdmin ? undefined : (person(author) ?? somebody("canny")), body, createdAt }];
    };

  const readPost = (post: Post): Idea[] => {
    const place = placeOf(post);
    if (!known.has(post.board?.id ?? "") && typeof post.board?.isPrivate !== "boolean") {
      faulty.push(`${place}: its board is not in the list "boards", which says whether it is private`);
      return [];
    }
    const refused: string[] = [];
    const createdAt = toTime(post.created, now, (why) => refused.push(`${place}: created ${why}`));
    faulty.push(...refused);
    if (refused.length > 0) return [];
    const voters = unique((votesOf.get(post.id) ?? []).flatMap(({ voter }) => person(voter) ?? []));
    const countedVotes = Math.max(0, (post.score ?? 0) - voters.length);
    const isPrivate = privateBoards.has(post.board?.id ?? "");
    const ofPost = { nameOf: nameOfComment(place), required: ["created"], faulty } as const;
    const idea: Idea = {
      place,
      externalId: `canny:${post.id}`,
      title: toTitle(post.title, lost),
      description: toProse(post.details ?? "", "description", lost),
      status: statuses.of(post.status ?? ""),
      visibility: isPrivate ? "hidden" : "public",
      tags: toTags(post.tags?.map(({ name }) => name) ?? [], lost),
      metadata: {
        source: "canny",
        ...(post.url && { url: post.url.slice(0, 1_000) }),
        ...(post.board && { board: post.board.name.slice(0, 200) }),
        ...(post.category && { category: post.category.name.slice(0, 200) }),
      },
      createdAt,
      author: person(post.author),
      response: undefined,
      voters,
      countedVotes,
      comments: readEach(commentsOf.get(post.id) ?? [], ofPost, readComment(place)),
      duplicateOf: undefined,
    };
    lost.votes += countedVotes;
    lost.add("image of a post", post.imageURLs?.length ?? 0);
    if (post.eta) lost.add("estimated date");
    lost.add("post of a private board: imported as hidden", Number(isPrivate));
    return [idea];
  };
  const ideas = readEach(posts, { nameOf: placeOf, required: ["id", "title"], faulty }, readPost);
  return { ideas, lost, faulty, statuses: statuses.found, rows: posts.length };
}

const placeOf = ({ id }: Partial<Post>, index = 0) => (id === undefined ? `item ${index + 1} of posts` : `post ${id}`);
const nameOfComment = (place: string) => (_: unknown, index: number) => `comment ${index + 1} of ${place}`;

const countOthers = (byPost: Map<string | undefined, unknown[]>, posts: readonly Post[]): number => {
  const known = new Set<string | undefined>(posts.map(({ id }) => id));
  return [...byPost].reduce((sum, [id, items]) => (known.has(id) ? sum : sum + items.length), 0);
};

/** What an import needs of each item. Each vote and each comment repeats its whole post, so a file is longer than memory. */
const KEPT: { readonly [List in keyof Lists]: (item: Lists[List][number]) => Lists[List][number] } = {
  posts: (post) => post,
  comments: ({ post, ...comment }) => ({ ...comment, post: post && { id: post.id } }),
  votes: ({ post, voter }) => ({ post: post && { id: post.id }, voter: voter && userOf(voter) }),
  boards: (board) => board,
};
const userOf = ({ id, name = null, email = null, userID = null }: User): User => ({ id, name, email, userID });

/** What is no object becomes one without members, which `readEach` names. */
async function readLists(file: AsyncIterable<Uint8Array>): Promise<Lists & { readonly hasPosts: boolean }> {
  const lists = { ...{ posts: [], comments: [], votes: [], boards: [] }, hasPosts: false };
  const names = Object.keys(KEPT);
  const parser = new JSONParser({ paths: names.flatMap((name) => [`$.${name}`, `$.${name}.*`]), keepStack: false });
  parser.onValue = ({ value, key, stack }) => {
    const [, { key: list } = {}] = stack;
    const item = typeof value === "object" && value !== null ? value : {};
    if (typeof key === "number")
      (lists[list as keyof Lists] as unknown[]).push(KEPT[list as keyof Lists](item as never));
    else if (key === "posts") lists.hasPosts = Array.isArray(value);
  };
  const refused = new Unreadable("The file is not JSON.");
  for await (const piece of textPieces(file)) {
    try {
      parser.write(piece);
    } catch (error) {
      throw error instanceof TypeError ? error : refused;
    }
  }
  if (!parser.isEnded) throw refused;
  return lists;
}
