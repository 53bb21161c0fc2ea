/**
 * The e-mail that tells somebody of ideas: what happened, in the reader's language, and one link to it. It has at most 200 characters of what
 * others wrote, on one line each and with no address that a mail program could make a link of.
 */
import { mailPathOf } from "../credentials/mail-link.ts";
import type { ToldIdea } from "../database/mails/recipients.ts";
import type { Brand } from "../model/brand.ts";
import { type Language, languageOf } from "../model/language.ts";
import { ideaPathOf, pagePathOf } from "../model/page-path.ts";
import { cut, oneLine, unlinked } from "../model/unlinked.ts";
import { layOut } from "./layout.ts";
import type { Mail } from "./send-mail.ts";
import { type Say, wordsOf } from "./words.ts";

/** Of others' words in one e-mail. */
const OTHERS_WORDS = 200;
/** Of them a title, and where it stands again. What is left is for the text. */
const [TITLE, TITLE_AGAIN] = [80, 24];
/** An e-mail about several names this many, with less of each title. */
const NAMED = 5;
const [NAME, NAMED_TITLE] = [40, OTHERS_WORDS / NAMED];

const safe = (text: string, most: number): string => unlinked(cut(oneLine(text), most));

type Sender = {
  readonly brand: Brand;
  /** `https://ideas.example.com` */
  readonly origin: string;
  readonly mailKey: string;
  readonly hasReplyTo: boolean;
};

/** What an e-mail says of one idea: a line, and the words to it. */
type News = { readonly lines: readonly string[]; readonly text: string | null };

function newsOf(idea: ToldIdea, title: () => string, say: Say): News {
  const { status, tellsStatus, tellsResponse, comments } = idea;
  if (comments !== null) {
    if (comments.count > 1)
      return { lines: [say("comments", { count: String(comments.count), idea: title() })], text: null };
    const line = comments.byTeam
      ? say("commentByTeam", { idea: title() })
      : comments.name === null
        ? say("commentUnnamed", { idea: title() })
        : say("comment", { idea: title(), name: safe(comments.name, NAME) });
    return { lines: [line], text: comments.body };
  }
  const isDone = tellsStatus && status === "implemented";
  const lines = [
    ...(isDone ? [say("done", { idea: title() })] : []),
    ...(tellsStatus && !isDone ? [say("status", { idea: title(), status: say(`status_${status}`) })] : []),
    ...(tellsResponse ? [say("response", { idea: title() })] : []),
  ];
  return { lines, text: tellsResponse ? idea.response : isDone ? idea.description : null };
}

/** Where the idea can be read: on the board's own page, or on the tenant's. Undefined where neither is. */
function addressOf({ ideaBank, proposalId }: ToldIdea, origin: string): string | undefined {
  if (ideaBank.publicPage) return origin + ideaPathOf(ideaBank, proposalId);
  return ideaBank.url === null ? undefined : withIdea(ideaBank.url, proposalId);
}

function withIdea(page: string, proposalId: string): string {
  const url = new URL(page);
  url.searchParams.set("idea", proposalId);
  return url.href;
}

const boardAddressOf = ({ ideaBank }: ToldIdea, origin: string): string | undefined =>
  ideaBank.publicPage ? origin + pagePathOf(ideaBank) : (ideaBank.url ?? undefined);

/** `ideas`: what one address is told of one board, at least one idea. An idea that is told twice, of a decision and of comments, is one. */
export async function renderIdeaMail(
  ideas: readonly [ToldIdea, ...ToldIdea[]],
  { brand, origin, mailKey, hasReplyTo }: Sender,
): Promise<Mail & { readonly fromName: string; readonly language: Language }> {
  const [first] = ideas;
  const language = languageOf(first.language ?? undefined) ?? "en";
  const say = wordsOf(language);
  const board = oneLine(first.ideaBank.name);
  const different = [...new Set(ideas.map(({ proposalId }) => proposalId))];
  const isOne = different.length === 1;
  const title = ({ title: whole }: ToldIdea) => safe(whole, isOne ? TITLE : NAMED_TITLE);
  const named = isOne ? ideas : ideas.slice(0, NAMED);
  let lines = 0;
  const nextTitle = (idea: ToldIdea) => {
    lines += 1;
    return isOne && lines > 1 ? safe(idea.title, TITLE_AGAIN) : title(idea);
  };
  const news = named.map((idea) => newsOf(idea, () => nextTitle(idea), say));
  // Two things happened to one idea: the words of the team come first.
  const text = isOne ? news.find((each) => each.text?.trim())?.text : undefined;
  const names = named.map(({ comments }) => cut(comments?.name ?? "", NAME).length);
  const left = OTHERS_WORDS - cut(oneLine(first.title), TITLE).length - (lines - 1) * TITLE_AGAIN - Math.max(...names);
  const more = ideas.length - named.length;
  const href = isOne ? addressOf(first, origin) : boardAddressOf(first, origin);
  const link = { panelistId: first.panelistId, ideaBankId: first.ideaBank.id, proposalId: first.proposalId };
  const off = origin + (await mailPathOf(link, mailKey));
  const host = new URL(origin).hostname;
  const shown = { idea: title(first), board: unlinked(board), count: String(different.length) };
  return {
    to: first.email,
    fromName: brand.name,
    language,
    subject: say(isOne ? "subject" : "subjectSeveral", shown),
    ...layOut({
      brand,
      language,
      paragraphs: [
        ...news.flatMap(({ lines }) => lines),
        ...(text ? [{ quote: safe(text, Math.max(left, 0)) }] : []),
        ...(more > 0 ? [say("more", { count: String(more) })] : []),
      ],
      link: href === undefined ? undefined : { label: say(isOne ? "open" : "openBoard"), href },
      foot: [
        `${unlinked(board)} · ${say(isOne ? "why" : "whySeveral")}`,
        ...(hasReplyTo ? [] : [say("noReply")]),
        { label: say("unsubscribe"), href: off },
      ],
    }),
    headers: {
      "Content-Language": language,
      "List-Unsubscribe": `<${off}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      // No Message-ID can be set with this binding, so what is said of an idea hangs together by what it refers to.
      References: `<${isOne ? first.proposalId : first.ideaBank.id}@${host}>`,
    },
  };
}
