/** The script of `/account/import`: shows what a file would give, imports it, and says what became of each row. */
import "./without-eval.ts";
import type { ProposalStatus } from "../../worker/model/proposal.ts";
import { linesInEach } from "../encoding.ts";
import { type Idea, noteOf, peopleOf, type Terms } from "../ideas.ts";
import { COLUMNS, type Column, type FoundColumn } from "../read-csv.ts";
import { statusName } from "../statuses.ts";
import { NoTitle, NotUtf8, Unreadable } from "../unreadable.ts";
import { alike } from "./alike.ts";
import { bytesOf, columnsOf, type ReadFile, readFile } from "./chosen-file.ts";
import { button, counted, element, inDigits, list, table } from "./dom.ts";
import { partsOf } from "./parts.ts";
import { outcomeOfEach, toReport } from "./report.ts";
import { HERE, isThere, NEW, type Outcome, Stopped, sendMerge, sendPart } from "./send.ts";
import { type Begun, type Progress, StoredImport } from "./stored.ts";

const COLUMN_NAMES: Readonly<Record<Column, string>> = {
  id: "ID of the idea",
  title: "Title",
  description: "Description",
  status: "Status",
  visibility: "Visibility",
  tags: "Tags",
  created_at: "Date",
  author_id: "ID of the author",
  author_email: "Email of the author",
  author: "Name of the author",
  voters: "IDs of the voters",
  votes: "Number of votes",
  comments: "Number of comments",
  comment: "Comment, visible to everyone",
  response: "Official response",
};
const SHOWN_ROWS = 10;
const SHOWN_FAULTS = 50;

/** A file that was chosen, and how it is read. */
type Choice = { readonly file: File; readonly now: number; readonly terms: Terms };

class ImportPage {
  readonly #board: HTMLSelectElement;
  readonly #file: HTMLInputElement;
  readonly #progress: HTMLElement;
  readonly #read: HTMLElement;
  readonly #statuses: readonly (readonly [ProposalStatus, string])[];
  readonly #stored: StoredImport;
  /** Of the last choice: what is read for an earlier one is not shown. */
  #turn = 0;

