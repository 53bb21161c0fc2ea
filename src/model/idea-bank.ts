/** An idea bank as its gate sees it, and an entry of its changelog. */

export type IdeaBankStatus = "DRAFT" | "OPEN" | "CLOSED";

/** What decides the capabilities, and which rendered changelog is the right one. */
export type IdeaBankState = {
  readonly accountId: string;
  readonly accountSuspended: boolean;
  readonly status: IdeaBankStatus;
  readonly internal: boolean;
  readonly changelogEnabled: boolean;
  readonly changelogVersion: number;
};

/** A proposal that has shipped. `lastActivityAt` is in Unix milliseconds. */
export type ChangelogEntry = { readonly title: string; readonly description: string; readonly lastActivityAt: number };
