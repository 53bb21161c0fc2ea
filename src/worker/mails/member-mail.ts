/**
 * The e-mail that tells a member what is new on boards, at once or once a day, in the desk's language. It has at most 200 characters of what
 * others wrote, on one line each and with no address that a mail program could make a link of. Links have our words.
 */
import {
  COUNTED_NEWS,
  COUNTED_WAITING,
  type MemberNews,
  type NewComments,
  type NewIdea,
  type Standing,
  type ToldMode,
} from "../database/mails/told-members.ts";
import type { Brand } from "../model/brand.ts";
import { deskAddressOf } from "../model/desk-address.ts";
import { cut, oneLine, unlinked } from "../model/unlinked.ts";
import { layOut, type Paragraph } from "./layout.ts";
import type { Mail } from "./send-mail.ts";
import { wordsOf } from "./words.ts";

/** Of others' words in one e-mail. */
const OTHERS_WORDS = 200;
/** Of them a title, in an e-mail about one idea. */
const TITLE = 80;
/** An e-mail names so many ideas that each has room for 20 characters; of them these at most of comments. */
const NAMED = 10;
const NAMED_COMMENTED = 3;
/** A board's name is the account's own. */
const BOARD = 60;

const safe = (text: string, most: number): string => unlinked(cut(oneLine(text), most));
const boardName = ({ name }: { readonly name: string }): string => safe(name, BOARD);

const number = (value: number): string => value.toLocaleString("en");
/** "1 comment", "5 comments", "1,000+ comments": a count that stopped says so. */
const counted = (count: number, noun: string, most = COUNTED_NEWS): string =>
  `${number(count)}${count >= most ? "+" : ""} ${noun}${count === 1 ? "" : "s"}`;
const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

type Sender = {
  readonly brand: Brand;
  readonly signInUrl: string;
  readonly hasReplyTo: boolean;
};

/** How long each title may be so that all of them have no more than `room` characters: short ones leave theirs to the long ones. */
function cutTo(titles: readonly string[], room: number): number {
  let most = 0;
  while (most < TITLE && sum(titles.map((title) => Math.min(oneLine(title).length, most + 1))) <= room) most += 1;
  return most;
}

type OnBoard<Item> = Item & { readonly board: string; readonly boardId: string };

/** `standing`: of a day's e-mail. */
export function renderMemberMail(
  { turn, account, boards }: MemberNews,
  { mode, standing }: { readonly mode: ToldMode; readonly standing: Standing | undefined },
  { brand, signInUrl, hasReplyTo }: Sender,
): Mail & { readonly fromName: string } {
  const at = (page: string) =>
    deskAddressOf(`/account${page}${page.includes("?") ? "&" : "?"}account=${turn.accountId}`, signInUrl);
  const onBoards = <Item>(items: (board: MemberNews["boards"][number]) => readonly Item[]): readonly OnBoard<Item>[] =>
    boards.flatMap((board) => items(board).map((item) => ({ ...item, board: boardName(board), boardId: board.id })));
  const counts = { ideas: sum(boards.map(({ ideas }) => ideas.count)), comments: sum(boards.map(commentsOf)) };
  const news = {
    ideas: onBoards<NewIdea>(({ ideas }) => ideas.named),
    comments: onBoards<NewComments>(({ comments }) => comments.named).toSorted((a, b) => b.count - a.count),
    commented: sum(boards.map(({ comments }) => comments.ideas)),
  };
  const one = counts.ideas + counts.comments === 1 && mode === "now" ? (news.ideas[0] ?? news.comments[0]) : undefined;
  const content = one ? aboutOne(one, at) : aboutSeveral(news, { counts, boards, standing, at });
  return {
    to: turn.email,
    fromName: brand.name,
    subject: subjectOf(counts, boards, mode),
    ...layOut({
      brand,
      language: "en",
      ...content,
      foot: [
        `You’re getting this because you’re a member of the account ${unlinked(account)} on ${brand.name}.`,
        ...(hasReplyTo ? [] : [wordsOf("en")("noReply")]),
        { label: "Choose your emails", href: at("/emails") },
      ],
    }),
    headers: { "Content-Language": "en" },
  };
}

const commentsOf = ({ comments }: MemberNews["boards"][number]): number => comments.count;

