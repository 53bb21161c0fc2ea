/**
 * The e-mail that tells one member what colleagues did: which ideas they gave to the member, and which notes name the member. It goes to
 * members alone. It has at most 200 characters of what others wrote, as every e-mail to members.
 */
import { type AssignedIdea, type NamingNote, type TakenRow, WAITING_AT_MOST } from "../database/mails/member-outbox.ts";
import type { Brand } from "../model/brand.ts";
import { deskAddressOf } from "../model/desk-address.ts";
import { cut, oneLine, unlinked } from "../model/unlinked.ts";
import { layOut, type Paragraph } from "./layout.ts";
import type { Mail } from "./send-mail.ts";
import { wordsOf } from "./words.ts";

/** Of others' words in one e-mail: a title and the beginning of a note, or the titles that are named. */
const OTHERS_WORDS = 200;
const TITLE = 80;
/** So many ideas and notes are named, each with room for 20 characters. */
const NAMED = 10;
const NAME = 60;

const safe = (text: string, most: number): string => unlinked(cut(oneLine(text), most));

type Told = { readonly by: string | null } & (
  | { readonly kind: "assigned"; readonly idea: AssignedIdea }
  | { readonly kind: "named"; readonly note: NamingNote }
);

/** What is still so. */
const toTold = ({ kind, by, what }: TakenRow): Told[] => {
  if (what === null) return [];
  return [kind === "assigned" ? { by, kind, idea: JSON.parse(what) } : { by, kind, note: JSON.parse(what) }];
};

type Sender = { readonly brand: Brand; readonly signInUrl: string; readonly hasReplyTo: boolean };
type At = (page: string) => string;

const who = (by: string | null): string => (by === null ? "A colleague" : safe(by, NAME));
const titled = (title: string, most: number): string => `“${safe(title, most)}”`;
const subjectOfNote = (note: NamingNote, most: number): string =>
  note.title === null ? "a person" : titled(note.title, most);

/** Undefined when nothing is left to tell. The rows are those of one member. */
export function renderTeamMail(
  rows: readonly TakenRow[],
  { brand, signInUrl, hasReplyTo }: Sender,
): (Mail & { readonly fromName: string }) | undefined {
  const [first] = rows;
  const told = rows.flatMap(toTold);
  const [one, another] = told;
  if (first === undefined || first.email === null || one === undefined) return undefined;
  const at: At = (page) =>
    deskAddressOf(`/account${page}${page.includes("?") ? "&" : "?"}account=${first.account_id}`, signInUrl);
  const { subject, ...content } = another === undefined ? aboutOne(one, at) : aboutSeveral(told, at);
  return {
    to: first.email,
    fromName: brand.name,
    subject,
    ...layOut({
      brand,
      language: "en",
      ...content,
      foot: [
        `You’re getting this because you’re a member of the account ${unlinked(first.account)} on ${brand.name}.`,
        ...(hasReplyTo ? [] : [wordsOf("en")("noReply")]),
      ],
    }),
    headers: { "Content-Language": "en" },
  };
}

const pageOf = (told: Told): string => {
  if (told.kind === "assigned") return `/idea-banks/${told.idea.ideaBankId}/ideas/${told.idea.ideaId}`;
  const { note } = told;
  return "panelistId" in note ? `/people/${note.panelistId}` : `/idea-banks/${note.ideaBankId}/ideas/${note.ideaId}`;
};

function aboutOne(told: Told, at: At) {
  if (told.kind === "assigned")
    return {
      subject: `${who(told.by)} assigned you an idea`,
      paragraphs: [`${who(told.by)} assigned you ${titled(told.idea.title, TITLE)} on ${safe(told.idea.board, NAME)}.`],
      link: { label: "Open the idea", href: at(pageOf(told)) },
    };
  const { note } = told;
  const room = OTHERS_WORDS - cut(oneLine(note.title ?? ""), TITLE).length;
  return {
    subject: `${who(told.by)} mentioned you in a note`,
    paragraphs: [
      `${who(told.by)} mentioned you in a note on ${subjectOfNote(note, TITLE)}:`,
      { quote: safe(note.body, room) },
    ] as Paragraph[],
    link: { label: "Open the note", href: at(pageOf(told)) },
  };
}

/** "5 ideas", "100+ ideas". */
const counted = (count: number, noun: string): string =>
  `${count}${count >= WAITING_AT_MOST ? "+" : ""} ${noun}${count === 1 ? "" : "s"}`;

function aboutSeveral(told: readonly Told[], at: At) {
  const ideas = told.flatMap((each) => (each.kind === "assigned" ? [each] : []));
  const notes = told.flatMap((each) => (each.kind === "named" ? [each] : []));
  const namedNotes = notes.slice(0, ideas.length === 0 ? NAMED : NAMED / 2);
  const namedIdeas = ideas.slice(0, NAMED - namedNotes.length);
  const most = Math.floor(OTHERS_WORDS / (namedIdeas.length + namedNotes.length));
  const more = (count: number, shown: readonly unknown[]) =>
    count > shown.length ? [`and ${count - shown.length} more`] : [];
  const paragraphs: Paragraph[] = [
    ...(ideas.length === 0
      ? []
      : [
          `${counted(ideas.length, "idea")} assigned to you:`,
          ...namedIdeas.map(({ idea, by }) => `${titled(idea.title, most)}, by ${who(by)}`),
          ...more(ideas.length, namedIdeas),
          { label: "See your ideas", href: at("/ideas?assignee=me") },
        ]),
    ...(notes.length === 0
      ? []
      : [
          `${counted(notes.length, "note")} ${notes.length === 1 ? "mentions" : "mention"} you:`,
          ...namedNotes.flatMap((each) => [
            `${who(each.by)} on ${subjectOfNote(each.note, most)}`,
            { label: "Open the note", href: at(pageOf(each)) },
          ]),
          ...more(notes.length, namedNotes),
        ]),
  ];
  const words = [
    ...(ideas.length === 0 ? [] : [`${counted(ideas.length, "idea")} assigned to you`]),
    ...(notes.length === 0 ? [] : [`${counted(notes.length, "mention")}`]),
  ];
  return { subject: words.join(", "), paragraphs, link: undefined };
}
