/** `/operator/sign-ins`: the platform's own server signs an owner in, beside Cloudflare Access. */
import type { Context } from "hono";
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId } from "../credentials/id.ts";
import { addressCode, SIGN_IN_LINK, signSignIn } from "../credentials/sign-in.ts";
import {
  CODE_MS,
  CODES_AN_HOUR,
  endSignInsOf,
  LINK_MS,
  offerCode,
  offerSignIn,
  type SignIn,
} from "../database/members/sign-ins.ts";
import { canSendEmail, sendAddressCode } from "../deliveries/address-code.ts";
import { bindSubject } from "../deliveries/move-person.ts";
import type { AppEnv } from "../http/app-env.ts";
import { EndedSignIns, NewSignIn, OfferedSignIn, SignOut } from "../model/operator.ts";
import { toTimestamp } from "../model/text.ts";
import { Problem } from "../problem.ts";
import { DIRECTORY_DIGIT } from "../store/bindings.ts";
import { DEADLINE_MS } from "../store/deadline.ts";
import { inKnownDatabases } from "./move-member.ts";
import { type OperatorMemory, operation } from "./operation.ts";

const takenBySubject = () =>
  new Problem("conflict", {
    detail:
      "This address belongs to another `subject`, which has accounts or an invitation. If its person has another address now, sign that " +
      "person in with it. If this is the same person with a new `subject`, run `npm run account -- bind-subject <subject> <address>`. " +
      "Nobody was signed in.",
  });

const unconfirmed = () =>
  new Problem("conflict", {
    detail:
      "This address has accounts already, or an invitation, and this `subject` does not have it. This deployment sends no e-mail, so it " +
      "cannot ask the person who reads it. If you have made sure that it is this person's, run `npm run account -- bind-subject <subject> " +
      "<address>`, or send both to `POST /operator/subjects`. Nobody was signed in.",
  });

const tooManyCodes = () =>
  new Problem("too-many-requests", {
    detail: `${CODES_AN_HOUR} codes were sent to this address in an hour, and none was used. Wait, or run \`npm run account -- bind-subject <subject> <address>\`.`,
    headers: { "Retry-After": "3600" },
  });

/** What has to be asked first: null for nothing. Throws `conflict`. */
async function mustAsk(c: Context<AppEnv>, memory: OperatorMemory, subject: string | undefined, email: string) {
  if (subject === undefined) return null;
  const bound = await inKnownDatabases(bindSubject(c, memory, { subject, email, by: "platform" }));
  if (bound === "another's") throw takenBySubject();
  if (bound === "unconfirmed" && !canSendEmail(c.env)) throw unconfirmed();
  return bound === "unconfirmed" ? subject : null;
}

type Offer = { readonly id: string; readonly signIn: SignIn; readonly now: number };

/** Sends the code to the address. Throws `too-many-requests` and `service-unavailable`. */
async function askTheAddress(
  c: Context<AppEnv>,
  memory: OperatorMemory,
  { subject, ...offer }: Offer & { subject: string },
) {
  if (!(await offerCode(memory.databases.directory(c).withoutSession(), offer))) throw tooManyCodes();
  const code = await addressCode({ id: offer.id, subject }, c.get("settings").signingKeys);
  try {
    const withinMs = c.get("budget").within(DEADLINE_MS.without);
    await sendAddressCode(c.env, { to: offer.signIn.email, code, withinMs });
  } catch (cause) {
    throw new Problem("service-unavailable", {
      headers: { "Retry-After": "10" },
      cause,
      detail: "The e-mail with the code could not be sent. Nobody was signed in.",
    });
  }
}

export const SIGN_IN_OPERATIONS = {
  offerSignIn: operation({
    method: "POST",
    effect: "adds",
    path: "/operator/sign-ins",
    credential: { kind: "operator" },
    body: NewSignIn,
    answer: OfferedSignIn,
    problems: ["not-found", "conflict", "too-many-requests"],
    summary: "Sign an account owner in",
    description:
      "For the server of a platform that knows its customers. The answer's URL is good once, and for 60 seconds: it gives the browser a " +
      "session of 12 hours, and leads to `returnTo`. Where somebody else is signed in, by another link or by Access, it asks first. A first sign-in makes an account, as " +
      "a first visit through Cloudflare Access does. If the `subject` does not have this address yet, and the address has accounts, the URL's page " +
      "asks for a code that is sent to the address.",
    handle: async (c, { body: { subject, ...signIn } }, memory) => {
      const asked = await mustAsk(c, memory, subject, signIn.email);
      const now = Date.now();
      const id = createId(DIRECTORY_DIGIT, secureRandomBytes);
      if (asked === null) await offerSignIn(memory.databases.directory(c).withoutSession(), { id, signIn, now });
      else await askTheAddress(c, memory, { id, signIn, now, subject: asked });
      const url = new URL("/account/sign-in", c.req.url);
      url.searchParams.set("link", await signSignIn(SIGN_IN_LINK, id, c.get("settings").signingKeys, asked ?? ""));
      if (asked !== null) url.searchParams.set("subject", asked);
      return c.json({ url: url.href, expiresAt: toTimestamp(now + (asked === null ? LINK_MS : CODE_MS)) }, 201);
    },
  }),

  signOutAsOperator: operation({
    method: "POST",
    path: "/operator/sign-outs",
    effect: "ends",
    credential: { kind: "operator" },
    body: SignOut,
    answer: EndedSignIns,
    status: 200,
    problems: ["not-found"],
    summary: "Sign an account owner out everywhere",
    description:
      "From this answer on, no session that a link has begun is good for this person, and no link that was not used yet. It does not end " +
      "a session of Cloudflare Access. Sending it again is harmless.",
    handle: async (c, { body: { email } }, { databases }) =>
      c.json({ email, ended: await endSignInsOf(databases.directory(c).withoutSession(), [email]) }),
  }),
};