  constructor(root: HTMLElement) {
    const find = <Found extends HTMLElement>(selector: string): Found => {
      const found = root.querySelector<Found>(selector);
      if (found === null) throw new Error(`The page has no ${selector}.`);
      return found;
    };
    this.#board = find("#board");
    this.#file = find("#file");
    this.#progress = find("[data-part=progress]");
    this.#read = find("[data-part=read]");
    this.#statuses = JSON.parse(root.dataset.statuses ?? "[]");
    this.#stored = new StoredImport(`${document.body.dataset.owner} ${root.dataset.account}`);
    this.#file.addEventListener("change", () => {
      const [file] = this.#file.files ?? [];
      this.#progress.replaceChildren();
      this.#read.replaceChildren();
      if (file !== undefined) this.#show({ file, now: Date.now(), terms: {} });
    });
  }

  /** Goes on with what was begun here before. */
  async resume(): Promise<void> {
    if ((await this.#stored.load()) !== undefined) await this.#inTurn(() => this.#goOn());
  }

  async #goOn(): Promise<void> {
    const stored = await this.#stored.load();
    // Another tab has come to its end meanwhile.
    if (stored === undefined) return this.#progress.replaceChildren();
    this.#board.value = stored.begun.board;
    await this.#send(stored.begun, stored.progress);
  }

  /** One tab at a time imports. The page before a reload may hold its turn for a moment. */
  async #inTurn(act: () => Promise<void>): Promise<void> {
    const waits = element("p", { class: "notice", role: "status" }, "An import is under way in another tab.");
    this.#progress.replaceChildren(waits);
    await navigator.locks.request("import", act);
  }

  async #show(choice: Choice): Promise<void> {
    this.#turn += 1;
    const turn = this.#turn;
    if (this.#read.childElementCount === 0)
      this.#read.replaceChildren(element("p", { role: "status" }, `Reading ${choice.file.name}…`));
    const shown = await this.#shownOf(choice);
    if (turn !== this.#turn) return;
    const { id = "" } = document.activeElement ?? {};
    this.#read.replaceChildren(...shown);
    document.getElementById(id)?.focus();
  }

  async #shownOf(choice: Choice): Promise<readonly Node[]> {
    try {
      const read = await readFile(choice.file, choice);
      return [
        ...this.#columns(choice, read.columns),
        ...this.#statusesOf(choice, read),
        ...this.#preview(choice, read),
      ];
    } catch (error) {
      if (error instanceof NotUtf8) return this.#encodings(choice, linesInEach(await bytesOf(choice.file)));
      if (!(error instanceof Unreadable)) throw error;
      const columns = await columnsOf(choice.file, choice.terms).catch(() => []);
      const shown = columns.length > 1 ? this.#columns(choice, columns) : [];
      if (error instanceof NoTitle && shown.length > 0)
        return [element("p", { role: "status" }, "Which column is the title?"), ...shown];
      return [element("div", { class: "notice bad", role: "alert" }, element("p", {}, error.message)), ...shown];
    }
  }

  #encodings(choice: Choice, lines: ReturnType<typeof linesInEach>): readonly Node[] {
    const rows = lines.map((line) => [line["utf-8"], line["windows-1252"]]);
    const use = () => this.#show({ ...choice, terms: { ...choice.terms, encoding: "windows-1252" } });
    return [
      element("h2", {}, "Letters"),
      element("p", {}, "This file is not in UTF-8, so some letters can’t be read. Is it right in Western European?"),
      table("Lines of the file", ["As UTF-8", "As Western European"], rows),
      element("p", { class: "buttons" }, button("Use Western European", use, "primary")),
      element("p", { class: "hint" }, "If neither is right, save the file as “CSV UTF-8” and choose it again."),
    ];
  }

  #columns(choice: Choice, columns: readonly FoundColumn[]): readonly Node[] {
    if (columns.length === 0) return [];
    const choose = (name: string, column: string) => {
      const chosen = new Map<string, string>(COLUMNS.map((each) => [each, ""]));
      for (const found of columns)
        if (found.column !== undefined && found.column !== column && found.name !== name)
          chosen.set(found.column, found.name);
      if (column !== "") chosen.set(column, name);
      this.#show({ ...choice, terms: { ...choice.terms, columns: chosen } });
    };
    const options = [["", "Not imported"] as const, ...COLUMNS.map((each) => [each, COLUMN_NAMES[each]] as const)];
    return [
      element("h2", {}, "Columns"),
      element(
        "div",
        { class: "mapping" },
        ...columns.map(({ name, column, sample }, index) =>
          select({ id: `column-${index}`, label: name, sample, options, value: column ?? "" }, (value) =>
            choose(name, value),
          ),
        ),
      ),
    ];
  }

  #statusesOf(choice: Choice, { found }: ReadFile): readonly Node[] {
    if (found.statuses.length === 0) return [];
    const choose = (name: string, status: string) => {
      const statuses = new Map(choice.terms.statuses).set(statusName(name), status as ProposalStatus);
      this.#show({ ...choice, terms: { ...choice.terms, statuses } });
    };
    return [
      element("h2", {}, "Statuses"),
      element(
        "div",
        { class: "mapping" },
        ...found.statuses.map(({ name, status }, index) =>
          select({ id: `status-${index}`, label: name, options: this.#statuses, value: status }, (value) =>
            choose(name, value),
          ),
        ),
      ),
    ];
  }

  #preview(choice: Choice, { ready, found, faults, faulty }: ReadFile): readonly Node[] {
    const sum = (count: (idea: Idea) => number) => ready.reduce((all, idea) => all + count(idea), 0);
    const totals = [
      counted(ready.length, "idea"),
      counted(peopleOf(ready).length, "person", "people"),
      counted(
        sum(({ voters }) => voters.length),
        "vote",
      ),
      counted(
        sum(({ comments }) => comments.length),
        "comment",
      ),
    ].join(", ");
    const words = new Map(this.#statuses);
    const hasNotes = ready.some((idea) => noteOf(idea) !== null);
    const columns = ["Place", "Title", "Status", "Tags", "Author", "Date", "Votes", "Comments"];
    const rows = ready
      .slice(0, SHOWN_ROWS)
      .map((idea) => [
        ...[idea.place, idea.title, words.get(idea.status) ?? idea.status, idea.tags.join(", ")],
        ...[idea.author?.displayName ?? idea.author?.externalId ?? "", idea.createdAt?.slice(0, 10) ?? ""],
        ...[inDigits(idea.voters.length), inDigits(idea.comments.length)],
        ...(hasNotes ? [noteOf(idea) ?? ""] : []),
      ]);
    const lost = found.lost.lines().map((line) => line.trim());
    return [
      element("h2", {}, "Preview"),
      element(
        "p",
        { role: "status" },
        `${totals}.${faulty > 0 ? ` ${counted(faulty, "row")} can’t be imported.` : ""}`,
      ),
      ...(rows.length > 0 ? [table("Preview", hasNotes ? [...columns, "Not counted"] : columns, rows)] : []),
      ...(ready.length > rows.length ? [element("p", { class: "hint" }, `The first ${SHOWN_ROWS} ideas.`)] : []),
      ...(faults.length > 0 ? [element("h2", {}, "Faults"), list(alike(faults), { atMost: SHOWN_FAULTS })] : []),
      ...(lost.length > 0 ? [element("h2", {}, "Left out or changed"), list(lost, { atMost: SHOWN_FAULTS })] : []),
      ...(ready.length > 0
        ? [
            element(
              "p",
              { class: "buttons" },
              button(`Import ${counted(ready.length, "idea")}`, () => this.#begin(choice), "primary"),
            ),
          ]
        : []),
    ];
  }

  async #begin({ file, now, terms }: Choice): Promise<void> {
    const begun = { file, now, terms, board: this.#board.value };
    await this.#inTurn(async () => {
      await this.#stored.end();
      await this.#stored.begin(begun);
      await this.#send(begun, { done: 0, outcomes: new Map() });
    });
  }

  async #send(begun: Begun, { done, outcomes: before }: Progress): Promise<void> {
    const { file, board } = begun;
    const outcomes = new Map(before);
    let sent = done;
    this.#setRunning(true);
    this.#read.replaceChildren();
    const bar = element("progress", { "aria-label": `Import of ${file.name}`, value: 0 });
    const words = element("p", { role: "status" }, `Reading ${file.name}…`);
    const stop = new AbortController();
    const stopButton = button("Stop", () => stop.abort());
    this.#progress.replaceChildren(bar, words, element("p", { class: "buttons" }, stopButton));
    try {
      const read = await readFile(file, begun);
      const parts = partsOf(read.ready);
      bar.max = parts.length;
      const tell = (more = "") => {
        words.textContent = `${inDigits(outcomes.size)} of ${counted(read.ready.length, "idea")}. ${more}`.trim();
      };
      const sender = {
        url: location.pathname,
        board,
        file: [...file.name].slice(0, 200).join(""),
        signal: stop.signal,
        say: tell,
      };
      for (const [index, part] of parts.entries()) {
        bar.value = index;
        tell();
        if (index < done) continue;
        for (const [row, outcome] of (await sendPart(part, sender)).entries())
          note(outcomes, part.rows[row]?.externalId ?? "", outcome);
        sent = index + 1;
        await this.#stored.keep({ done: sent, outcomes });
      }
      bar.value = parts.length;
      for (const idea of read.ready)
        if (idea.duplicateOf !== undefined && isThere(outcomes.get(idea.externalId))) {
          const refused = await sendMerge(idea, sender);
          if (refused !== undefined) outcomes.set(idea.externalId, refused);
        }
      await this.#stored.end();
      this.#report(begun, read, outcomes);
      this.#setRunning(false);
    } catch (error) {
      if (!(error instanceof Stopped || error instanceof Unreadable)) throw error;
      this.#offerToGoOn(begun, { done: sent, outcomes }, error.message);
    }
  }

  #offerToGoOn(begun: Begun, progress: Progress, why: string): void {
    const discard = async () => {
      await this.#stored.end();
      this.#progress.replaceChildren();
      this.#setRunning(false);
    };
    this.#progress.replaceChildren(
      element("div", { class: "notice", role: "alert" }, element("p", {}, why)),
      element(
        "p",
        { class: "buttons" },
        button("Continue", () => this.#inTurn(() => this.#send(begun, progress)), "primary"),
        button("End it here", discard),
      ),
    );
  }

  #report({ file, board }: Begun, { ready, found, faults, faulty }: ReadFile, outcomes: ReadonlyMap<string, Outcome>) {
    const each = outcomeOfEach(ready, outcomes);
    const [isNew, isHere] = [NEW, HERE].map((wanted) => each.filter((outcome) => outcome === wanted).length);
    const refused = ready.flatMap(({ place }, index) =>
      isWritten(each[index]) ? [] : [`${place}: ${each[index] ?? ""}`],
    );
    const sums = [
      `${inDigits(isNew ?? 0)} new`,
      `${inDigits(isHere ?? 0)} already here`,
      counted(faulty + refused.length, "fault"),
    ].join(", ");
    const report = new Blob([toReport({ ready, faults, outcomes })], { type: "text/csv" });
    const all = [...faults, ...refused];
    this.#progress.replaceChildren(
      element(
        "div",
        { class: "notice good", role: "status", tabindex: -1 },
        element("p", {}, element("strong", {}, `${counted(found.rows, "row")} of ${file.name}: ${sums}.`)),
      ),
      ...(all.length > 0 ? [element("h2", {}, "Faults"), list(all, { atMost: SHOWN_FAULTS })] : []),
      element(
        "p",
        { class: "buttons" },
        element("a", { class: "button primary", href: `/account/idea-banks/${board}` }, "See the ideas"),
        element(
          "a",
          { class: "button", href: URL.createObjectURL(report), download: "import-report.csv" },
          "Download report",
        ),
      ),
    );
    this.#progress.querySelector<HTMLElement>(".notice")?.focus();
  }

  #setRunning(isRunning: boolean): void {
    this.#board.disabled = isRunning;
    this.#file.disabled = isRunning;
    if (!isRunning) this.#file.value = "";
  }
}

const isWritten = (outcome: Outcome | undefined): boolean => outcome === NEW || outcome === HERE;

/** An idea in several parts is new if its first one was. A fault of any part is the row's. */
function note(outcomes: Map<string, Outcome>, externalId: string, outcome: Outcome): void {
  const before = outcomes.get(externalId);
  if (before === undefined || (isWritten(before) && !isWritten(outcome))) outcomes.set(externalId, outcome);
}

type Choosable = {
  readonly id: string;
  readonly label: string;
  readonly sample?: string | undefined;
  readonly options: readonly (readonly [value: string, name: string])[];
  readonly value: string;
};

function select({ id, label, sample, options, value }: Choosable, choose: (value: string) => void): HTMLElement {
  const made = element("select", { id });
  for (const [each, name] of options) made.append(element("option", { value: each, selected: each === value }, name));
  made.addEventListener("change", () => choose(made.value));
  const hint = sample ? [element("span", { class: "hint", dir: "auto" }, sample)] : [];
  return element("div", { class: "field" }, element("label", { for: id, dir: "auto" }, label), made, ...hint);
}

const root = document.querySelector<HTMLElement>(".import");
if (root !== null) void new ImportPage(root).resume();
