/**
 * Canny: the lists that its API gives (posts/list, comments/list, votes/list, boards/list), in one JSON file:
 * `{"posts": […], "comments": […], "votes": […], "boards": […]}`. https://developers.canny.io/api-reference
 */
import { JSONParser } from "@streamparser/json";
import { Failure } from "../command-line/failure.ts";
import {
  COMMENT_OF_TEAM,
  type Idea,
  type Import,
  Lost,
  type Person,
  type Terms,
  toName,
  toPersonId,
  toProse,
  toTags,
  toTime,
  toTitle,
  unique,
} from "./ideas.ts";
import { toStatus } from "./statuses.ts";
import { utf8Pieces } from "./utf8.ts";

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
  { statuses = new Map() }: Terms = {},
): Promise<Import> {
  const { posts, comments, votes, boards, hasPosts } = await readLists(file);
  if (!hasPosts) throw new Failure('The file has no list "posts": see npm run import -- --help.');
  const lost = new Lost();
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
  const faulty = posts
    .filter(({ board }) => !known.has(board?.id ?? "") && typeof board?.isPrivate !== "boolean")
    .map(({ id }) => `post ${id}: its board is not in the list "boards", which says whether it is private`);
  const commentsOf = Map.groupBy(comments, ({ post }) => post?.id);
  const votesOf = Map.groupBy(votes, ({ post }) => post?.id);
  lost.add("comment of a post that is not in the file", countOthers(commentsOf, posts));
  lost.add("vote for a post that is not in the file", countOthers(votesOf, posts));
  const ideas = posts.map((post): Idea => {
    const voters = unique((votesOf.get(post.id) ?? []).flatMap(({ voter }) => person(voter) ?? []));
    lost.votes += Math.max(0, (post.score ?? 0) - voters.length);
    lost.add("image of a post", post.imageURLs?.length ?? 0);
    if (post.eta) lost.add("estimated date");
    const isPrivate = privateBoards.has(post.board?.id ?? "");
    lost.add("post of a private board: imported as hidden", Number(isPrivate));
    return {
      externalId: `canny:${post.id}`,
      title: toTitle(post.title, lost),
      description: toProse(post.details ?? "", "description", lost),
      status: toStatus(post.status ?? "", statuses, lost),
      visibility: isPrivate ? "hidden" : "public",
      tags: toTags(post.tags?.map(({ name }) => name) ?? [], lost),
      metadata: {
        source: "canny",
        ...(post.url && { url: post.url.slice(0, 1_000) }),
        ...(post.board && { board: post.board.name.slice(0, 200) }),
        ...(post.category && { category: post.category.name.slice(0, 200) }),
      },
      createdAt: toTime(post.created, now, (why) => faulty.push(`post ${post.id}: created ${why}`)),
      author: person(post.author),
      response: undefined,
      voters,
      comments: (commentsOf.get(post.id) ?? []).flatMap((comment) => {
        const { author, value, created, parentID, imageURLs, likeCount } = comment;
        const body = toProse(value ?? "", "comment", lost);
        const createdAt = toTime(created, now, (why) => faulty.push(`comment of post ${post.id}: created ${why}`));
        if (comment.internal || comment.private) return lost.add("private comment") ?? [];
        if (!author || body === "" || createdAt === undefined)
          return lost.add("comment without author, text or time") ?? [];
        if (parentID) lost.add("answer to a comment: imported as a comment");
        if (author.isAdmin) lost.add(COMMENT_OF_TEAM);
        lost.add("image of a comment", imageURLs?.length ?? 0);
        lost.add("like of a comment", likeCount ?? 0);
        return { author: author.isAdmin ? undefined : person(author), body, createdAt };
      }),
      duplicateOf: undefined,
    };
  });
  return { ideas, lost, faulty };
}

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

async function readLists(file: AsyncIterable<Uint8Array>): Promise<Lists & { readonly hasPosts: boolean }> {
  const lists = { ...{ posts: [], comments: [], votes: [], boards: [] }, hasPosts: false };
  const names = Object.keys(KEPT);
  const parser = new JSONParser({ paths: names.flatMap((name) => [`$.${name}`, `$.${name}.*`]), keepStack: false });
  parser.onValue = ({ value, key, stack }) => {
    const [, { key: list } = {}] = stack;
    if (typeof key === "number")
      (lists[list as keyof Lists] as unknown[]).push(KEPT[list as keyof Lists](value as never));
    else if (key === "posts") lists.hasPosts = Array.isArray(value);
  };
  const refused = new Failure("The file is not JSON: see npm run import -- --help.");
  for await (const piece of utf8Pieces(file)) {
    try {
      parser.write(piece);
    } catch (error) {
      throw error instanceof TypeError ? error : refused;
    }
  }
  if (!parser.isEnded) throw refused;
  return lists;
}
