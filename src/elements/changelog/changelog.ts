/**
 * `<idea-bank-changelog>`: the implemented proposals of an idea bank, newest first. Event `changelog-count`: the number of
 * entries since the visitor's last look, for a badge; 0 once they have been seen.
 */

import type { Changelog } from "../../worker/model/changelog.ts";
import { type Child, h } from "../shared/h.ts";
import { head, title } from "../shared/head.ts";
import { IdeaBankElement } from "../shared/idea-bank-element.ts";
import { mark, parameter } from "../shared/link.ts";
import { message, skeleton } from "../shared/message.ts";
import { openLauncher } from "../shared/open-launcher.ts";
import type { Connection } from "../shared/request.ts";
import { recall, remember } from "../shared/storage.ts";
import { isVisible } from "../shared/visible.ts";
import styles from "./changelog.css";
import { ENTRY, Entries, type Page, UPDATE } from "./entries.ts";
import { badge, type Item } from "./entry-view.ts";
import { CHANGELOG_LABELS } from "./labels.ts";
import { LastVisit } from "./last-visit.ts";

const PATH = "/public/ideabank/changelog";
/** The number of older entries that come at once. */
const PAGE = 20;
/** An entry is looked for in so many of the API's largest pages. */
const LARGE_PAGES = 10;
const LARGE_PAGE = 100;
/** The last number of entries, which is the best guess for the number to come. */
const ROWS = "idea-bank-changelog:rows";

// An `<img name="querySelectorAll">` in the page hides the document's own method.
const isOnly = (): boolean =>
  Document.prototype.querySelectorAll.call(document, "idea-bank-changelog[history]").length < 2;

/** What a page was made of. The identifiers are those of the entries, in their order. */
type Given = {
  readonly changelog?: Changelog;
  readonly entries?: { readonly ids: readonly string[]; readonly nextCursor?: string };
};

/** Attribute `history`: entries have addresses, which open the page at them. */
class IdeaBankChangelog extends IdeaBankElement<typeof CHANGELOG_LABELS> {
  static override readonly observedAttributes = [...IdeaBankElement.observedAttributes, "history"];

  #count: number | undefined;
  /** The entry to bring into view. */
  #wanted: ((item: Item) => boolean) | undefined;
  #isAddressRead = false;
  #given: Page | undefined;
  #seek = () => {};

  constructor() {
    super(CHANGELOG_LABELS, styles);
  }

  /** The number of entries that are new to this visitor. */
  get count(): number {
    return this.#count ?? 0;
  }

  /** Brings an entry into view, also an older one. */
  open({ title, lastModified }: Partial<Item>): void {
    if (!lastModified) return;
    this.#wanted = (item) => item.title === title && item.lastModified === lastModified;
    this.#seek();
  }

  protected override answersIn({ changelog, entries }: Given): Readonly<Record<string, unknown>> {
    const named = changelog?.items.map((item, at) => ({ ...item, id: entries?.ids[at] ?? "" }));
    this.#given = named && entries && { ...entries, items: named };
    return { [PATH]: changelog };
  }

