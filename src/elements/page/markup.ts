/**
 * The elements' content as HTML, for the page that a board has of its own. It stands inside of an element, which takes it over where
 * scripts run: made of the same views, it looks the same there. What only a script can do is `inert`.
 */
import { type Child, h } from "#h";
import { commentCount, commentList, commentsTitle, commentView, discussionView } from "../board/comment-view.ts";
import { asidesOf, barView, detailBody, detailTitle, detailView, facts, ideaText } from "../board/detail-view.ts";
import type { Idea } from "../board/idea-bank.ts";
import { BOARD_LABELS } from "../board/labels.ts";
import { ideas, listView, nothing, suggestButton } from "../board/list-view.ts";
import { isOver, rowView } from "../board/row-view.ts";
import { toolbarView } from "../board/toolbar-view.ts";
import { voteBox } from "../board/vote-box.ts";
import { byMonth, entryList, entryView, type Item, monthView, unfolder } from "../changelog/entry-view.ts";
import { CHANGELOG_LABELS } from "../changelog/labels.ts";
import { LANGUAGES, translationOf } from "../languages/languages.ts";
import { COLUMNS, columnsView, columnView, emptyColumn, tabsView, tabView, total } from "../roadmap/column-view.ts";
import { ROADMAP_LABELS } from "../roadmap/labels.ts";
import { head, title } from "../shared/head.ts";
import { type Labels, Words } from "../shared/labels.ts";
import { message } from "../shared/message.ts";
import { prose } from "../shared/prose.ts";
import { SURVEY_LABELS } from "../survey/labels.ts";
import { questionList } from "../survey/question-list.ts";
import type * as Declared from "./markup-types.d.ts";

export { PAGE_STYLES as pageStyles } from "./page-styles.ts";

type OfIdeas = Pick<Parameters<typeof Declared.boardMarkup>[0], "access" | "ideaHref" | "headingLevel">;

/** The words of the page. The reader's time zone is not known here. */
class PageWords<Known extends Labels> extends Words<Known> {
  override dated = true;

  override date(time: Date, options: Intl.DateTimeFormatOptions = { dateStyle: "medium" }): string {
    return super.date(time, { ...options, timeZone: "UTC" }) + (options.timeStyle ? " UTC" : "");
  }
}

/** What an element is called says which words it has. */
function wordsOf<Known extends Labels>(element: string, defaults: Known, lang: string) {
  const language = LANGUAGES.find((name) => name === lang);
  const words = new PageWords(defaults, {}, language ?? "en");
  const { labels, direction = "" } = language ? translationOf(language) : {};
  words.translate(labels?.[element]);
  return { words, direction };
}

/** As the element's own, which takes its place. */
const root = (label: string, dir: string, ...content: readonly Child[]): string =>
  h("section", { class: "root", "data-server": true, dir, "aria-label": label }, ...content).outerHTML;

/** Without a script nobody can vote: it shows the votes, in the box of the button. */
function vote(idea: Idea, { capabilities }: OfIdeas["access"], words: Words<typeof BOARD_LABELS>): HTMLElement {
  const isButton = capabilities.canVote && idea.duplicateOf === null;
  const name = words.say("votes", { count: idea.votes });
  return voteBox(words.short(idea.votes), name, isButton ? { type: "button", disabled: true } : undefined);
}

const row = (idea: Idea, words: Words<typeof BOARD_LABELS>, { access, ideaHref, headingLevel }: OfIdeas): HTMLElement =>
  rowView(idea, { words, level: headingLevel }, { vote: vote(idea, access, words), open: { href: ideaHref(idea.id) } });

const linkToMore = (text: string, href: string, style: string): HTMLElement =>
  h("a", { class: style, part: "button", href }, text);

const more = (text: string, href: string | undefined, style: string): HTMLElement | undefined =>
  href === undefined ? undefined : linkToMore(text, href, style);

export const boardMarkup: typeof Declared.boardMarkup = ({ lang, page: { items }, moreHref, ...board }) => {
  const { words, direction } = wordsOf("idea-bank-board", BOARD_LABELS, lang);
  const { name, capabilities } = board.access;
  const suggest = capabilities.canSubmitProposals && suggestButton(words, { inert: true });
  const rows = [...items.filter((idea) => !isOver(idea)), ...items.filter(isOver)].map((idea) =>
    row(idea, words, board),
  );
  const hint = capabilities.canSubmitProposals && words.say("emptyHint");
  return root(
    name,
    direction,
    head(title(board.headingLevel, name), suggest),
    h(
      "div",
      { class: "view" },
      listView(
        toolbarView(words, { name: "sort", byTag: false, mine: false }, { inert: true }),
        h("div", {}, rows.length > 0 ? ideas(...rows) : nothing(words.say("empty"), hint)),
        more(words.say("moreIdeas"), moreHref, "button more"),
      ),
    ),
  );
};

