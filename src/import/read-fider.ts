/** Fider: the archive that an administrator downloads (Site Settings, Export, "Download backup"): a JSON file for each table. */
import { unzipSync } from "fflate";
import type { ProposalStatus } from "../worker/model/proposal.ts";
import { textOf } from "./encoding.ts";
import {
  COMMENT_OF_TEAM,
  type Idea,
  type Import,
  type ImportedComment,
  Lost,
  type Person,
  readEach,
  somebody,
  toName,
  toPersonId,
  toProse,
  toTags,
  toTitle,
  unique,
} from "./ideas.ts";
import { toTime } from "./times.ts";
import { Unreadable } from "./unreadable.ts";

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
  id?: number;
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

export function readFider(file: Uint8Array, now: number): Import {
  const entries = unzip(
    file,
    TABLES.map((table) => `${table}.json`),
  );
  const rows = <Row>(table: string): Row[] => {
    const entry = entries.get(`${table}.json`);
    return entry === undefined ? [] : rowsOf(table, entry);
  };
  if (!entries.has("posts.json"))
    throw new Unreadable("The archive has no posts.json: it is not a backup of Fider, or not a whole one.");
  const lost = new Lost();
  const faulty: string[] = [];
  const inTable = <Row extends { id?: number }>(table: string, required: readonly (keyof Row & string)[]) => ({
    nameOf: ({ id }: Partial<Row>, index: number) =>
      id === undefined ? `item ${index + 1} of ${table}.json` : `${table.replace(/s$/, "")} ${id}`,
    ...{ required, faulty },
  });
  const users = readEach(rows<User>("users"), inTable<User>("users", ["id"]), (user) => [user]);
  const people = new Map(
    users.map(({ id, name, email }): [number, Person] => [
      id,
      { externalId: toPersonId(email || `fider:${id}`), displayName: toName(name, lost) },
    ]),
  );
  const team = new Set(users.flatMap(({ id, role = VISITOR }) => (role > VISITOR ? [id] : [])));
  // Panelists must not see tags that only Fider's team sees.
  const publicTags = rows<Tag>("tags").filter((tag) => tag.is_public !== false);
  lost.add("private tag", rows("tags").length - publicTags.length);
  const tagNames = new Map(publicTags.map(({ id, name }) => [id, name]));
  const byPost = <Row extends { post_id: number }>(table: string) =>
    Map.groupBy(rows<Row>(table), (row) => row?.post_id);
  const [comments, votes, tags] = [
    byPost<Comment>("comments"),
    byPost<Vote>("post_votes"),
    byPost<PostTag>("post_tags"),
  ];
  lost.add("attachment", rows("attachments").length);
  const stored = rows<Post>("posts");
  const all = readEach(stored, inTable<Post>("posts", ["id", "title"]), (post) => [post]);
  const posts = all.filter(({ status }) => status !== DELETED);
  const deleted = all.length - posts.length;
  lost.add("deleted post", deleted);
  const kept = new Set(posts.map(({ id }) => id));

  const readComment =
    (place: string) =>
    (comment: Comment): ImportedComment[] => {
      const author = people.get(comment.user_id);
      const body = toText(comment.content, "comment", lost);
      const createdAt = toTime(comment.created_at, now, (why) => faulty.push(`comment of ${place}: created_at ${why}`));
      if (comment.deleted_at) return lost.add("deleted comment") ?? [];
      if (comment.is_approved === false) return lost.add("comment that waits for approval") ?? [];
      if (body === "" || createdAt === undefined) return lost.add("comment without text or time") ?? [];
      if (author === undefined) lost.add("comment without an author: imported as Somebody’s");
      if (!team.has(comment.user_id)) return [{ author: author ?? somebody("fider"), body, createdAt }];
      lost.add(COMMENT_OF_TEAM);
      return [{ author: undefined, body, createdAt }];
    };
  const ideas = readEach(posts, inTable<Post>("posts", []), (post): Idea[] => {
    const place = `post ${post.id}`;
    const isPending = post.is_approved === false;
    lost.add("post that waits for approval: imported as pending", Number(isPending));
    const refused: string[] = [];
    const createdAt = toTime(post.created_at, now, (why) => refused.push(`${place}: created_at ${why}`));
    faulty.push(...refused);
    if (refused.length > 0) return [];
    const isDuplicate = post.status === DUPLICATE && post.original_id !== null && kept.has(post.original_id);
    return [
      {
        place,
        externalId: `fider:${post.id}`,
        title: toTitle(post.title, lost),
        description: toText(post.description ?? "", "description", lost),
        status: STATUSES[post.status] ?? "submitted",
        visibility: isPending ? "pending" : "public",
        tags: toTags(tags.get(post.id)?.flatMap(({ tag_id }) => tagNames.get(tag_id) ?? []) ?? [], lost),
        metadata: { source: "fider", number: String(post.number) },
        createdAt,
        author: people.get(post.user_id),
        response: toText(post.response ?? "", "response", lost) || undefined,
        voters: unique(votes.get(post.id)?.flatMap(({ user_id }) => people.get(user_id) ?? []) ?? []),
        countedVotes: 0,
        comments: readEach(
          comments.get(post.id) ?? [],
          { ...inTable<Comment>("comments", ["content"]), nameOf: (_, index) => `comment ${index + 1} of ${place}` },
          readComment(place),
        ),
        duplicateOf: isDuplicate ? `fider:${post.original_id}` : undefined,
      },
    ];
  });
  return { ideas, lost, faulty, statuses: [], rows: stored.length - deleted };
}

