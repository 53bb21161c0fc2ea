/** What a client of the load has sent, and what was acknowledged: the oracle of the crash test. */

/** A creation with an Idempotency-Key. `mark` is in the row's text, and in no other row's. */
export type Creation = {
  readonly table: "proposals" | "comments" | "panelists";
  readonly mark: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
  /** Of the acknowledged row. Without it the answer was never seen. */
  id?: string;
};

/** The last thing that a panelist did to a vote; `settled` when it was acknowledged. */
export type Vote = { readonly proposalId: string; readonly panelistId: string; voted: boolean; settled: boolean };

/** When a request of the limited key was sent and its 200 was received, in milliseconds of this process. */
export type Admission = { readonly sent: number; readonly received: number };

export type EndedKey = { readonly id: string; readonly text: string; acknowledged: boolean };

export class Journal {
  readonly creations: Creation[] = [];
  readonly votes = new Map<string, Vote>();
  readonly admissions: Admission[] = [];
  readonly endedKeys: EndedKey[] = [];
  /** Tokens whose revocation was acknowledged. */
  readonly revokedTokens: string[] = [];
  /** Answers by status; those that are neither a success nor a stated refusal are described in `unexpected`. */
  readonly statuses = new Map<number, number>();
  readonly unexpected: string[] = [];
  readonly crashes: number[] = [];
  /** Requests without an answer. */
  lost = 0;

  get acknowledged(): number {
    const votes = [...this.votes.values()].filter(({ settled }) => settled).length;
    const keys = this.endedKeys.filter(({ acknowledged }) => acknowledged).length;
    return this.creations.filter(({ id }) => id !== undefined).length + votes + keys + this.revokedTokens.length;
  }

  /** Proposals that exist, the newest last. */
  get proposals(): readonly string[] {
    return this.creations.flatMap(({ table, id }) => (table === "proposals" && id !== undefined ? [id] : []));
  }
}
