/** The words behind an action of `npm run account`, checked before anybody is asked. */
import { isId } from "../../../worker/model/id.ts";
import { Failure } from "../../command-line/failure.ts";
import { commandLine } from "../arguments.ts";
import type { Call } from "../ask-deployment.ts";

/** As they were typed; `subject` of a whole API key is its identifier. */
export type Words = { readonly subject: string; readonly first: string; readonly second: string };

/** A whole API key begins with its identifier. Who is told of a leak pastes what was found, and it is not printed again. */
const WHOLE_KEY = /^ibk_([0-9A-Za-z]{12})[0-9A-Za-z]*$/;
/** The addresses that Account Settings accepts: visible ASCII, so no space. */
const ADDRESS = /^[!-~]+@[!-~]+$/;
/** The platform's own identifier of a person. */
const SUBJECT = /^[!-~]{1,255}$/;
const MEBIBYTE = 1_048_576;

export function readWords([subject = "", first = "", second = "60"]: readonly string[]): Words {
  return { subject: WHOLE_KEY.exec(subject)?.[1] ?? subject, first, second };
}

/** In lower case, as addresses are stored. */
export function addressOf(text: string): string {
  if (ADDRESS.test(text)) return text.toLowerCase();
  throw new Failure(`${text}: an owner's e-mail address.`);
}

/** An account by its owner's address or its identifier; with `orKey` also by one of its API keys. */
export function accountOf({ subject }: Words, orKey = false): string {
  if (isId(subject) || ADDRESS.test(subject)) return subject;
  throw new Failure(
    `${subject}: an owner's e-mail address, or an account's identifier of 12 letters and digits${orKey ? ", or one of its API keys" : ""}.`,
  );
}

export function keyOf({ subject }: Words): string {
  if (isId(subject)) return subject;
  throw new Failure(
    `${subject}: an API key's identifier has 12 letters and digits. \`${commandLine("account", "", "show", "<e-mail>")}\` lists them.`,
  );
}

export const quotaOf = ({ first }: Words): number =>
  integer("the quota in MiB", { text: first, min: 1, max: 10_240 }) * MEBIBYTE;

function integer(
  what: string,
  { text, min, max }: { readonly text: string; readonly min: number; readonly max: number },
): number {
  if (/^\d{1,6}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
  throw new Failure(`${text}: ${what} is a number from ${min} to ${max}.`);
}

export function limitOf(words: Words): Call {
  const id = keyOf(words);
  const limit = integer("the limit", { text: words.first, min: 1, max: 10_000 });
  const windowSeconds = integer("the seconds", { text: words.second, min: 1, max: 3_600 });
  return {
    method: "PUT",
    path: `/operator/keys/${id}/limit`,
    body: { limit, windowSeconds },
    confirms: (answer) => answer.id === id && answer.limit === limit && answer.windowSeconds === windowSeconds,
    done: `the API key ${id} may make ${limit} requests in ${windowSeconds} seconds`,
  };
}

export function revocationOf(words: Words): Call {
  const id = keyOf(words);
  return {
    method: "DELETE",
    path: `/operator/keys/${id}`,
    confirms: (answer) => answer.id === id && answer.state === "revoked",
    done: `the API key ${id} is revoked`,
  };
}

export function signOutOf({ subject }: Words): Call {
  const email = addressOf(subject);
  return {
    method: "POST",
    path: "/operator/sign-outs",
    body: { email },
    confirms: (answer) => answer.email === email && typeof answer.ended === "number",
    done: `${email} is signed out`,
  };
}

export function moveOf({ subject, first }: Words): Call {
  const [from, to] = [addressOf(subject), addressOf(first)];
  return {
    method: "POST",
    path: "/operator/moves",
    body: { from, to },
    confirms: (answer) => answer.from === from && answer.to === to && Array.isArray(answer.accountIds),
    done: `${to} has the accounts of ${from}`,
  };
}

export function bindingOfSubject({ subject, first }: Words): Call {
  if (!SUBJECT.test(subject)) throw new Failure(`${subject}: your platform's identifier of a person, without spaces.`);
  const email = addressOf(first);
  return {
    method: "POST",
    path: "/operator/subjects",
    body: { subject, email },
    confirms: (answer) => answer.subject === subject && answer.email === email,
    done: `the subject ${subject} has the address ${email}`,
  };
}
