/** Fider: the archive that an administrator downloads (Site Settings, Export, "Download backup"): a JSON file for each table. */
import { unzipSync } from "fflate";
import type { ProposalStatus } from "../../worker/model/proposal.ts";
import { Failure } from "../command-line/failure.ts";
import {
  COMMENT_OF_TEAM,
  type Idea,
  type Import,
  Lost,
  type Person,
  toName,
  toPersonId,
  toProse,
  toTags,
  toTime,
  toTitle,
  unique,
} from "./ideas.ts";
import { utf8Of } from "./utf8.ts";

type Post = {
  id: number;
  number: number;
  title: string;
  description: string | null;
  created_at: string;
  user_id: number;
  status: number;
  response: string | null;
  original_id: number | null;
  is_approved?: boolean;
};
type Comment = {
  post_id: number;
  user_id: number;
  content: string;
  created_at: string;
  deleted_at?: string | null;
  is_approved?: boolean;
};
type Vote = { post_id: number; user_id: number };
type PostTag = { post_id: number; tag_id: number };
type Tag = { id: number; name: string; is_public?: boolean };
type User = { id: number; name: string | null; email: string | null; role?: number };

/** The numbers of Fider's statuses. 5 is a duplicate, 6 a deleted post. */
const STATUSES: readonly ProposalStatus[] = ["submitted", "in-progress", "implemented", "declined", "planned"];
const DUPLICATE = 5;
const DELETED = 6;
/** The role of a visitor is 1. The roles of collaborators and administrators are above it. */
const VISITOR = 1;
const TABLES = ["posts", "comments", "post_votes", "post_tags", "tags", "users", "attachments"];

export function readFider(file: Buffer, now: number): Import {
  const entries = unzip(
    file,
    TABLES.map((table) => `${table}.json`),
  );
  const rows = <Row>(table: string): Row[] => {
    const entry = entries.get(`${table}.json`);
    return entry === undefined ? [] : JSON.parse(utf8Of(entry));
  };
  if (!entries.has("posts.json"))
    throw new Failure("The archive has no posts.json: it is not a backup of Fider, or not a whole one.");
  const lost = new Lost();
  const people = new Map(
    rows<User>("users").map(({ id, name, email }): [number, Person] => [
      id,
      { externalId: toPersonId(email || `fider:${id}`), displayName: toName(name, lost) },
    ]),
  );
  const team = new Set(rows<User>("users").flatMap(({ id, role = VISITOR }) => (role > VISITOR ? [id] : [])));
  const faulty: string[] = [];
  // Panelists must not see tags that only Fider's team sees.
  const publicTags = rows<Tag>("tags").filter((tag) => tag.is_public !== false);
  lost.add("private tag", rows("tags").length - publicTags.length);
  const tagNames = new Map(publicTags.map(({ id, name }) => [id, name]));
  const byPost = <Row extends { post_id: number }>(table: string) =>
    Map.groupBy(rows<Row>(table), ({ post_id }) => post_id);
  const [comments, votes, tags] = [
    byPost<Comment>("comments"),
    byPost<Vote>("post_votes"),
    byPost<PostTag>("post_tags"),
  ];
  lost.add("attachment", rows("attachments").length);
  const posts = rows<Post>("posts").filter(({ status }) => status !== DELETED);
  lost.add("deleted post", rows("posts").length - posts.length);
  const kept = new Set(posts.map(({ id }) => id));
  const ideas = posts.map((post): Idea => {
    const isPending = post.is_approved === false;
    lost.add("post that waits for approval: imported as pending", Number(isPending));
    const isDuplicate = post.status === DUPLICATE && post.original_id !== null && kept.has(post.original_id);
    return {
      externalId: `fider:${post.id}`,
      title: toTitle(post.title, lost),
      description: toProse(post.description ?? "", "description", lost),
      status: STATUSES[post.status] ?? "submitted",
      visibility: isPending ? "pending" : "public",
      tags: toTags(tags.get(post.id)?.flatMap(({ tag_id }) => tagNames.get(tag_id) ?? []) ?? [], lost),
      metadata: { source: "fider", number: String(post.number) },
      createdAt: toTime(post.created_at, now, (why) => faulty.push(`post ${post.id}: created_at ${why}`)),
      author: people.get(post.user_id),
      response: toProse(post.response ?? "", "response", lost) || undefined,
      voters: unique(votes.get(post.id)?.flatMap(({ user_id }) => people.get(user_id) ?? []) ?? []),
      comments: (comments.get(post.id) ?? []).flatMap((comment) => {
        const [author, body, createdAt] = [
          people.get(comment.user_id),
          toProse(comment.content, "comment", lost),
          toTime(comment.created_at, now, (why) => faulty.push(`comment of post ${post.id}: created_at ${why}`)),
        ];
        if (comment.deleted_at) return lost.add("deleted comment") ?? [];
        if (comment.is_approved === false) return lost.add("comment that waits for approval") ?? [];
        if (author === undefined || body === "" || createdAt === undefined)
          return lost.add("comment without author, text or time") ?? [];
        if (!team.has(comment.user_id)) return { author, body, createdAt };
        lost.add(COMMENT_OF_TEAM);
        return { author: undefined, body, createdAt };
      }),
      duplicateOf: isDuplicate ? `fider:${post.original_id}` : undefined,
    };
  });
  return { ideas, lost, faulty };
}

/** The most that all entries together may hold: an archive can name any size. */
const MAX_BYTES = 2 ** 30;

/** The entries with these names that the archive has. Throws a Failure for a file that is not an archive. */
export function unzip(archive: Buffer, names: readonly string[]): Map<string, Buffer> {
  let bytes = 0;
  const filter = ({ name, originalSize }: { readonly name: string; readonly originalSize: number }) => {
    if (!names.includes(name)) return false;
    bytes += originalSize;
    if (bytes > MAX_BYTES) throw new Failure("The ZIP archive holds more than 1 GiB.");
    return true;
  };
  try {
    return new Map(Object.entries(unzipSync(archive, { filter })).map(([name, entry]) => [name, Buffer.from(entry)]));
  } catch (error) {
    if (error instanceof Failure) throw error;
    const isArchive = archive.includes("PK\u0005\u0006");
    throw new Failure(isArchive ? "The ZIP archive is not whole." : "The file is not a ZIP archive.");
  }
}
