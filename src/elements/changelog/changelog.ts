/**
 * `<idea-bank-changelog>`: the implemented proposals of an idea bank, newest first. Event `changelog-count`: the number of
 * entries since the visitor's last look, for a badge; 0 once they have been seen.
 */

import type { Changelog } from "../../worker/model/changelog.ts";
import { type Child, h } from "../shared/h.ts";
import { head, title } from "../shared/head.ts";
import { IdeaBankElement } from "../shared/idea-bank-element.ts";
import { message, skeleton } from "../shared/message.ts";
import type { Connection } from "../shared/request.ts";
import { recall, remember } from "../shared/storage.ts";
import { isVisible } from "../shared/visible.ts";
import styles from "./changelog.css";
import { Entries } from "./entries.ts";
import { type Item, badge as mark } from "./entry-view.ts";
import { CHANGELOG_LABELS } from "./labels.ts";
import { LastVisit } from "./last-visit.ts";

const PATH = "/public/ideabank/changelog";
/** The last number of entries, which is the best guess for the number to come. */
const ROWS = "idea-bank-changelog:rows";

class IdeaBankChangelog extends IdeaBankElement<typeof CHANGELOG_LABELS> {
  #count: number | undefined;

  constructor() {
    super(CHANGELOG_LABELS, styles);
  }

  /** The number of entries that are new to this visitor. */
  get count(): number {
    return this.#count ?? 0;
  }

  protected override answersIn({ changelog }: { readonly changelog?: Changelog }): Readonly<Record<string, unknown>> {
    return { [PATH]: changelog };
  }

  protected override start(connection: Connection, signal: AbortSignal): void {
    const entries = new Entries(this.words, this.headingLevel);
    let visit: LastVisit | undefined;
    let items: readonly Item[] = [];
    let etag: string | null = null;
    let visible = false;
    const look = () => {
      if (visible) visit?.markSeen(items);
      if (visit) this.#setCount(visit.unseen(items));
    };

    const load = async (): Promise<void> => {
      try {
        const headers = { ...(etag && { "If-None-Match": etag }) };
        const reply = await connection.send<Changelog>(PATH, { headers });
        if (!reply.body) return;
        items = reply.body.items;
        visit ??= new LastVisit(`idea-bank-changelog:${connection.who}`);
        this.#showEntries(entries, items, visit.isNew);
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
    watcher.observe(entries.list);
    signal.addEventListener("abort", () => watcher.disconnect());
  }

  #setCount(count: number): void {
    if (count === this.#count) return;
    this.#count = count;
    this.dispatch("changelog-count", { count });
  }

  #showEntries(entries: Entries, items: readonly Item[], isNew: (item: Item) => boolean): void {
    remember(ROWS, String(items.length));
    if (items.length === 0) {
      const text = this.words.say("empty");
      this.enter("empty");
      this.show(this.#head(), message("empty", h("p", {}, text)));
      this.announce(text);
      return;
    }
    this.enter("ready");
    entries.show(items, isNew);
    const count = items.filter(isNew).length;
    const badge = count > 0 && this.words.say("newCount", { count });
    const head = this.#head(badge && mark(badge));
    // Moving the list would lose the focus.
    if (entries.list.isConnected) this.root.firstChild?.replaceWith(head);
    else this.show(head, entries.list);
    const loaded = this.words.say("loaded", { count: items.length });
    this.announce(badge ? `${loaded}, ${badge}` : loaded);
  }

  #head(badge?: Child): HTMLElement {
    return head(title(this.headingLevel, this.words.say("title")), badge);
  }
}

if (!customElements.get("idea-bank-changelog")) customElements.define("idea-bank-changelog", IdeaBankChangelog);
