/**
 * Signing in by e-mail: an address asks for a code, and the code signs in. What is answered, and the work for it, is the same for a known
 * and an unknown address: nobody is looked up before the code is right.
 */
import type { Context } from "hono";
import { limitPanelist } from "../../access/limit-panelist.ts";
import type { IdeaBankMemory } from "../../access/open-idea-bank.ts";
import { secureRandomBytes } from "../../credentials/base62.ts";
import { createId } from "../../credentials/id.ts";
import {
  createCode,
  createHandle,
  hashCode,
  hashCounted,
  hashHandle,
  hasProvenMailbox,
  verifyOpened,
} from "../../credentials/page-sign-in.ts";
import { addCode, emptyCode, forgetCode, isOver, listSent } from "../../database/pages/sign-in-codes.ts";
import type { AppEnv } from "../../http/app-env.ts";
import { readForm } from "../../http/read-body.ts";
import { requireOwnPage } from "../../http/same-origin.ts";
import { logError } from "../../log.ts";
import { clientOf } from "../../model/address.ts";
import { toBrand } from "../../model/brand.ts";
import { mailboxOf, readAddress } from "../../model/mailbox.ts";
import { isReservedName } from "../../model/reserved-name.ts";
import { Name } from "../../model/text.ts";
import { isDatabaseOutage } from "../../store/outage.ts";
import { respondNothing } from "../respond.tsx";
import { sendCodeMail } from "./code-mail.ts";
import { respondWithCode } from "./code-page.tsx";
import { keepAsking, readAsking } from "./cookies.ts";
import { type FaultOf, leadTo, takeRefusal } from "./refusals.ts";
import { openSignIn, openSignInOrDown, type SignInBoard, unknownBoard } from "./sign-in-board.ts";
import { TRAP } from "./sign-in-page.tsx";

type C = Context<AppEnv>;

const MAX_BYTES = 16 * 1024;
/** A person needs longer than a second for the form, and a day is long enough for every tab. */
const [FORM_LEAST_MS, FORM_MOST_MS] = [1_000, 86_400_000];
/** Leaves time to clear up after an e-mail service that hangs, within the time of the request. */
const MAIL_MS = 6_000;

/**
 * One line as every name, or null for none. `fault` says why it is none. The names of `members` are compared only after a right code: whoever
 * has shown no address yet could find out by them who is in the team.
 */
export function readName(
  c: C,
  board: SignInBoard,
  typed: string,
  members: readonly string[] = [],
): { readonly name: string | null; readonly fault?: "badName" | "nameTaken" } {
  if (typed.trim() === "") return { name: null };
  const read = Name.safeParse(typed);
  if (!read.success) return { name: null, fault: "badName" };
  const isTaken = isReservedName(read.data, [board.name, toBrand(c.env).name, ...members]);
  return isTaken ? { name: null, fault: "nameTaken" } : { name: read.data };
}

/** A form that a program has filled in, or that came from elsewhere. A person presses the button again. */
async function isUntimely(c: C, board: SignInBoard, form: URLSearchParams): Promise<boolean> {
  const opened = await verifyOpened(form.get("opened") ?? "", board.id, c.get("settings").signingKeys);
  const age = Date.now() - (opened ?? 0);
  return age < FORM_LEAST_MS || age > FORM_MOST_MS || form.get(TRAP) !== "";
}

/** Before a body is read or the database is asked. Throws `too-many-requests`. */
export const limitSender = (c: C): Promise<void> =>
  limitPanelist(c.env, `sign-in ${clientOf(c.req.header("CF-Connecting-IP") ?? "")}`, true);

