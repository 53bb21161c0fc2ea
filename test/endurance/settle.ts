/** After a restart: what every client does that got no answer, and what must then be true. Each fault is one line. */
import type { Admission, Journal } from "./journal.ts";
import { LIMIT, type Scene, send, WINDOW_MS } from "./scene.ts";

/** Acknowledged creations that are sent again, the newest: more would only take time. */
const RETRIED = 30;
/** A panelist may write 30 times in a minute: a refused retry waits. */
const PAUSE_MS = 2_000;

export type Settled = {
  readonly faults: string[];
  readonly done: number;
  readonly notDone: number;
  readonly replayed: number;
};

/** Sends each creation without an answer again, and some with one: the same key must give the same row. */
export async function retryCreations(url: string, journal: Journal): Promise<Settled> {
  const faults: string[] = [];
  let [done, notDone, replayed] = [0, 0, 0];
  const acknowledged = journal.creations.filter(({ id }) => id !== undefined).slice(-RETRIED);
  const unknown = journal.creations.filter(({ id }) => id === undefined);
  for (const creation of [...unknown, ...acknowledged]) {
    const { path, headers, body, id } = creation;
    const { status, json, headers: answered } = await sendPatiently(`${url}${path}`, { method: "POST", headers, body });
    if (status !== 201) {
      faults.push(`a retry of ${creation.mark} is ${status}`);
      continue;
    }
    const isReplay = answered.get("Idempotency-Replayed") === "true";
    if (id === undefined) {
      creation.id = String(json.id);
      if (isReplay) done += 1;
      else notDone += 1;
    } else {
      replayed += 1;
      if (!isReplay || json.id !== id) faults.push(`a retry of ${creation.mark} did its work again`);
    }
  }
  return { faults, done, notDone, replayed };
}

/** 429 is a stated refusal: it says when to come back. */
async function sendPatiently(url: string, init: Parameters<typeof send>[1]) {
  for (;;) {
    const answer = await send(url, init);
    if (answer.status !== 429) return answer;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** A vote whose answer was lost may be either: it is cast again, and certain from then on. */
export async function settleVotes(url: string, scene: Scene, journal: Journal): Promise<string[]> {
  const faults: string[] = [];
  for (const vote of journal.votes.values()) {
    if (vote.settled) continue;
    const Authorization = scene.panelists.find(({ id }) => id === vote.panelistId)?.token ?? "";
    const path = `${url}/ideabank/proposals/${vote.proposalId}/vote`;
    const { status, json } = await sendPatiently(path, {
      method: vote.voted ? "PUT" : "DELETE",
      headers: { Authorization },
    });
    if (status === 200 && json.voted === vote.voted) vote.settled = true;
    else faults.push(`a vote cannot be cast again: ${status}`);
  }
  return faults;
}

/** Revoked stays revoked; and keys whose creation or revocation was not answered are revoked now. */
export async function checkRevocations(url: string, journal: Journal): Promise<string[]> {
  const faults: string[] = [];
  const { json } = await send(`${url}/account/api/keys`);
  for (const { id, name, state } of json.items as { id: string; name: string; state: string }[]) {
    if (name !== "Short-lived" || state !== "active") continue;
    const known = journal.endedKeys.find((key) => key.id === id);
    if (known?.acknowledged) faults.push(`the list shows a revoked key as active: ${id}`);
    const { status } = await send(`${url}/account/api/keys/${id}`, { method: "DELETE" });
    if (status === 200 && known !== undefined) known.acknowledged = true;
  }
  for (const { id, text, acknowledged } of journal.endedKeys) {
    const { status } = await send(`${url}/tenant/whoami`, { headers: { "X-API-Key": text } });
    if (acknowledged && status !== 401) faults.push(`a revoked key is answered with ${status}: ${id}`);
  }
  for (const Authorization of journal.revokedTokens) {
    const { status } = await send(`${url}/ideabank`, { headers: { Authorization } });
    if (status !== 401) faults.push(`a revoked token is answered with ${status}`);
  }
  return faults;
}

/** A crash forgets fewer than a tenth of the limit's admissions. */
const FORGOTTEN = Math.floor(LIMIT / 10) - 1;

/**
 * The most admissions beyond the limit that were certainly in one window, and how many the crashes in it allow. An admission
 * happened somewhere between its request and its answer.
 */
export function excessOf(
  admissions: readonly Admission[],
  crashes: readonly number[],
): { excess: number; faults: string[] } {
  let excess = 0;
  const faults: string[] = [];
  for (const { sent: start } of admissions) {
    const end = start + WINDOW_MS;
    const inside = admissions.filter(({ sent, received }) => sent >= start && received <= end).length;
    const allowed = crashes.filter((at) => at >= start && at <= end).length * FORGOTTEN;
    excess = Math.max(excess, inside - LIMIT);
    if (inside > LIMIT + allowed)
      faults.push(`${inside} admissions in a window, with a limit of ${LIMIT} and ${allowed} more for crashes`);
  }
  return { excess, faults: [...new Set(faults)] };
}