type Counts = { readonly ideas: number; readonly comments: number };

const countsInWords = ({ ideas, comments }: Counts): string =>
  [...(ideas ? [counted(ideas, "new idea")] : []), ...(comments ? [counted(comments, "comment")] : [])].join(", ");

/** "3 new ideas on Riverline rider ideas"; of a day "Your boards: 3 new ideas, 5 comments". */
function subjectOf(counts: Counts, [board, another]: MemberNews["boards"], mode: ToldMode): string {
  const words = counts.ideas === 0 ? counted(counts.comments, "new comment") : countsInWords(counts);
  if (mode === "daily") return `Your boards: ${countsInWords(counts)}`;
  return `${words} on ${board && another === undefined ? boardName(board) : "your boards"}`;
}

type At = (page: string) => string;

function aboutOne(news: OnBoard<NewIdea> | OnBoard<NewComments>, at: At) {
  const title = safe(news.title, TITLE);
  const isComment = "count" in news;
  const text = oneLine(isComment ? news.body : news.description);
  return {
    paragraphs: [
      isComment ? `New comment on “${title}”:` : `New idea on ${news.board}: “${title}”`,
      ...(text ? [{ quote: safe(text, OTHERS_WORDS - cut(oneLine(news.title), TITLE).length) }] : []),
    ],
    link: { label: "Open the idea", href: at(`/idea-banks/${news.boardId}/ideas/${news.id}`) },
  };
}

type News = {
  readonly ideas: readonly OnBoard<NewIdea>[];
  readonly comments: readonly OnBoard<NewComments>[];
  /** How many ideas have new comments. */
  readonly commented: number;
};

function aboutSeveral(
  { ideas, comments, commented }: News,
  {
    counts,
    boards,
    standing = { waiting: 0, wanted: [] },
    at,
  }: {
    readonly counts: Counts;
    readonly boards: MemberNews["boards"];
    readonly standing: Standing | undefined;
    readonly at: At;
  },
) {
  const { waiting, wanted } = standing;
  const talked = comments.slice(0, counts.ideas === 0 ? NAMED - wanted.length : NAMED_COMMENTED);
  const named = ideas.slice(0, NAMED - talked.length - wanted.length);
  const most = cutTo(
    [...named, ...talked, ...wanted].map(({ title }) => title),
    OTHERS_WORDS,
  );
  const isOne = boards.length === 1;
  const [only] = boards;
  const place = ({ board }: { readonly board: string }) => (isOne ? "" : ` (${board})`);
  const titled = (item: { readonly title: string }) => `“${safe(item.title, most)}”`;
  const queue = isOne && only ? `/idea-banks/${only.id}` : "/ideas";
  const more = (count: number, shown: readonly unknown[], noun = "") =>
    count > shown.length ? [`and ${number(count - shown.length)} more${noun}`] : [];
  const on = isOne && only ? ` on ${boardName(only)}` : "";
  const paragraphs: Paragraph[] = [
    ...(counts.ideas === 0
      ? []
      : [
          `${counted(counts.ideas, "new idea")}${on}:`,
          ...named.map((idea) => `${titled(idea)}${place(idea)}`),
          ...more(counts.ideas, named),
          { label: "See new ideas", href: at(queue) },
        ]),
    ...(counts.comments === 0
      ? []
      : [
          `${counted(counts.comments, "new comment")}${on}:`,
          ...talked.map((idea) => `${counted(idea.count, "comment")} on ${titled(idea)}${place(idea)}`),
          ...more(commented, talked, " ideas"),
          { label: "See what’s being discussed", href: at(`${queue}?sort=active`) },
        ]),
    ...(waiting === 0
      ? []
      : [
          `${counted(waiting, "idea", COUNTED_WAITING)} waiting for approval.`,
          { label: "Review them", href: at("/ideas?visibility=pending") },
        ]),
    ...(wanted.length === 0
      ? []
      : [
          "Most wanted without a response:",
          ...wanted.map((idea) => `${titled(idea)}, ${number(idea.votes)} ${idea.votes === 1 ? "vote" : "votes"}`),
          { label: "Respond", href: at("/ideas?sort=top&status=unanswered") },
        ]),
  ];
  return { paragraphs, link: undefined };
}
