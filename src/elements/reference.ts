/**
 * The settings, events and style hooks of the elements, in words. The build compares the names with the sources: `npm run build`
 * fails for a name that is only here or only there. No script includes this file.
 */
export const REFERENCE = {
  attributes: {
    token: "The token. Set as a property, it stays out of the page's markup.",
    "token-url":
      "An address on your own server that answers with a token as plain text. [When it is requested](embed.md#customers-who-are-signed-in).",
    tokenProvider:
      "Property only: a function that returns a token, or a promise of one. Called when `token-url` would be requested.",
    src: "The API's address. Default: the origin of the script.",
    labels: "Property only: replaces some or all of the [labels](#labels).",
    "sign-in-url":
      "The page where visitors sign in. `{page}` in it becomes the address of the current page. Visitors who want to vote, comment or suggest an idea sign in there first.",
    lang: "The language of labels, dates and numbers. Default: the nearest `lang` around the element, otherwise the browser's language.",
    theme:
      "`light`, `dark` or `auto`. Default: `auto`, which follows the page's `color-scheme`, or without one the background around the element.",
    "heading-level": "The level of the element's heading, 1 to 4. Default: 2.",
    proposal: "Board, roadmap: the identifier of a proposal to open first.",
    history:
      "Board, roadmap: makes an open idea or form an entry of the tab's history, and gives ideas and comments [addresses](embed.md#back-and-links-to-an-idea). Changelog: gives entries addresses.",
    "idea-url":
      "Board, roadmap: the address of an idea's own page, with `{idea}` instead of its identifier. Titles become links to it, and it replaces `history`.",
    "home-url": "Board, roadmap: with `idea-url`, the address of the list. The page of an idea leads back to it.",
    count:
      "Changelog, read-only property: the number of entries that are new since the visitor last looked. Survey: the number of surveys left to answer, without those put off with “Not now”.",
    survey:
      "Survey: the identifier of the survey to show. Default: the first open one that the visitor hasn't answered.",
    layout: "Survey: `steps` shows one question at a time, `all` shows them together. Default: `steps`.",
    preview:
      "Survey: a survey to try out, as `POST /tenant/surveys` takes it. Needs no token, sends and stores nothing. As an attribute it is JSON.",
    label:
      "Launcher: the text of its button. Default: “What’s new”, “Ideas”, “Roadmap” or “Survey”, depending on the element inside.",
    inline:
      "Launcher: keeps the button where the element is. Without it, the button floats in the corner of the window.",
  },
  events: {
    "changelog-count":
      "The number of new entries has changed. `detail.count` is 0 on the first visit, and once the visitor has seen them.",
    "survey-count":
      "Survey: the number of surveys left to answer has changed. `detail.count` doesn't count those put off with “Not now”.",
    "survey-answered": "Survey: the visitor has sent answers, or changed them. `detail.surveyId`.",
    "idea-submitted": "Board: the visitor has submitted an idea. `detail.id`, `detail.title`.",
    "idea-shown":
      "Board, roadmap: an idea was opened, or left for the list or the form: then `detail.id` and `detail.title` are `null`. With `history`, `preventDefault()` leaves the page's title as it is.",
    voted:
      "Board: the visitor has voted, or taken the vote back. `detail.id`, `detail.title`, `detail.voted`, `detail.votes`.",
    commented:
      "Board: the visitor has commented. `detail.id` and `detail.title` are the idea's, `detail.comment` is the comment's identifier.",
    "sign-in":
      "Board, survey: a visitor who is not signed in has pressed “Sign in”; without `sign-in-url`, a control that needs it. `detail.proposal` is the idea to open afterwards, or `null`. Survey: `detail.survey` is the survey's identifier. `preventDefault()` keeps the visitor on the page.",
    "signed-out":
      "There is no usable token. `detail.error` is `not-signed-in` if there is none, and `unauthorized` if a panelist's token was refused and there is no other.",
  },
  slots: {
    "sign-in": "Your own link, shown when there is no token. Default: a link to `sign-in-url`.",
  },
  states: {
    loading: "Only a skeleton is shown.",
    ready: "Content is shown.",
    empty: "There is nothing to show.",
    resting: "Survey: only those put off with “Not now” are left, with a button to answer each.",
    closed:
      "The board does not show this, or a visitor's token was refused. Survey: it is closed or not open to this person.",
    "signed-out": "There is no token, or a panelist's token was refused.",
    error: "Loading failed. The visitor can try again.",
  },
  parts: {
    root: "The whole card.",
    header: "The line with the title.",
    title: "The element's title.",
    message: "A message shown instead of the content.",
    retry: "The button “Try again”.",
    skeleton: "The placeholder while content loads.",
    badge: "The number of new entries, and the mark on a new entry.",
    entries: "Changelog: the list.",
    entry: "Changelog: an entry.",
    new: "Changelog: a new entry.",
    "entry-title": "Changelog: an entry's title.",
    date: "Changelog: an entry's date.",
    description: "Changelog: an entry's text. Survey: its description.",
    more: "Changelog: the button that expands a long text.",
    month: "Changelog: a month's name above its entries.",
    note: "Changelog: the message that an entry was not found, or could not be read.",
    toolbar: "Board: the line with sorts, search and filter.",
    sort: "Board: a sort.",
    filter: "Board: the filter.",
    search: "Board: the search field.",
    similar: "Board: the ideas similar to the title being typed.",
    ideas: "Board: the list.",
    "idea-item": "Board: an idea in the list.",
    "idea-item-title": "Board: its title, a button; a link where the idea has an address.",
    vote: "Board: the vote; a button while voting is open.",
    voted: "Board: the visitor's own vote.",
    status: "Board: an idea's status.",
    "status-…": "Board: a particular status, such as `status-planned`.",
    tags: "Board: an idea's tags.",
    tag: "Board: a tag.",
    idea: "Board: an open idea.",
    "idea-title": "Board: its title.",
    "idea-description": "Board: its text.",
    response: "Board: the official response.",
    comments: "Board: the list of comments.",
    comment: "Board: a comment.",
    "comment-official": "Board: a comment by the team.",
    form: "Board, survey: any form.",
    field: "Board, survey: a form field.",
    button: "Any button with a border.",
    "button-primary": "Board: the button that submits.",
    back: "Board: the button back to the list or the form.",
    notice: "Board: the message at the bottom of the window.",
    progress: "Survey: how far the visitor is.",
    question: "Survey: a question with its answers.",
    "question-title": "Survey: the question itself.",
    help: "Survey: the sentence below a question.",
    option: "Survey: an option.",
    point: "Survey: a point of a scale.",
    "sign-in": "Survey: what a visitor sees who is not signed in.",
    thanks: "Survey: the message after the answers.",
    resting: "Survey: the line of a survey put off with “Not now”.",
    conflict: "Survey: the choice between answers from two tabs.",
    summary: "Survey: questions with answers that are only read.",
    unsent: "Board: a text without a form, to copy. Survey: the message that it is closed, with the answers to copy.",
    launcher: "Launcher: the button that opens the panel.",
    panel: "Launcher: the panel.",
    close: "Launcher: the button that closes the panel.",
    shipped: "Launcher: the lines that say how many of the visitor's voted ideas are done, and name them.",
    columns: "Roadmap: all columns.",
    column: "Roadmap: a column. It contains the parts of a board.",
    "column-title": "Roadmap: a column's title.",
    "column-tab": "Roadmap: where only one column fits, a tab that chooses it.",
  },
  customProperties: {
    "--idea-bank-accent": "Buttons, votes and links.",
    "--idea-bank-on-accent": "Text on the accent.",
    "--idea-bank-text": "Text.",
    "--idea-bank-muted": "Dates, names and counts.",
    "--idea-bank-background": "The element's background.",
    "--idea-bank-surface": "Raised areas on that background.",
    "--idea-bank-border": "Lines.",
    "--idea-bank-border-width": "The width of the line around the element.",
    "--idea-bank-radius": "The radius of corners.",
    "--idea-bank-font": "The font. The default is the page's.",
    "--idea-bank-font-size": "The text size. All other sizes follow it.",
    "--launcher-bottom":
      "Launcher: the distance of the floating button from the bottom of the window, for example above a cookie banner.",
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;