  protected override start(connection: Connection, signal: AbortSignal): void {
    const { words } = this;
    const hasAddresses = this.hasAttribute("history");
    const named = hasAddresses && !this.#isAddressRead && parameter(UPDATE);
    this.#isAddressRead ||= hasAddresses;
    if (named) {
      this.#wanted = ({ id }) => id === ENTRY + named;
      void openLauncher(this);
    }
    const entries = new Entries(words, {
      ...{ level: this.headingLevel, hasAddresses, connection, first: this.#given },
    });
    const note = h("p", { class: "note", part: "note" });
    const more = h("button", {
      ...{ type: "button", class: "button more", part: "button" },
      onclick: () => void read(() => readPage(PAGE), more),
    });
    let visit: LastVisit | undefined;
    let items: readonly Item[] = [];
    let etag: string | null = null;
    let visible = false;
    let isReading = false;

    const showMore = () => {
      more.hidden = !entries.cursor;
      more.textContent = words.say("older");
    };
    const readPage = async (limit: number) => {
      const first = await entries.read(limit);
      const hadFocus = more.matches(":focus");
      showMore();
      // The button may go: the focus goes on where it was.
      if (!hadFocus || !first) return;
      first.tabIndex = -1;
      first.focus({ preventScroll: true });
      this.announce(words.say("loaded", { count: entries.count }));
    };
    const tell = (text: string, place: HTMLElement) => {
      note.textContent = text;
      place.before(note);
      this.announce(text);
    };
    /** One after the other. What fails is told at `place`. */
    const read = async (ask: () => Promise<void>, place?: HTMLElement) => {
      if (isReading) return;
      isReading = true;
      note.remove();
      try {
        await ask();
      } catch (error) {
        if (place && !signal.aborted) tell(this.explain(error), place);
      } finally {
        isReading = false;
      }
    };
    const seek = async () => {
      if (!entries.hasBegun) await readPage(items.length);
      for (let pages = 0; this.#wanted; pages += 1) {
        const row = entries.find(this.#wanted);
        if (!row && entries.cursor && pages < LARGE_PAGES) {
          await readPage(LARGE_PAGE);
          continue;
        }
        this.#wanted = undefined;
        if (row) mark(row);
        // Another changelog of the page may have it.
        else if (isOnly()) tell(words.say("notFound"), entries.element);
      }
    };
    this.#seek = () => {
      if (visible && items.length > 0 && (this.#wanted || !entries.hasBegun))
        void read(seek, this.#wanted && entries.element);
    };
    const look = () => {
      if (visible) visit?.markSeen(items);
      if (visit) this.#setCount(visit.unseen(items));
      this.#seek();
    };

    const load = async (): Promise<void> => {
      try {
        const headers = { ...(etag && { "If-None-Match": etag }) };
        const reply = await connection.send<Changelog>(PATH, { headers });
        if (!reply.body) return;
        items = reply.body.items;
        visit ??= new LastVisit(`idea-bank-changelog:${connection.who}`);
        entries.show(items, visit.isNew);
        showMore();
        this.#showEntries(items, visit.isNew, [entries.element, more]);
        etag = reply.etag;
        look();
      } catch (error) {
        if (signal.aborted) return;
        // If it cannot be read again, the present entries stay, unless the visitor may not read them any more.
        if (etag && this.stateAfter(error) === "error") return;
        etag = null;
        items = [];
        this.show(this.#head(), this.failure(error, begin));
        this.#setCount(0);
      }
    };
    const begin = () => {
      this.enter("loading");
      this.show(
        head(h("div", { class: "bones title line" })),
        skeleton(Number(recall(ROWS)) || 5, "entry", "bones when line"),
      );
      void load();
    };
    const again = () => isVisible() && void load();

    begin();
    // The event of the document, where no element of the page can hide it.
    window.addEventListener("visibilitychange", again, { signal });
    this.whenOnline(again, signal);
    // A changelog in a closed panel is not seen: its badge stays until it is opened.
    const watcher = new IntersectionObserver((changes) => {
      visible = changes.at(-1)?.isIntersecting ?? false;
      look();
    });
    watcher.observe(entries.element);
    signal.addEventListener("abort", () => watcher.disconnect());
  }

  #setCount(count: number): void {
    if (count === this.#count) return;
    this.#count = count;
    this.dispatch("changelog-count", { count });
  }

  #showEntries(items: readonly Item[], isNew: (item: Item) => boolean, content: readonly HTMLElement[]): void {
    remember(ROWS, String(items.length));
    if (items.length === 0) {
      const text = this.words.say("empty");
      this.enter("empty");
      this.show(this.#head(), message("empty", h("p", {}, text)));
      this.announce(text);
      return;
    }
    this.enter("ready");
    const count = items.filter(isNew).length;
    const news = count > 0 && this.words.say("newCount", { count });
    const head = this.#head(news && badge(news));
    // Moving the list would lose the focus.
    if (content[0]?.isConnected) this.root.firstChild?.replaceWith(head);
    else this.show(head, ...content);
    const loaded = this.words.say("loaded", { count: items.length });
    this.announce(news ? `${loaded}, ${news}` : loaded);
  }

  #head(badge?: Child): HTMLElement {
    return head(title(this.headingLevel, this.words.say("title")), badge);
  }
}

if (!customElements.get("idea-bank-changelog")) customElements.define("idea-bank-changelog", IdeaBankChangelog);