export const ideaMarkup: typeof Declared.ideaMarkup = ({ lang, idea, comments, backHref, moreHref, ...board }) => {
  const { words, direction } = wordsOf("idea-bank-board", BOARD_LABELS, lang);
  const { access, headingLevel, ideaHref } = board;
  const rows = comments.items.map((comment) =>
    commentView(comment, words, {}, prose(comment.body), h("div", { class: "own" })),
  );
  const isOpen = access.capabilities.canComment && idea.duplicateOf === null;
  return root(
    access.name,
    direction,
    head(title(headingLevel, access.name)),
    h(
      "div",
      { class: "view" },
      detailView(
        barView(words, { back: { href: backHref }, backTo: "back", copy: { inert: true } }),
        detailBody(
          vote(idea, access, words),
          detailTitle(headingLevel, idea.title),
          h("div", { class: "meta" }, ...facts(idea, words)),
          ideaText(idea.description),
          h("div", { class: "own" }),
        ),
        ...asidesOf(idea, words, { href: ideaHref(idea.duplicateOf ?? "") }),
        discussionView(
          commentsTitle(headingLevel, commentCount(idea.comments, words)),
          commentList(...rows),
          more(words.say("moreComments"), moreHref, "button"),
          isOpen && h("div", { class: "space" }),
        ),
      ),
    ),
  );
};

export const roadmapMarkup: typeof Declared.roadmapMarkup = ({ lang, columns, moreHrefOf, ...board }) => {
  const { words, direction } = wordsOf("idea-bank-roadmap", { ...BOARD_LABELS, ...ROADMAP_LABELS }, lang);
  const level = board.headingLevel + 1;
  const shown = COLUMNS.map((column, at) => ({ column, items: [], ...columns[at] }));
  const chosen = shown.find(({ items }) => items.length > 0)?.column;
  const countOf = ({ items, nextCursor }: (typeof shown)[number]) => total(items.length, nextCursor, words);
  const tabs = shown.map((each) => tabView(each.column, words, countOf(each), { checked: each.column === chosen }));
  const all = shown.map((each) =>
    columnView(
      each.column,
      { words, level },
      {
        total: countOf(each),
        list:
          each.items.length > 0
            ? ideas(...each.items.map((idea) => row(idea, words, { ...board, headingLevel: level })))
            : emptyColumn(words),
        chosen: each.column === chosen,
        ...(each.nextCursor && {
          more: linkToMore(words.say("moreIdeas"), moreHrefOf(each.column.status, each.nextCursor), "button more"),
        }),
      },
    ),
  );
  const content = chosen ? [tabsView(words, { inert: true }, ...tabs), ...all] : [nothing(words.say("empty"), false)];
  return root(
    words.say("title"),
    direction,
    head(title(board.headingLevel, words.say("title"))),
    h("div", { class: "view" }, columnsView(...content)),
  );
};

const listOf = (rows: readonly (readonly [Item, HTMLElement])[]): HTMLElement =>
  entryList(...rows.map(([, row]) => row));

export const changelogMarkup: typeof Declared.changelogMarkup = ({ lang, headingLevel, changelog, ...page }) => {
  const { words, direction } = wordsOf("idea-bank-changelog", CHANGELOG_LABELS, lang);
  const { isOlder, moreHref } = page;
  const entries = changelog.items.map((item) => {
    const unfold = () => unfolder(words, item.title, { inert: true });
    return [
      item,
      entryView(item, words, { level: headingLevel + Number(isOlder), isNew: false, link: {}, unfold }),
    ] as const;
  });
  return root(
    words.say("title"),
    direction,
    head(title(headingLevel, words.say("title"))),
    entries.length === 0
      ? message("empty", h("p", {}, words.say("empty")))
      : h(
          "div",
          {},
          ...(isOlder
            ? Array.from(byMonth(entries, words)).flatMap(([month, each]) => [
                monthView(month, headingLevel),
                listOf(each),
              ])
            : [listOf(entries)]),
        ),
    more(words.say("older"), moreHref, "button more"),
  );
};

export const surveyMarkup: typeof Declared.surveyMarkup = ({ lang, headingLevel, survey }) => {
  const { words, direction } = wordsOf("idea-bank-survey", SURVEY_LABELS, lang);
  return root(
    survey.title,
    direction,
    head(title(headingLevel, survey.title)),
    h(
      "div",
      { class: "survey" },
      survey.description && prose(survey.description, { part: "description" }),
      questionList(survey.questions, words),
    ),
  );
};

export const translationFor: typeof Declared.translationFor = (lang, element) => {
  const language = LANGUAGES.find((name) => name === lang);
  if (language === undefined) return undefined;
  const { labels, direction } = translationOf(language);
  const name = `idea-bank-${element}`;
  return { ...(direction && { direction }), labels: { [name]: labels?.[name] } };
};