function rowsOf<Row>(table: string, entry: Uint8Array): Row[] {
  const refused = new Unreadable(`${table}.json in the archive is not as Fider writes it.`);
  try {
    const rows: unknown = JSON.parse(textOf(entry));
    if (!Array.isArray(rows)) throw refused;
    return rows;
  } catch (error) {
    throw error instanceof SyntaxError ? refused : error;
  }
}

/** A picture of Fider's own store, and somebody who is mentioned. */
const PICTURE = /!\[[^[\]\n]{0,200}\]\(fider-image:[^)\s]{0,300}\)/g;
const MENTION = /@\[([^[\]\n]{1,100})\]/g;

/** Fider writes Markdown, in which angle brackets are text. */
function toText(markdown: string, what: string, lost: Lost): string {
  const withoutPictures = markdown.replaceAll(PICTURE, () => {
    lost.add(`picture in a ${what}: left out, “(picture)” stands for it`);
    return "(picture)";
  });
  const text = withoutPictures.replaceAll(MENTION, (_, name: string) => {
    lost.add(`mention in a ${what}: imported as words`);
    return `@${name}`;
  });
  return toProse(text, what, lost);
}

/** The most that all entries together may hold: an archive can name any size. */
const MAX_BYTES = 2 ** 30;

/** The last part of every archive begins with these. */
const END_OF_ARCHIVE = [0x50, 0x4b, 5, 6];
const hasEnd = (archive: Uint8Array): boolean => {
  for (let at = archive.indexOf(0x50); at >= 0; at = archive.indexOf(0x50, at + 1))
    if (END_OF_ARCHIVE.every((byte, index) => archive[at + index] === byte)) return true;
  return false;
};

/** The entries with these names that the archive has. Throws Unreadable for a file that is not an archive. */
export function unzip(archive: Uint8Array, names: readonly string[]): Map<string, Uint8Array> {
  let bytes = 0;
  const filter = ({ name, originalSize }: { readonly name: string; readonly originalSize: number }) => {
    if (!names.includes(name)) return false;
    bytes += originalSize;
    if (bytes > MAX_BYTES) throw new Unreadable("The ZIP archive holds more than 1 GiB.");
    return true;
  };
  try {
    return new Map(Object.entries(unzipSync(archive, { filter })));
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    throw new Unreadable(hasEnd(archive) ? "The ZIP archive is not whole." : "The file is not a ZIP archive.");
  }
}
