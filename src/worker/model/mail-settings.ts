/** Whether a deployment tells people and members of ideas by e-mail, and where the links of these e-mails lead. Pure. */
import { toPagesHost } from "./pages-origin.ts";

/** The binding and the settings of a deployment that sends e-mail. */
export type MailEnv = {
  readonly NOTICES?: SendEmail;
  readonly NOTICES_FROM?: string;
  /** Where answers to e-mails go. Without it the e-mails say that nobody reads them. */
  readonly NOTICES_REPLY_TO?: string;
};

export type MailLinkEnv = MailEnv & { readonly SIGN_IN_URL?: string; readonly PAGES_HOST?: string };

/** `https://ideas.example.com`. Undefined where the deployment does not say on which host it is. */
export function mailOriginOf({ PAGES_HOST, SIGN_IN_URL }: MailLinkEnv): string | undefined {
  const host = toPagesHost(PAGES_HOST);
  if (host !== undefined) return /(^|\.)localhost(:|$)/.test(host) ? `http://${host}` : `https://${host}`;
  if (!SIGN_IN_URL || !URL.canParse(SIGN_IN_URL)) return undefined;
  const { origin, pathname } = new URL(SIGN_IN_URL);
  return /^\/account(\/|$)/.test(pathname) ? origin : undefined;
}

/** Members need no host of their own for it: their links lead to where they sign in. */
export const tellsMembers = ({ NOTICES, NOTICES_FROM, SIGN_IN_URL }: MailLinkEnv): boolean =>
  NOTICES !== undefined && Boolean(NOTICES_FROM) && Boolean(SIGN_IN_URL);

export const tellsPeople = (env: MailLinkEnv): boolean =>
  env.NOTICES !== undefined && Boolean(env.NOTICES_FROM) && mailOriginOf(env) !== undefined;
