/** `POST /b/<id>/sign-in/code`: the code is counted, compared, used, and its person gets a token in the cookie of this board. */
import type { Context } from "hono";
import type { IdeaBankMemory } from "../../access/open-idea-bank.ts";
import { secureRandomBytes } from "../../credentials/base62.ts";
import { issueToken } from "../../credentials/compound-token.ts";
import { createId } from "../../credentials/id.ts";
import { hashHandle, isCode, proveMailbox, readCode } from "../../credentials/page-sign-in.ts";
import { signInByCode, teamOf } from "../../database/pages/page-people.ts";
import {
  countTry,
  hashOfSent,
  isOver,
  LIMITS,
  listSent,
  type SentCode,
  wasUsed,
} from "../../database/pages/sign-in-codes.ts";
import { prepareTokenIssue } from "../../database/tokens/token-issues.ts";
import { deliverAfterAnswer, watchWebhooks } from "../../deliveries/after-answer.ts";
import type { Send } from "../../deliveries/send.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { readForm } from "../../http/read-body.ts";
import { requireOwnPage } from "../../http/same-origin.ts";
import { logError } from "../../log.ts";
import { mailboxOf } from "../../model/mailbox.ts";
import { isDatabaseOutage } from "../../store/outage.ts";
import { respondNothing } from "../respond.tsx";
import { limitSender, readName } from "./by-email.ts";
import { type Asking, keepAsking, keepPerson, readAsking, type TypedFields } from "./cookies.ts";
import { type FaultOf, leadTo } from "./refusals.ts";
import { openSignIn, type SignInBoard } from "./sign-in-board.ts";

type C = Context<AppEnv>;

const MAX_BYTES = 16 * 1024;
/** In seconds. */
const SIGNED_IN_FOR = 30 * 86_400;

export const addSignInByCode = (memory: IdeaBankMemory & { readonly send: Send }) =>
  async function enterCode(c: C): Promise<Response> {
    const found = await openSignIn(c, memory, undefined);
    if (!found?.byEmail) return respondNothing(c);
    requireOwnPage(c);
    await limitSender(c);
    const form = await readForm(c, { maxBytes: MAX_BYTES });
    const board = (await openSignIn(c, memory, form.get("return") ?? undefined)) ?? found;
    const asking = readAsking(c, board.id);
    // The address as the page has it to which the code was entered, the name as it stands there, or in the cookie.
    const typed = {
      code: form.get("code") ?? "",
      email: form.get("email") ?? "",
      name: form.get("name") ?? asking?.name ?? "",
    };
    if (asking === undefined) return beginAgain(c, board, typed, "otherBrowser");
    try {
      return await enter(c, memory, { board, asking, typed });
    } catch (error) {
      if (!isDatabaseOutage(error)) throw error;
      logError("a code for a board’s page could not be compared", error);
      return leadTo(c, board, "/sign-in/code", { faults: ["down"], typed });
    }
  };

/** Where no code is waited for. It shows what this request has sent, and nothing that is stored. */
const beginAgain = (c: C, board: SignInBoard, typed: TypedFields, fault: FaultOf<"/sign-in">) =>
  leadTo(c, board, "/sign-in", { faults: [fault], typed: { ...typed, code: "" } });

type Entered = { readonly board: SignInBoard; readonly asking: Asking; readonly typed: TypedFields };

async function enter(
  c: C,
  memory: IdeaBankMemory & { readonly send: Send },
  { board, asking, typed }: Entered,
): Promise<Response> {
  const keys = c.get("settings").signingKeys;
  const database = memory.databases.of(c, board.id);
  if (database === undefined) return respondNothing(c);
  const primary = database.primary();
  const watched = watchWebhooks(primary.session, { ideaBankId: board.id });
  const { session } = watched;
  const [browser, now, digits] = [await hashHandle(asking.handle), Date.now(), readCode(typed.code)];
  const { counted, sent } =
    digits === undefined
      ? { counted: false, sent: await listSent(session, board.id, browser) }
      : await countTry(session, { ideaBankId: board.id, browser, now });
  const [newest, ...older] = sent;
  if (newest === undefined) return beginAgain(c, board, typed, "otherBrowser");
  const refuse = (fault: FaultOf<"/sign-in/code">) =>
    isOver(newest, now)
      ? beginAgain(c, board, typed, wasUsed(newest) ? "used" : "expired")
      : leadTo(c, board, "/sign-in/code", { faults: [fault], typed: { ...typed, code: "" } });
  if (digits === undefined) return refuse("notACode");
  if (!counted) return refuse("tooManyTries");
  const isOf = (each: SentCode) => isCode(digits, { id: each.id, browser, hash: hashOfSent(each), keys });
  if (!(await isOf(newest))) {
    const isOlder = (await Promise.all(older.map(isOf))).includes(true);
    if (isOlder) return refuse("newerCode");
    return refuse(newest.tries >= LIMITS.triesOfCode ? "tooManyTries" : "wrongCode");
  }

  // From here on somebody has read the e-mail: what is said is said to that person.
  const members = (await teamOf(session, board.accountId)).flatMap((text) => [text, text.split("@")[0] ?? ""]);
  const { name, fault } = readName(c, board, typed.name, members);
  const explain = (why: FaultOf<"/sign-in/code">) => leadTo(c, board, "/sign-in/code", { faults: [why], typed });
  if (fault !== undefined) return explain(fault);
  const mailbox = mailboxOf(newest.email);
  const person = await signInByCode(session, {
    ...{ accountId: board.accountId, codeId: newest.id, code: hashOfSent(newest), email: newest.email, mailbox, now },
    newPanelistId: createId(board.id, secureRandomBytes),
    name,
    language: board.voice.language,
  });
  deliverAfterAnswer(c, { session: database.withoutSession(), waiting: watched.waiting, send: memory.send });
  if (person.kind === "ended") return beginAgain(c, board, typed, "expired");
  if (person.kind === "blocked") return beginAgain(c, board, typed, "blocked");
  const issue = await prepareTokenIssue(session, {
    ...{ accountId: board.accountId, ideaBankId: board.id, now },
    panelist: { panelistId: person.panelistId, displayName: undefined, email: undefined },
    ...{ idempotencyKey: undefined, recorded: undefined },
  });
  // Tokens were ended in this very second, or somebody was blocked since: the same code works for another few seconds.
  if (issue.kind !== "done") return explain("moment");
  primary.noteAnswer();
  memory.views.noteWrite(person.panelistId, primary.bookmark);
  const { issuedAt } = issue.outcome;
  const expiresAt = issuedAt + SIGNED_IN_FOR;
  const token = await issueToken({ ideaBankId: board.id, panelistId: person.panelistId, issuedAt, expiresAt }, keys);
  keepPerson(c, {
    ...{ ideaBankId: board.id, person: { token, name: person.name }, now },
    expiresAt: expiresAt * 1000,
  });
  keepAsking(c, board.id, { handle: asking.handle, proof: await proveMailbox(asking.handle, mailbox, keys), name: "" });
  return c.redirect(board.to, 303);
}