export function addSignInByEmail(memory: IdeaBankMemory) {
  const databaseOf = (c: C, board: SignInBoard) => {
    const database = memory.databases.of(c, board.id);
    if (database === undefined) throw new Error("an open board is in a database");
    return database;
  };

  /** `POST /b/<id>/sign-in` */
  async function askForCode(c: C): Promise<Response> {
    const opened = await openSignInOrDown(c, memory, undefined);
    if (opened !== "down" && !opened?.byEmail) return respondNothing(c);
    requireOwnPage(c);
    await limitSender(c);
    const form = await readForm(c, { maxBytes: MAX_BYTES });
    const returned = form.get("return") ?? undefined;
    const board = (opened === "down" ? undefined : await openSignIn(c, memory, returned)) ?? unknownBoard(c, returned);
    const typed = { email: form.get("email") ?? "", name: form.get("name") ?? "" };
    const refuse = (...faults: FaultOf<"/sign-in">[]) =>
      leadTo(c, board, "/sign-in", { faults, typed: { ...typed, code: "" } });
    if (opened === "down") return refuse("down");
    const email = readAddress(typed.email);
    const { name, fault } = readName(c, board, typed.name);
    if (email === undefined) return refuse("badEmail", ...(fault === undefined ? [] : [fault]));
    if (fault !== undefined) return refuse(fault);
    if (await isUntimely(c, board, form)) return refuse("again");
    try {
      return await sendCode(c, board, { email, name, refuse });
    } catch (error) {
      if (!isDatabaseOutage(error)) throw error;
      logError("a code for a board’s page could not be stored", error);
      return refuse("down");
    }
  }

  type Asked = {
    readonly email: string;
    readonly name: string | null;
    readonly refuse: (fault: FaultOf<"/sign-in">) => Response;
  };

  async function sendCode(c: C, board: SignInBoard, { email, name, refuse }: Asked): Promise<Response> {
    const { session } = databaseOf(c, board).primary();
    const keys = c.get("settings").signingKeys;
    const { handle, proof } = readAsking(c, board.id) ?? { handle: createHandle(secureRandomBytes), proof: "" };
    const [now, code, mailbox] = [Date.now(), createCode(secureRandomBytes), mailboxOf(email)];
    const isKnown = await hasProvenMailbox(proof, { handle, mailbox, keys });
    const of = { id: createId(board.id, secureRandomBytes), browser: await hashHandle(handle) };
    const { added, twice } = await addCode(session, {
      ...{ ...of, ideaBankId: board.id, email, now, isKnown },
      code: await hashCode(of, code, keys),
      // Counted by itself, so that strangers who ask for this mailbox's codes do not keep its owner out.
      mailbox: await hashCounted("mailbox", isKnown ? `${mailbox} of ${handle}` : mailbox, keys),
      sender: await hashCounted("sender", clientOf(c.req.header("CF-Connecting-IP") ?? ""), keys),
    });
    if (!added && twice === undefined) return refuse("tooMany");
    if (added) {
      const { voice } = board;
      const sent = await sendCodeMail(
        c.env,
        { to: email, code, board: board.name, brand: toBrand(c.env), time: voice.time(now), language: voice.language },
        {
          withinMs: c.get("budget").within(MAIL_MS),
          fail: (error) => logError("a code for a board’s page was not sent", error, board.id),
        },
      );
      if (sent !== "sent") {
        await (sent === "unknown" ? emptyCode : forgetCode)(session, of.id);
        return refuse("mailDown");
      }
    }
    keepAsking(c, board.id, { handle, proof, name: name ?? "" });
    return c.redirect(board.voice.path("/sign-in/code", { return: board.to }), 303);
  }

  /** `GET /b/<id>/sign-in/code` */
  async function showCode(c: C): Promise<Response> {
    const board = await openSignIn(c, memory, c.req.query("return"));
    if (!board?.byEmail) return respondNothing(c);
    const asking = readAsking(c, board.id);
    const again = () => c.redirect(board.voice.path("/sign-in", { return: board.to }), 303);
    if (asking === undefined) return again();
    await limitSender(c);
    const refused = takeRefusal(c, "/sign-in/code");
    const name = refused?.typed?.name ?? asking.name;
    try {
      const { session } = databaseOf(c, board).primary();
      const [newest] = await listSent(session, board.id, await hashHandle(asking.handle));
      // It has been used, works for another moment, and its address is told as this browser has typed it.
      const retried = refused?.code === "moment" ? refused.typed : undefined;
      const sent = newest && (retried ? { ...newest, email: retried.email } : newest);
      if (sent === undefined || (!retried && isOver(sent, Date.now()))) return again();
      const faults = { notice: refused?.notice, fault: refused?.code, nameFault: refused?.name };
      return await respondWithCode(c, board, { sent, name, code: refused?.typed?.code || undefined, ...faults });
    } catch (error) {
      if (!isDatabaseOutage(error)) throw error;
      return respondWithCode(c, board, { sent: undefined, name, status: 503, notice: "down" });
    }
  }

  return { askForCode, showCode };
}
