/** `/operator/sign-ins`: the platform's own server signs an owner in, beside Cloudflare Access. */
import { secureRandomBytes } from "../credentials/base62.ts";
import { createId } from "../credentials/id.ts";
import { SIGN_IN_LINK, signSignIn } from "../credentials/sign-in.ts";
import { endSignInsOf, LINK_MS, offerSignIn } from "../database/sign-ins.ts";
import { EndedSignIns, NewSignIn, OfferedSignIn, SignOut } from "../model/operator.ts";
import { toTimestamp } from "../model/text.ts";
import { DIRECTORY_DIGIT } from "../store/bindings.ts";
import { bindSubject } from "./move-member.ts";
import { operation } from "./operation.ts";

export const SIGN_IN_OPERATIONS = {
  offerSignIn: operation({
    method: "POST",
    effect: "adds",
    path: "/operator/sign-ins",
    credential: { kind: "operator" },
    body: NewSignIn,
    answer: OfferedSignIn,
    problems: ["not-found", "conflict"],
    summary: "Sign an account owner in",
    description:
      "For the server of a platform that knows its customers. The answer's URL is good once, and for 60 seconds: it gives the browser a " +
      "session of 12 hours, and leads to `returnTo`. Where somebody else is signed in, by another link or by Access, it asks first. A first sign-in makes an account, as " +
      "a first visit through Cloudflare Access does.",
    handle: async (c, { body: { subject, ...body } }, memory) => {
      const { databases } = memory;
      if (subject !== undefined) await bindSubject(c, memory, { subject, email: body.email });
      const now = Date.now();
      const id = createId(DIRECTORY_DIGIT, secureRandomBytes);
      await offerSignIn(databases.directory(c).withoutSession(), { id, signIn: body, now });
      const url = new URL("/account/sign-in", c.req.url);
      url.searchParams.set("link", await signSignIn(SIGN_IN_LINK, id, c.get("settings").signingKeys));
      return c.json({ url: url.href, expiresAt: toTimestamp(now + LINK_MS) }, 201);
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
